import { expect, test } from 'bun:test'
import { collectLfsObjects, UNUSED_RETENTION_MS } from '#features/lfs/collect-objects.ts'
import { findObject } from '#features/lfs/store-objects.ts'
import { deleteBranch } from '#features/repos/branches/delete-branch.ts'
import { DAY } from '#lib/time.ts'
import { makeLfsWorld, oidOf, pointerOf, REPO } from './fixture.ts'

test('a file goes some weeks after the last commit that named it, and no other file', async () => {
  const { world, ada, repo, store } = await makeLfsWorld()
  for (const text of ['cat', 'dog', 'never']) await store(text)
  // Pointers count wherever they are, because attributes may change.
  await world.commit(REPO, 'main', { 'kept.txt': pointerOf('cat') })
  await world.commit(REPO, 'other', { 'a.psd': pointerOf('dog') })
  const collect = async () => {
    await world.write((tx) => tx.enqueue(collectLfsObjects, null))
    await world.jobs()
    return ['cat', 'dog', 'never'].filter((text) =>
      findObject(world.hearth.db, repo.id, oidOf(text)),
    )
  }
  expect(await collect()).toEqual(['cat', 'dog', 'never'])
  await world.call(deleteBranch, ada, { repo: REPO, branch: 'other' })
  world.clock.advance(UNUSED_RETENTION_MS + DAY)
  expect(await collect()).toEqual(['cat', 'dog'])
  // It is named again in time.
  await world.commit(REPO, 'again', { 'a.psd': pointerOf('dog') })
  world.clock.advance(DAY)
  expect(await collect()).toEqual(['cat', 'dog'])
  await world.call(deleteBranch, ada, { repo: REPO, branch: 'again' })
  await collect()
  world.clock.advance(UNUSED_RETENTION_MS + DAY)
  expect(await collect()).toEqual(['cat'])
})
