import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { listCaches } from '#features/artifacts/list-caches.ts'
import { makeFilesWorld, REPO } from './fixture.ts'

test('lists caches by the beginning of their keys, for whoever is signed in', async () => {
  const { world, ada, cache } = await makeFilesWorld()
  for (const key of ['npm-1', 'npm-2', 'go-1']) await cache(key)
  const list = async (key?: string) =>
    (await world.call(listCaches, ada, { ...REPO, key })).items.map((one) => one.key)
  expect(await list()).toEqual(['go-1', 'npm-2', 'npm-1'])
  expect(await list('npm-')).toEqual(['npm-2', 'npm-1'])
  expect(await list('%')).toEqual([])
  await expect(world.call(listCaches, anonymous as never, REPO)).rejects.toMatchObject({
    code: 'unauthenticated',
  })
})
