/** Pages of wikis in the search: their rights, and an index that follows every change. */
import { expect, test } from 'bun:test'
import { anonymous, type Caller } from '#core/caller.ts'
import { updateRepoSettings } from '#features/repos/index.ts'
import { search } from '#features/search/search.ts'
import { sweepSearch } from '#features/search/update-index.ts'
import { deleteWikiPage } from '#features/wiki/index.ts'
import { withToken } from '../../world.ts'
import { makeWikiWorld, REPO } from '../wiki/fixture.ts'

async function setUp(options: { private?: boolean } = {}) {
  const all = await makeWikiWorld(options)
  const { world } = all
  const found = async (caller: Caller, query: string) => {
    await world.jobs()
    const { items, counts } = await world.call(search, caller, { query, type: 'wiki' })
    const slugs = items.flatMap((item) => ('slug' in item ? [item.slug] : []))
    expect(counts.wiki).toBe(slugs.length)
    return slugs
  }
  return { ...all, found }
}

test('pages are found by their words and their titles, with the lines that match', async () => {
  const { world, ada, set, found } = await setUp()
  await set(ada, 'Home', 'Welcome.\n\nThe **lighthouse** needs oil.\n')
  await set(ada, 'Oil Deliveries', 'Every Monday.')
  await world.commit(REPO, 'main', { 'README.md': 'a lighthouse in the code\n' })
  expect(await found(anonymous, 'lighthouse')).toEqual(['Home'])
  expect(await found(anonymous, 'oil deliveries')).toEqual(['Oil-Deliveries'])
  expect(await found(anonymous, 'oil')).toEqual(['Oil-Deliveries', 'Home'])
  expect(await found(anonymous, `lighthouse repo:${REPO}`)).toEqual(['Home'])
  expect(await found(anonymous, 'lighthouse is:open')).toEqual([])
  const { items, counts } = await world.call(search, anonymous, {
    query: 'lighthouse',
    type: 'wiki',
  })
  expect(items).toEqual([
    {
      repo: REPO,
      slug: 'Home',
      title: 'Home',
      html_url: expect.stringMatching(/\/acme\/site\/wiki\/Home$/),
      highlights: {
        title: [{ text: 'Home', match: false }],
        lines: [
          [
            { text: 'The **', match: false },
            { text: 'lighthouse', match: true },
            { text: '** needs oil.', match: false },
          ],
        ],
      },
    },
  ])
  // The code is a type of its own.
  expect(counts.code).toBe(1)
})

test('the index follows edits, deletions and the setting, and a lost mark is found', async () => {
  const { world, ada, set, found } = await setUp()
  await set(ada, 'Home', 'lighthouse')
  expect(await found(ada, 'lighthouse')).toEqual(['Home'])
  await set(ada, 'Home', 'windmill')
  expect([await found(ada, 'lighthouse'), await found(ada, 'windmill')]).toEqual([[], ['Home']])
  await world.call(updateRepoSettings, ada, { repo: REPO, wiki_enabled: false })
  expect(await found(ada, 'windmill')).toEqual([])
  await world.call(updateRepoSettings, ada, { repo: REPO, wiki_enabled: true })
  expect(await found(ada, 'windmill')).toEqual(['Home'])
  // A change whose mark was lost, as after a power failure of the index, is found by the sweep.
  await set(ada, 'Home', 'waterwheel')
  await world.write((tx) => void tx.db.run('DELETE FROM search_marks'))
  expect(await found(ada, 'waterwheel')).toEqual([])
  await world.write((tx) => void tx.enqueue(sweepSearch, null))
  expect(await found(ada, 'waterwheel')).toEqual(['Home'])
  await world.call(deleteWikiPage, ada, { repo: REPO, slug: 'Home' })
  expect(await found(ada, 'waterwheel')).toEqual([])
})

test('pages of a private repository are for those who may read its code', async () => {
  const { ada, rita, eve, set, found } = await setUp({ private: true })
  await set(ada, 'Home', 'lighthouse')
  expect(await found(rita, 'lighthouse')).toEqual(['Home'])
  for (const caller of [eve, anonymous, withToken(ada, { scopes: ['repo:read', 'issues:read'] })])
    expect(await found(caller, 'lighthouse')).toEqual([])
  // Nobody reads a wiki by taking it for a branch of the code.
  expect(await found(eve, `lighthouse repo:${REPO} branch:"wiki:"`)).toEqual([])
})
