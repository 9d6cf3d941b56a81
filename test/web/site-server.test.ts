/** Who a visitor of the website is: the cookie of a sign-in, or a token in the header. */
import { expect, test } from 'bun:test'
import { issueToken } from '#features/accounts/index.ts'
import { PASSWORD, withPassword } from '../features/accounts/with-password.ts'
import { makeWorld } from '../world.ts'
import { browser, serveSite } from './visitor.ts'

const world = await makeWorld({ site_url: 'http://hearth.test' })
const site = serveSite(world)
const ada = await withPassword(world, 'ada')
await world.workspace('acme', { owner: ada })
await world.repo('acme/hidden', { as: ada, private: true })
await world.repo('acme/open', { as: ada })
const token = await world.write(
  (tx) =>
    issueToken(tx, {
      actor_id: ada.id,
      kind: 'user',
      name: 'reader',
      source: 'settings',
      scopes: null,
      repos: null,
      workspace_id: null,
      role: null,
      expires_at: null,
    }).secret,
)
const bearer = { headers: { authorization: `Bearer ${token}` } }

test('a token in the header shows its owner private pages, and others get 404', async () => {
  expect((await browser(site).get('/acme/hidden')).status).toBe(404)
  const shown = await browser(site).get('/acme/hidden', bearer)
  expect([shown.status, shown.text.includes('hidden')]).toEqual([200, true])
})

test('an invalid token is 401 and does not end the sign-in of the browser', async () => {
  const wrong = { headers: { authorization: 'Bearer hthu_wrong' } }
  for (const path of ['/acme/open', '/acme/hidden', '/settings/tokens']) {
    const refused = await browser(site).get(path, wrong)
    expect([refused.status, refused.location, refused.headers.get('www-authenticate')]).toEqual([
      401,
      null,
      'Bearer realm="hearth", error="invalid_token"',
    ])
  }
  const visitor = browser(site)
  await visitor.submit('/login', '/login', { login: 'ada', password: PASSWORD })
  expect((await visitor.get('/acme/hidden', wrong)).status).toBe(401)
  expect((await visitor.get('/acme/hidden')).status).toBe(200)
  // The password of a proxy in front is not taken for a token.
  expect(
    (await visitor.get('/acme/hidden', { headers: { authorization: 'Basic eDp5' } })).status,
  ).toBe(200)
})

test('a form requires the cookie of its page, so callers with a token cannot send one', async () => {
  const visitor = browser(site)
  const csrf = await visitor.token('/login')
  const before = world.hearth.db.one<{ n: number }>('SELECT count(*) AS n FROM workspaces')?.n
  for (const fields of [{ slug: 'bakery' }, { slug: 'bakery', csrf }] as Record<string, string>[]) {
    expect((await visitor.post('/workspaces/new', fields, bearer)).status).toBe(403)
    expect((await browser(site).post('/workspaces/new', fields, bearer)).status).toBe(403)
  }
  expect(world.hearth.db.one<{ n: number }>('SELECT count(*) AS n FROM workspaces')?.n).toBe(
    before ?? -1,
  )
})

test('the page of an error has whole sentences', async () => {
  const visitor = browser(site)
  await visitor.submit('/login', '/login', { login: 'ada', password: PASSWORD })
  const project = (await visitor.get('/acme/-/projects/none')).text
  expect(project).toContain('<p>The project none of acme does not exist, or you cannot see it.</p>')
  const repo = (await visitor.get('/acme/none')).text
  expect(repo).toContain('<p>The repository acme/none does not exist, or you cannot see it.</p>')
})
