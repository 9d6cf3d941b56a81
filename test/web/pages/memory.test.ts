/** The page of memories, as browsers without a script use it. */
import { expect, test } from 'bun:test'
import { createAgent } from '#features/agents/index.ts'
import { recall } from '#features/memory/recall.ts'
import { remember } from '#features/memory/remember.ts'
import { createPull, markPullReady, mergePull } from '#features/pulls/index.ts'
import { createBranch } from '#features/repos/index.ts'
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
  expect(refused.html).toMatch(
    /id="field-paths-error">.*The default branch has no file src\/none\.ts/s,
  )
  expect(refused.html).not.toContain('role="alert"')
  await browser.press(empty.html, PAGE, { ...typed, paths: 'src/oven.ts' })
  const list = async () => (await forge.call(recall, ada, REPO)).project
  const [made] = await list()
  expect(made).toMatchObject({ kind: 'gotcha', paths: [{ path: 'src/oven.ts', state: 'current' }] })
  await forge.commit('acme/site', 'main', { 'src/oven.ts': 'cool\n' })
  const { html } = await browser.open(PAGE)
  expect(html).toContain('<p class="written-text" dir="auto">The oven &lt;b&gt;heats&lt;/b&gt;')
  expect(html).toContain('changed since')
  const id = made?.id ?? ''
  await browser.press(html, `${PAGE}/pin`, { id, pinned: 'true' })
  expect(html).not.toContain(`${PAGE}/edit`)
  const editing = await browser.open(`${PAGE}?edit=${id}`)
  const changed = { id, text: 'It cools', kind: 'fact', paths: '' }
  const again = await browser.press(editing.html, `${PAGE}/edit`, { ...changed, text: ' ' })
  expect(again.status).toBe(422)
  await browser.press(again.html, `${PAGE}/edit`, changed)
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

test('a merged pull request offers what its agent learned, and a form for people', async () => {
  const { forge, ada, browser } = await setUp()
  await forge.call(createBranch, ada, { ...REPO, branch: 'fix', from: 'main' })
  await forge.commit('acme/site', 'fix', { 'src/oven.ts': 'cool\n' })
  const { pull } = await forge.call(createPull, ada, { ...REPO, branch: 'fix', title: 'Fix' })
  const { number } = pull
  const { token } = await forge.call(createAgent, ada, { ...REPO, name: 'helper', pull: number })
  const helper = forge.hearth.callers.byToken(token.secret ?? '')
  if (helper?.kind !== 'agent') throw new Error('the agent has a token')
  await forge.call(remember, helper, { ...REPO, text: 'The oven is slow' })
  await forge.call(remember, helper, { ...REPO, text: 'The oven is red' })
  await forge.call(markPullReady, ada, { ...REPO, number, summary: 'Done' })
  const here = `/acme/site/pull/${number}`
  expect((await browser.open(here)).html).not.toContain('An agent learned something here')
  await forge.call(mergePull, ada, { ...REPO, number })
  const { html } = await browser.open(here)
  expect(html).toContain('An agent learned something here')
  const list = async () => (await forge.call(recall, ada, { ...REPO, pull: number })).project
  const [red, slow] = await list()
  const kept = await browser.press(html, `${PAGE}/keep`, {
    id: slow?.id ?? '',
    pull: String(number),
  })
  expect(kept.location).toBe(here)
  expect((await browser.open(here)).html).toContain('An agent learned something here')
  await browser.press(html, `${PAGE}/forget`, {
    id: red?.id ?? '',
    pull: String(number),
  })
  expect((await browser.open(here)).html).not.toContain('An agent learned something here')
  const typed = { text: 'Cool it first', kind: 'gotcha' }
  const refused = await browser.press(html, `${here}/memory`, { ...typed, paths: 'src/none.ts' })
  expect(refused.status).toBe(422)
  for (const kept of ['Cool it first', 'value="src/none.ts"', 'has no file src/none.ts'])
    expect(refused.html).toContain(kept)
  expect(refused.html).toContain(`action="${here}/memory"`)
  const added = await browser.press(refused.html, `${here}/memory`, { ...typed, paths: '' })
  expect(added.location).toBe(here)
  expect(await list()).toMatchObject([
    { text: 'Cool it first', kind: 'gotcha', pull: number },
    { text: 'The oven is slow', reviewed: true },
  ])
  await forge.user('eve')
  const seen = await (await forge.browser('eve')).open(here)
  for (const offered of ['Memories from this change', 'Remember something'])
    expect(seen.html).not.toContain(offered)
})

test('members remember something for all repositories on the page of the workspace', async () => {
  const { forge, ada, browser } = await setUp()
  const here = '/acme/-/memory'
  const { html } = await browser.open(here)
  expect(html).toContain('No memories yet')
  const refused = await browser.press(html, here, { text: ' ', kind: 'decision' })
  expect([refused.status, refused.html.includes('field-error')]).toEqual([422, true])
  const added = await browser.press(html, here, { text: 'We bake at night', kind: 'decision' })
  expect(added.location).toBe(here)
  expect((await browser.open(here)).html).toContain('We bake at night')
  const { project, workspace } = await forge.call(recall, ada, REPO)
  expect([project, workspace]).toMatchObject([[], [{ kind: 'decision', scope: 'workspace' }]])
})
