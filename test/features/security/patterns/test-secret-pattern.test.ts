import { expect, test } from 'bun:test'
import { createSecretPattern } from '#features/security/patterns/create-secret-pattern.ts'
import { testSecretPattern } from '#features/security/patterns/test-secret-pattern.ts'
import { updateSecretPattern } from '#features/security/patterns/update-secret-pattern.ts'
import { refusal } from '../../../world.ts'
import { ACME_KEY, makePatternsWorld } from './fixture.ts'

test('a test tells what a pattern finds in all commits, and opens no alerts', async () => {
  const { world, ada, repo, main, commit, pushTo, alerts, add, patterns } =
    await makePatternsWorld()
  const first = await commit(main, { 'a.txt': `one\n${ACME_KEY}\n` })
  await pushTo('work', await commit(first, { 'a.txt': 'gone\n', 'b.txt': `x ${ACME_KEY}` }))
  const { id } = await add()
  const queued = await world.call(testSecretPattern, ada, { repo, id })
  expect(queued.test).toMatchObject({ state: 'queued', repository: repo, finished_at: null })
  expect(await refusal(world.call(testSecretPattern, ada, { repo, id }))).toMatchObject({
    reason: 'in_progress',
  })
  await world.jobs()
  const [tested] = await patterns()
  expect(tested?.test).toMatchObject({ state: 'complete', commits: 3, matches: 2, complete: true })
  const places = tested?.test?.places.map(({ path, line, preview }) => `${path}:${line} ${preview}`)
  expect(places?.toSorted()).toEqual(['a.txt:2 acme••••w2', 'b.txt:1 acme••••w2'])
  expect(JSON.stringify(tested)).not.toContain(ACME_KEY)
  expect(await alerts()).toEqual([])
  const changed = await world.call(updateSecretPattern, ada, { repo, id, pattern: 'acme-[0-9]+' })
  expect(changed.test).toBeNull()
})

test('a pattern of a workspace is tested on one of its repositories', async () => {
  const { world, ada, repo, main, commit, pushTo } = await makePatternsWorld()
  await pushTo('work', await commit(main, { 'a.txt': ACME_KEY }))
  const workspace = 'acme'
  const { id } = await world.call(createSecretPattern, ada, {
    workspace,
    name: 'Acme key',
    pattern: 'acme_[a-z0-9]{20}',
  })
  const run = (repository?: string) =>
    world.call(testSecretPattern, ada, { workspace, id, ...(repository && { repository }) })
  for (const other of [undefined, 'nothing'])
    expect(await refusal(run(other))).toMatchObject({ field: 'repository' })
  expect((await run('site')).test?.repository).toBe(repo)
})
