/** The pages of a workspace's context, as browsers without a script use them. */
import { expect, test } from 'bun:test'
import { createIssue } from '#features/issues/create-issue.ts'
import { runForge } from '../../features/oauth/running.ts'

const PAGE = '/acme/-/context'

test('the page of an entity renders its text as where it was written', async () => {
  const forge = await runForge()
  const ada = await forge.user('ada')
  await forge.workspace('acme', { owner: ada })
  await forge.repo('acme/site', { as: ada })
  await forge.call(createIssue, ada, {
    repo: 'acme/site',
    title: 'Cold',
    body: '**Steps** <script>alert(1)</script>\n\n- [out](https://evil.example/x)\n',
  })
  await forge.commit('acme/site', 'main', {
    'docs/lamp.md': '# The lamp\n\nIt *burns*. See [oil](oil.md).\n',
    'lamp.c': '# define *lamp*\n',
  })
  const browser = await forge.browser('ada')
  const open = async (kind: string, id: string) =>
    (await browser.open(`${PAGE}/entity?kind=${kind}&id=${encodeURIComponent(id)}`)).html
  const issue = await open('issue', 'acme/site#1')
  expect(issue).toContain('<strong>Steps</strong>')
  expect(issue).not.toContain('<script>alert(1)')
  // Its author may be an agent, which strangers may have told what to link to.
  expect(issue).not.toContain('href="https://evil.example')
  const document = await open('doc', 'acme/site:docs/lamp.md')
  expect(document).toContain('<em>burns</em>')
  expect(document).toMatch(/\/acme\/site\/blob\/[0-9a-f]{40}\/docs\/oil\.md"/)
  expect(await open('doc', 'acme/site:lamp.c')).toContain('# define *lamp*')
})

test('members search the context, and open what they find with what it is related to', async () => {
  const forge = await runForge()
  const ada = await forge.user('ada')
  await forge.user('eve')
  await forge.workspace('acme', { owner: ada })
  await forge.repo('acme/site', { as: ada })
  await forge.call(createIssue, ada, { repo: 'acme/site', title: 'The oven <b>is</b> cold' })
  await forge.call(createIssue, ada, { repo: 'acme/site', title: 'Heat it', body: 'As in #1.' })
  await forge.jobs()
  const browser = await forge.browser('ada')
  expect((await browser.open('/acme')).html).toContain(`href="${PAGE}"`)
  expect((await browser.open(PAGE)).html).toContain('Enter words')
  const { html } = await browser.open(`${PAGE}?q=oven`)
  expect(html).toContain('The oven &lt;b&gt;is&lt;/b&gt; cold')
  const entity = `${PAGE}/entity?kind=issue&amp;id=acme%2Fsite%231`
  expect(html).toContain(entity)
  expect((await browser.open(`${PAGE}?q=oven&kind=doc`)).html).toContain('Nothing matches')
  expect((await browser.open(`${PAGE}?q=%21`)).html).toContain('query has no word to look for')
  const second = await browser.open(`${PAGE}/entity?kind=issue&id=acme%2Fsite%232`)
  expect(second.html).toContain(entity)
  expect((await browser.open(`${PAGE}/entity?kind=issue&id=acme%2Fsite%239`)).status).toBe(404)
  expect((await browser.open(`${PAGE}/entity?kind=planet&id=x`)).status).toBe(404)
  const outside = await forge.browser('eve')
  expect((await outside.open(`${PAGE}?q=oven`)).status).toBe(404)
})
