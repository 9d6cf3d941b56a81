import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { listWikiPages } from '#features/wiki/list-wiki-pages.ts'
import { makeWikiWorld, REPO } from './fixture.ts'

test('pages are listed by slug, in pages, and by words of their title', async () => {
  const { world, otto, set } = await makeWikiWorld()
  const list = (change: Record<string, unknown> = {}) =>
    world.call(listWikiPages, anonymous, { repo: REPO, ...change })
  expect(await list()).toEqual({ items: [], next: null, total: 0 })
  for (const title of ['Home', 'First steps', 'Last steps']) await set(otto, title, 'x')
  await set(otto, 'Sidebar', 'links', { slug: '_Sidebar' })
  expect((await list()).items.map(({ slug }) => slug)).toEqual([
    'First-steps',
    'Home',
    'Last-steps',
    '_Sidebar',
  ])
  expect((await list({ q: 'STEPS first' })).items.map(({ title }) => title)).toEqual([
    'First steps',
  ])
  const page = await list({ per_page: 2 })
  expect([page.items.length, page.next, page.total]).toEqual([2, '2', 4])
})
