/** The page of memories, as browsers without a script use it. */
import { expect, test } from 'bun:test'
import { recall } from '#features/memory/recall.ts'
import { runForge } from '../../features/oauth/running.ts'

const PAGE = '/acme/site/memory'
const REPO = { repo: 'acme/site' }

async function setUp() {
  const forge = await runForge()
  const ada = await forge.user('ada')
  const bob = await forge.user('bob')
  await forge.workspace('acme', { owner: ada, members: [bob] })
  await forge.repo('acme/site', { as: ada })
  await forge.commit('acme/site', 'main', { 'src/oven.ts': 'heat\n' })
  return { forge, ada, bob, browser: await forge.browser('ada') }
}

test('a memory is added, edited, pinned and forgotten; a refused form keeps what was typed', async () => {
  const { forge, ada, browser } = await setUp()
  const empty = await browser.open(PAGE)
  expect(empty.html).toContain('No memories yet')
  const typed = { text: 'The oven <b>heats</b>', kind: 'gotcha', scope: 'project' }
  const refused = await browser.press(empty.html, PAGE, { ...typed, paths: 'src/none.ts' })
  expect([refused.status, refused.html.includes('value="src/none.ts"')]).toEqual([422, true])
  expect(refused.html).toContain('the default branch has no file src/none.ts')
  await browser.press(empty.html, PAGE, { ...typed, paths: 'src/oven.ts' })
  const list = async () => (await forge.call(recall, ada, REPO)).project
  const [made] = await list()
  expect(made).toMatchObject({ kind: 'gotcha', paths: [{ path: 'src/oven.ts', state: 'current' }] })
  await forge.commit('acme/site', 'main', { 'src/oven.ts': 'cool\n' })
  const { html } = await browser.open(PAGE)
  expect(html).toContain('The oven &lt;b&gt;heats&lt;/b&gt;')
  expect(html).toContain('changed since')
  const id = made?.id ?? ''
  await browser.press(html, `${PAGE}/pin`, { id, pinned: 'true' })
  await browser.press(html, `${PAGE}/edit`, { id, text: 'It cools', kind: 'fact', paths: '' })
  expect(await list()).toMatchObject([{ text: 'It cools', kind: 'fact', pinned: true, paths: [] }])
  const none = await browser.open(`${PAGE}?q=steam`)
  expect(none.html).toContain('No memory matches')
  await browser.press(html, `${PAGE}/forget`, { id })
  expect(await list()).toEqual([])
})

test('readers see no forms, and members find the page in the tabs', async () => {
  const { forge, browser } = await setUp()
  const member = await forge.browser('bob')
  expect((await member.open('/acme/site')).html).toContain(`href="${PAGE}"`)
  await forge.user('eve')
  const reader = await forge.browser('eve')
  const { html } = await browser.open(PAGE)
  await browser.press(html, PAGE, { text: 'Seen by all', kind: 'fact', scope: 'project' })
  const seen = await reader.open(PAGE)
  expect([seen.status, seen.html.includes('Seen by all')]).toEqual([200, true])
  for (const offered of [`${PAGE}/`, 'Add memory']) expect(seen.html).not.toContain(offered)
  expect((await (await forge.browser(null)).open(PAGE)).status).not.toBe(200)
})
