/** The list of repositories of a workspace: its search, filters and order, without a script. */
import { expect, test } from 'bun:test'
import { archiveRepo } from '#features/repos/index.ts'
import { runForge } from '../../features/oauth/running.ts'

async function setUp() {
  const forge = await runForge()
  const ada = await forge.user('ada')
  await forge.workspace('acme', { owner: ada })
  await forge.repo('acme/oven', { as: ada })
  await forge.repo('acme/attic', { as: ada })
  await forge.repo('acme/secret', { as: ada, private: true })
  await forge.call(archiveRepo, ada, { repo: 'acme/attic' })
  const names = async (as: string | null, query: string) => {
    const { html } = await (await forge.browser(as)).open(`/acme${query}`)
    return [...html.matchAll(/class="row-link" href="\/acme\/([a-z]+)"/g)].map(([, name]) => name)
  }
  return { forge, names }
}

test('the repositories of a workspace are found by name, and archived ones alone', async () => {
  const { names } = await setUp()
  expect(await names('ada', '?sort=name')).toEqual(['attic', 'oven', 'secret'])
  expect(await names('ada', '?q=OVE')).toEqual(['oven'])
  expect(await names('ada', '?archived=1')).toEqual(['attic'])
  expect(await names('ada', '?archived=1&q=oven')).toEqual([])
  expect(await names(null, '?sort=name')).toEqual(['attic', 'oven'])
})

test('a visitor whose search finds nothing stays in the workspace', async () => {
  const { forge } = await setUp()
  const visitor = await forge.browser(null)
  const page = await visitor.open('/acme?q=secret')
  expect([page.status, page.html.includes('No repositories match')]).toEqual([200, true])
  expect(page.html).toContain('value="secret"')
  expect((await visitor.open('/nobody?q=secret')).status).toBe(404)
})

test('each filter keeps the others', async () => {
  const { forge } = await setUp()
  const { html } = await (await forge.browser('ada')).open('/acme?q=o&archived=1&sort=name')
  expect(html).toContain('href="/acme?q=o&amp;sort=name"')
  expect(html).toContain('href="/acme?q=o&amp;archived=1&amp;sort=created"')
  expect(html).toContain('<input type="hidden" name="archived" value="1">')
  expect(html).toContain('<input type="hidden" name="sort" value="name">')
})
