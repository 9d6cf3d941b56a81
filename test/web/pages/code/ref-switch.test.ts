/** The switch between branches and tags, as a browser without a script uses it. */
import { expect, test } from 'bun:test'
import { createBranch, createTag } from '#features/repos/index.ts'
import { runForge } from '../../../features/oauth/running.ts'
import { browserPage } from '../pulls/browser-page.ts'

const REPO = 'acme/site'
const forge = await runForge()
const ada = await forge.user('ada')
await forge.workspace('acme', { owner: ada })
await forge.repo(REPO, { as: ada })
await forge.commit(REPO, 'main', { 'docs/guide.md': '# Guide\n' })
await forge.call(createBranch, ada, { repo: REPO, branch: 'fix/oven', from: 'main' })
for (const tag of ['v1.2', 'v1.10', 'weekly'])
  await forge.call(createTag, ada, { repo: REPO, tag, target: 'main' })
const visitor = await forge.browser(null)

/** The names of the branches and tags that a page leads to, in their order. */
const namesIn = (html: string): string[] =>
  [...html.matchAll(/<span class="ref-name">([^<]+)<\/span>/g)].map(([, name = '']) => name)

test('it lists branches and the highest versions first, and leads to the same file', async () => {
  const { html } = await visitor.open(`/${REPO}/blob/main/docs/guide.md`)
  expect(namesIn(html)).toEqual(['main', 'fix/oven', 'v1.10', 'v1.2', 'weekly'])
  expect(html).toContain(`href="/${REPO}/blob/fix/oven/docs/guide.md?or=folder"`)
  expect(html).toContain(`href="/${REPO}/blob/main/docs/guide.md" aria-current="true"`)
})

test('its search is a page that keeps the place', async () => {
  const at = `/${REPO}/refs?q=OVEN&view=blob&path=docs%2Fguide.md&current=main`
  const { status, html } = await visitor.open(at)
  expect([status, namesIn(html)]).toEqual([200, ['fix/oven']])
  expect(html).toContain(`href="/${REPO}/blob/fix/oven/docs/guide.md?or=folder"`)
  expect(html).toContain('name="path" value="docs/guide.md"')
  const none = await visitor.open(`/${REPO}/refs?q=%3Cb%3E&view=nothing`)
  expect([none.status, namesIn(none.html)]).toEqual([200, []])
  expect(none.html).toContain('No branch or tag has &lt;b&gt; in its name.')
})

test('tags are listed by version, found by name and downloaded in both formats', async () => {
  const { html } = await visitor.open(`/${REPO}/tags`)
  expect([...html.matchAll(/row-link mono" href="[^"]+">([^<]+)</g)].map(([, at]) => at)).toEqual([
    'v1.10',
    'v1.2',
    'weekly',
  ])
  expect(html).toContain(`href="/${REPO}/archive/v1.2?format=tar.gz"`)
  const tar = await visitor.open(`/${REPO}/archive/v1.2?format=tar.gz`)
  expect([tar.status, tar.location?.includes('.tar.gz')]).toEqual([302, true])
  const found = await visitor.open(`/${REPO}/tags?q=week`)
  expect([found.html.includes('weekly</a>'), found.html.includes('>v1.2<')]).toEqual([true, false])
})

test('a private repository shows nobody else its names', async () => {
  await forge.repo('acme/secret', { as: ada, private: true })
  expect((await visitor.open('/acme/secret/refs?q=m')).status).toBe(404)
})

test('who may push creates the branch that was searched for, at the current one', async () => {
  const browser = await forge.browser('ada')
  const at = `/${REPO}/refs?q=warm&view=tree&current=fix%2Foven`
  const { html } = await browser.open(at)
  expect(html).toContain('Create branch warm from fix/oven')
  const made = await browser.press(html, `/${REPO}/branches`, {})
  expect(made.location).toBe(`/${REPO}/tree/warm`)
  expect(namesIn((await browser.open(`/${REPO}`)).html)).toContain('warm')
  // No offer for a branch that is there, for no name, and for those who may not push.
  for (const q of ['warm', '', '%3Cb%3E', 'a%20b'])
    expect((await browser.open(`/${REPO}/refs?q=${q}&current=main`)).html).not.toContain(
      'Create branch',
    )
  expect((await visitor.open(`/${REPO}/refs?q=cold`)).html).not.toContain('Create branch')
})

test('the branch of an older search cannot be created while a newer one is on its way', async () => {
  const { page, problems } = await browserPage(forge, 'ada')
  await page.goto(`${forge.url}/${REPO}`)
  await page.click('.ref-menu > summary')
  const create = page.locator('.ref-menu .ref-create button')
  await page.locator('.ref-menu [type=search]').pressSequentially('wa')
  await create.filter({ hasText: 'Create branch wa from' }).waitFor()
  await page.route('**/refs?*', async (route) => {
    await Bun.sleep(300)
    await route.continue()
  })
  await page.locator('.ref-menu [type=search]').pressSequentially('rmer')
  expect(await create.isDisabled()).toBe(true)
  await create.filter({ hasText: 'Create branch warmer from' }).click()
  await page.waitForURL(/tree\/warmer$/)
  expect(problems).toEqual([])
})
