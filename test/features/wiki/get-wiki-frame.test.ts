import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { getWikiFrame } from '#features/wiki/get-wiki-frame.ts'
import { makeWikiWorld, REPO } from './fixture.ts'

test('sidebar and footer surround the pages and are none of them', async () => {
  const { world, otto, set } = await makeWikiWorld()
  const frame = () => world.call(getWikiFrame, anonymous, { repo: REPO })
  expect(await frame()).toEqual({ sidebar: null, footer: null, pages: [], total: 0 })
  await set(otto, 'Home', 'One')
  await set(otto, 'Sidebar', '[[Home]]', { slug: '_Sidebar' })
  await set(otto, 'Footer', 'Bye', { slug: '_Footer' })
  const { sidebar, footer, pages, total } = await frame()
  expect([sidebar, footer, pages.map(({ slug }) => slug), total]).toEqual([
    '[[Home]]\n',
    'Bye\n',
    ['Home'],
    1,
  ])
})
