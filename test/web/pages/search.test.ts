/** The pages of the search, as browsers without a script use them. */
import { expect, test } from 'bun:test'
import { createIssue } from '#features/issues/create-issue.ts'
import { withQualifier } from '#web/pages/search/qualifiers.ts'
import { runForge } from '../../features/oauth/running.ts'

const forge = await runForge()
const ada = await forge.user('ada')
await forge.workspace('acme', { owner: ada })
await forge.repo('acme/site', { as: ada })
await forge.repo('acme/vault', { as: ada, private: true })
const sha = await forge.commit('acme/site', 'main', {
  'src/<b>.ts': 'const lantern = "<script>alert(1)</script>"\n',
  'deep/b.md': 'lantern\n',
})
await forge.commit('acme/vault', 'main', { 'a.txt': 'lantern vaulted\n' })
await forge.call(createIssue, ada, { repo: 'acme/site', title: 'A <i>lantern</i>', body: 'Lit.' })
await forge.jobs()
const visitor = await forge.browser(null)
const browser = await forge.browser('ada')

const plain = (html: string): string => html.replace(/<[^>]+>/g, '')

test('the search shows types with their counts, marks what matched, and links to lines', async () => {
  const { status, html } = await visitor.open('/search?q=lantern&type=code')
  expect(status).toBe(200)
  expect(html).toContain(
    'const <mark>lantern</mark> = &#34;&lt;script&gt;'.replaceAll(
      '&#34;',
      html.includes('&#34;') ? '&#34;' : html.includes('&quot;') ? '&quot;' : '"',
    ),
  )
  expect(html).not.toContain('<script>alert')
  expect(html).toContain(`/acme/site/blob/${sha}/src/%3Cb%3E.ts?from=1#L1`)
  expect(html).not.toContain('vaulted')
  expect(plain(html)).toMatch(/Code\s*2\s*Issues\s*1/)
  expect((await browser.open('/search?q=lantern&type=code')).html).toContain('vaulted')
})

test('without a chosen type, one with results is shown', async () => {
  const { html } = await visitor.open('/search?q=lantern')
  expect(html).toContain('<mark>lantern</mark>')
  expect((await visitor.open('/search?q=lantern&type=people')).html).toContain('Nothing found')
})

test('the search of a repository stays in it, and a private one is a 404', async () => {
  const { status, html } = await visitor.open('/acme/site/search?q=lantern')
  expect(status).toBe(200)
  expect(html).toContain('deep/b.md')
  expect(html).toContain('action="/acme/site/search"')
  expect((await visitor.open('/acme/vault/search?q=lantern')).status).toBe(404)
  expect((await browser.open('/acme/vault/search?q=lantern')).html).toContain('vaulted')
})

test('an invalid expression is shown beside the field, and an empty search shows help', async () => {
  const { status, html } = await visitor.open(`/search?q=${encodeURIComponent('regex:/(/')}`)
  expect(status).toBe(200)
  expect(html).toContain('This cannot be searched')
  expect((await visitor.open('/search')).html).toContain('symbol:parse')
})

test('explore filters by language and topic, and the switcher lists visible repositories', async () => {
  expect((await visitor.open('/explore')).html).toContain('/acme/site')
  expect((await visitor.open('/explore?language=Zig')).html).toContain('No repositories match')
  const list = async (who: typeof visitor) =>
    (JSON.parse((await who.open('/-/jump?q=vau')).html) as { items: { path: string }[] }).items.map(
      ({ path }) => path,
    )
  expect(await list(visitor)).toEqual(['/search?q=vau'])
  expect(await list(browser)).toEqual(['/acme/vault', '/search?q=vau'])
  expect((await visitor.open('/-/jump?q=x&repo=nonsense')).status).toBe(200)
})

test('a link sets one qualifier of its kind, and removes it again', () => {
  expect(withQualifier('a "b c" is:open', 'is:closed')).toEqual({
    text: 'a "b c" is:closed',
    on: false,
  })
  expect(withQualifier('a is:closed label:"x y"', 'is:closed')).toEqual({
    text: 'a label:"x y"',
    on: true,
  })
  expect(withQualifier('a regex:/b c\\/d/', 'case:yes')).toEqual({
    text: 'a regex:/b c\\/d/ case:yes',
    on: false,
  })
})
