/** Pages that somebody new comes to lead on, and their words are in the reader's language. */
import { expect, test } from 'bun:test'
import { createPull } from '#features/pulls/index.ts'
import { runForge } from '../../features/oauth/running.ts'

const forge = await runForge()
const ada = await forge.user('ada')
await forge.workspace('acme', { owner: ada })
await forge.repo('acme/site', { as: ada })
const browser = await forge.browser('ada')
const visitor = await forge.browser(null)

test('a visitor signs in where nothing is shown, and comes back; whoever signed in does not', async () => {
  const path = '/acme/nothing?tab=1'
  const missing = await visitor.open(path)
  expect([missing.status, missing.html]).toEqual([404, expect.anything()])
  const way = `href="/login?next=${encodeURIComponent(path)}"`
  expect(missing.html.split('<main')[1]).toContain(way)
  expect((await browser.open(path)).html).not.toContain(way)
})

test('an empty repository leads from releases to the first push, and has no first workflow yet', async () => {
  const releases = await browser.open('/acme/site/releases')
  expect(releases.html).toContain('A release needs a commit. <a href="/acme/site">')
  expect((await browser.open('/acme/site/runs')).html).not.toContain('New workflow')
})

test('whoever may write starts a workflow and CODEOWNERS from their pages; others do not', async () => {
  await forge.commit('acme/site', 'main', { 'a.txt': 'a' }, { as: ada })
  const runs = await browser.open('/acme/site/runs')
  const [, address = ''] =
    /href="(\/acme\/site\/new\/main\?path=[^"]*)"/.exec(runs.html.replaceAll('&amp;', '&')) ?? []
  const started = await browser.open(address)
  expect(started.html).toContain('value=".hearth/workflows/test.yml"')
  expect(started.html).toContain('runs-on: ubuntu-latest')
  const owners = await browser.open('/acme/site/code-owners')
  expect(owners.html).toContain('/acme/site/new/main?path=CODEOWNERS')
  // A file of another kind begins empty.
  expect((await browser.open('/acme/site/new/main?path=CODEOWNERS')).html).not.toContain('runs-on')
  expect((await browser.open('/acme/site')).html).toContain('href="/acme/site/runs"')
  expect((await visitor.open('/acme/site')).html).not.toContain('href="/acme/site/runs"')
})

test('the files of a fork lead back to their pull request', async () => {
  const { pull } = await forge.call(createPull, ada, { repo: 'acme/site', title: 'Two' })
  const files = await browser.open(`/acme/site/pull/${pull.number}/tree/main`)
  expect(files.html).toMatch(new RegExp(`<a class="btn[^>]*href="/acme/site/pull/${pull.number}"`))
})

test('roles are chosen in the language of the reader', async () => {
  const german = await forge.browser('ada')
  const appearance = '/settings/appearance'
  await german.press((await german.open(appearance)).html, appearance, { locale: 'de' })
  const page = await german.open('/acme/site/settings/collaborators')
  expect(page.html).toContain('Write: pushen und reviewen')
  expect(page.html).not.toContain('Write: push and review')
})
