import { expect, test } from 'bun:test'
import { listArtifacts } from '#features/artifacts/list-artifacts.ts'
import { makeFilesWorld, REPO } from './fixture.ts'

test('lists the artifacts of a run by pages, for whoever reads the repository', async () => {
  const { world, eve, job, artifact } = await makeFilesWorld()
  for (const name of ['one', 'two', 'three']) await artifact(name)
  const list = (page: number) =>
    world.call(listArtifacts, eve, { ...REPO, id: job.run.id, page, per_page: 2 })
  const first = await list(1)
  expect(first.items.map(({ name }) => name)).toEqual(['three', 'two'])
  expect(first).toMatchObject({ total: 3, next: '2' })
  const second = await list(2)
  expect(second).toMatchObject({
    items: [{ name: 'one', size_in_bytes: 3, expired: false }],
    next: null,
  })
  const other = 'run_01h455vb4pex5vsknk084sn02q'
  await expect(world.call(listArtifacts, eve, { ...REPO, id: other })).rejects.toThrow('not exist')
})

test('names are those of files, and each is there once', async () => {
  const { artifact } = await makeFilesWorld()
  const refused = ['', 'a/b', '..\\x', '.', '..', 'x'.repeat(256), 'new\nline', 'a\u001b[2J']
  for (const name of refused) await expect(artifact(name)).rejects.toThrow()
  const first = await artifact('app', 'first')
  await expect(artifact('app', 'second')).rejects.toThrow('has an artifact app already')
  const second = await artifact('app', 'second', true)
  expect(second.seq).toBeGreaterThan(first.seq)
})
