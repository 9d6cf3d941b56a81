import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { fetchWiki } from '#features/wiki/fetch-wiki.ts'
import { collectStore, PRUNE_GRACE_MS, repoByPath } from '#features/repos/index.ts'
import { getWikiPage } from '#features/wiki/get-wiki-page.ts'
import { DAY } from '#lib/time.ts'
import { makeWikiWorld, REPO } from './fixture.ts'

test('git sees one branch, whose name changes with its commit only', async () => {
  const { world, otto, set } = await makeWikiWorld()
  const refs = async () => (await world.call(fetchWiki, anonymous, { repo: REPO })).refs
  const empty = await refs()
  expect([empty.head, empty.refs]).toEqual(['refs/heads/main', []])
  const { revision } = await set(otto, 'Home', 'One')
  const one = await refs()
  expect(one.refs).toEqual([{ name: 'refs/heads/main', oid: revision, peeled: null }])
  expect(one.generation).not.toBe(empty.generation)
  expect(await refs()).toEqual(one)
})

test('collecting unreachable objects keeps the wiki', async () => {
  const { world, otto, set } = await makeWikiWorld()
  const first = await set(otto, 'Home', 'One')
  await set(otto, 'Home', 'Two')
  await world.commit(REPO, 'main', { 'a.txt': 'a\n' })
  const store = repoByPath(world.hearth.db, REPO)?.store ?? ''
  for (let round = 0; round < 3; round++) {
    await collectStore(world.hearth, store, new AbortController().signal)
    world.clock.advance(PRUNE_GRACE_MS + DAY)
  }
  expect((await world.call(getWikiPage, anonymous, { repo: REPO, slug: 'Home' })).body).toBe(
    'Two\n',
  )
  const old = { repo: REPO, slug: 'Home', revision: first.revision }
  expect((await world.call(getWikiPage, anonymous, old)).body).toBe('One\n')
})
