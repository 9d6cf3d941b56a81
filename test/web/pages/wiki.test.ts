/** The pages of a wiki, as browsers without a script use them. */
import { expect, test } from 'bun:test'
import { archiveRepo } from '#features/repos/lifecycle/archive-repo.ts'
import { getWikiPage } from '#features/wiki/get-wiki-page.ts'
import { setWikiPage } from '#features/wiki/set-wiki-page.ts'
import { updateRepoSettings } from '#features/repos/settings/update-repo-settings.ts'
import { runForge } from '../../features/oauth/running.ts'
import { formOf } from './form-of.ts'

const REPO = 'acme/site'
const WIKI = `/${REPO}/wiki`

async function setUp() {
  const forge = await runForge()
  const ada = await forge.user('ada')
  await forge.user('rita')
  await forge.workspace('acme', { owner: ada })
  await forge.repo(REPO, { as: ada })
  return {
    forge,
    ada,
    browser: await forge.browser('ada'),
    visitor: await forge.browser(null),
    set: (title: string, body: string, slug = title.replaceAll(' ', '-')) =>
      forge.call(setWikiPage, ada, { repo: REPO, slug, title, body }),
    read: async (slug: string) => (await forge.call(getWikiPage, ada, { repo: REPO, slug })).body,
  }
}

test('the first page is created from the empty wiki, edited, renamed and deleted', async () => {
  const { browser, visitor, read } = await setUp()
  const empty = await browser.open(WIKI)
  expect(empty.html).toContain('No wiki pages yet')
  const first = /href="([^"]*wiki\/_new[^"]*title=Home[^"]*)"/.exec(empty.html)?.[1] ?? ''
  expect((await visitor.open(WIKI)).html).not.toContain('_new')

  const form = await browser.open(first.replaceAll('&amp;', '&'))
  const made = await browser.press(form.html, `${WIKI}/_new`, {
    body: 'Welcome to [[First steps]]',
  })
  expect([made.status, made.location]).toEqual([303, `${WIKI}/Home`])
  const home = await visitor.open(WIKI)
  expect(home.html).toContain(`/${REPO}/wiki/First-steps"`)
  expect(home.html).toContain('ada')

  const missing = await browser.open(`${WIKI}/First-steps`)
  expect([missing.status, missing.html.includes('Create this page')]).toEqual([404, true])
  expect((await visitor.open(`${WIKI}/First-steps`)).html).not.toContain('Create this page')

  const edit = await browser.open(`${WIKI}/_edit/Home`)
  const saved = await browser.press(edit.html, `${WIKI}/_edit/Home`, {
    title: 'Start',
    body: 'New',
    message: 'Rename it',
  })
  expect(saved.location).toBe(`${WIKI}/Start`)
  expect(await read('Start')).toBe('New\n')
  const history = await visitor.open(`${WIKI}/_history/Start`)
  for (const message of ['Rename it', 'Create Home']) expect(history.html).toContain(message)
  const change = /href="([^"]*\/_change\/[^"]*)"/.exec(history.html)?.[1] ?? ''
  expect((await visitor.open(change)).html).toContain('Welcome to')

  const again = await browser.open(`${WIKI}/_edit/Start`)
  const gone = await browser.press(again.html, `${WIKI}/_delete/Start`, {})
  expect([gone.status, gone.location]).toEqual([303, WIKI])
  expect((await browser.open(WIKI)).html).toContain('No wiki pages yet')
})

test('a page that somebody else saved meanwhile keeps both texts until its writer decides', async () => {
  const { browser, set, read } = await setUp()
  await set('Home', 'One')
  const edit = await browser.open(`${WIKI}/_edit/Home`)
  await set('Home', 'Theirs')
  const refused = await browser.press(edit.html, `${WIKI}/_edit/Home`, { body: 'Mine' })
  expect([
    refused.status,
    refused.html.includes('changed this page while you were writing'),
  ]).toEqual([422, true])
  expect(formOf(refused.html, `${WIKI}/_edit/Home`).get('body')).toEqual(['Mine'])
  expect(await read('Home')).toBe('Theirs\n')
  await browser.press(refused.html, `${WIKI}/_edit/Home`, { body: 'Mine' })
  expect(await read('Home')).toBe('Mine\n')
})

test('links, pictures and code of a page mean the wiki, and nothing in it runs', async () => {
  const { visitor, set, browser } = await setUp()
  await set(
    'Name',
    [
      '[[Home]] [[the start|Home#top]] `[[code]]` [other](Other.md) [up](../Home) ![p](img/a.png)',
      '```',
      '[[fenced]]',
      '```',
      '[[<script>alert(1)</script>]] <script>alert(2)</script>',
    ].join('\n'),
    'guides/Name',
  )
  const { html } = await visitor.open(`${WIKI}/guides/Name`)
  const body = html.slice(html.indexOf('class="md"'))
  for (const link of [
    `${WIKI}/Home"`,
    `${WIKI}/Home?at=top#user-content-top"`,
    `${WIKI}/guides/Other"`,
    `${WIKI}/_raw/guides/img/a.png"`,
  ])
    expect([link, body.includes(link)]).toEqual([link, true])
  expect(body).toContain('[[code]]')
  expect(body).toContain('[[fenced]]')
  expect(html).not.toContain('<script>alert')
  // Other spellings lead to the one address.
  const other = await visitor.open(`${WIKI}/guides/name`)
  expect([other.status, other.location]).toEqual([302, `${WIKI}/guides/Name`])
  const file = await visitor.open(`${WIKI}/_raw/guides/Name.md`)
  expect([file.status, file.headers.get('content-security-policy')?.includes('sandbox')]).toEqual([
    200,
    true,
  ])
  expect((await visitor.open(`${WIKI}/_raw/guides`)).status).toBe(404)
  const preview = await browser.open(`${WIKI}/_edit/guides/Name`)
  expect(preview.html).toContain('kind=wiki')
})

test('sidebar and footer surround every page; the list finds pages', async () => {
  const { visitor, set } = await setUp()
  await set('Home', 'One')
  await set('Sidebar', 'See [[Home]]', '_Sidebar')
  await set('Footer', 'The bakery’s footer', '_Footer')
  await set('Other page', 'Two')
  const { html } = await visitor.open(`${WIKI}/Other-page`)
  expect(html).toContain('The bakery’s footer')
  expect(html).toContain('See <a')
  const found = await visitor.open(`${WIKI}/_pages?q=other`)
  expect(found.html).toContain('Other-page')
  expect((await visitor.open(`${WIKI}/_pages?q=nothing`)).html).toContain('No page has this title')
})

test('readers, archived repositories and a wiki that is off offer no editor', async () => {
  const { forge, ada, browser, visitor, set } = await setUp()
  await set('Home', 'One')
  const reader = await forge.browser('rita')
  expect((await reader.open(`${WIKI}/Home`)).html).not.toContain('_edit')
  expect((await reader.open(`${WIKI}/_edit/Home`)).status).toBe(403)
  expect((await visitor.open(`${WIKI}/_edit/Home`)).location).toContain('/login')
  const settings = await browser.open(`/${REPO}/settings`)
  await browser.press(settings.html, `/${REPO}/settings/features`, { wiki_enabled: null })
  expect((await browser.open(WIKI)).status).toBe(404)
  expect((await browser.open(`/${REPO}`)).html).not.toContain(`href="${WIKI}"`)
  await forge.call(updateRepoSettings, ada, { repo: REPO, wiki_enabled: true })
  await forge.call(archiveRepo, ada, { repo: REPO })
  expect((await browser.open(`${WIKI}/Home`)).html).not.toContain('_edit')
  expect((await browser.open(`${WIKI}/_edit/Home`)).status).toBe(403)
})
