import { expect, test } from 'bun:test'
import { deleteCache } from '#features/artifacts/delete-cache.ts'
import { listCaches } from '#features/artifacts/list-caches.ts'
import { makeFilesWorld, REPO } from './fixture.ts'

test('whoever has Write deletes a cache, and its key can be used again', async () => {
  const { world, ada, eve, cache } = await makeFilesWorld()
  const { id } = await cache('npm-1', 'broken')
  await expect(world.call(deleteCache, eve, { ...REPO, id })).rejects.toMatchObject({
    code: 'forbidden',
  })
  await world.call(deleteCache, ada, { ...REPO, id })
  await expect(world.call(deleteCache, ada, { ...REPO, id })).rejects.toMatchObject({
    code: 'not_found',
  })
  await cache('npm-1', 'better bytes')
  const { items } = await world.call(listCaches, ada, REPO)
  expect(items).toMatchObject([{ key: 'npm-1', size_in_bytes: 12, ref: 'refs/heads/main' }])
})
