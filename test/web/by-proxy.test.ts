/** A proxy that names people, as browsers behind it and strangers beside it meet the site. */
import { expect, test } from 'bun:test'
import type { HeaderSignOn } from '#core/settings.ts'
import { PASSWORD, withPassword } from '../features/accounts/with-password.ts'
import { makeWorld } from '../world.ts'
import { browser, serveSite } from './visitor.ts'

const header: HeaderSignOn = {
  id: 'header',
  name: 'Corp sign-in',
  username_header: 'x-remote-user',
  id_header: null,
  name_header: null,
  email_header: 'x-remote-email',
  groups_header: 'x-remote-groups',
  groups_separator: ',',
  sign_up: true,
  link_by_email: false,
  trust_email: true,
  groups: [{ group: 'staff', workspace: 'acme', team: null, role: 'member' }],
}
const forge = async (trusted_proxies: string[], change: Partial<HeaderSignOn> = {}) => {
  const world = await makeWorld({
    site_url: 'http://hearth.test',
    trusted_proxies,
    sso: { passwords: 'everyone', oidc: [], ldap: null, header: { ...header, ...change } },
  })
  const root = await world.user('root', { site_admin: true })
  await world.workspace('acme', { owner: root })
  await world.repo('acme/secret', { as: root, private: true })
  return { world, site: serveSite(world) }
}
const as = (username: string, more: Record<string, string> = {}) => ({
  headers: {
    accept: 'text/html,*/*',
    'x-remote-user': username,
    'x-remote-email': `${username}@corp.example`,
    ...more,
  },
})

const trusted = await forge(['127.0.0.1'])
const untrusted = await forge(['10.0.0.0/8'])

test('a user of the proxy is signed in on the first page, with the rights of their groups', async () => {
  const visitor = browser(trusted.site)
  const first = await visitor.get('/acme/secret?x=1', as('ada', { 'x-remote-groups': 'staff' }))
  expect([first.status, first.location]).toEqual([303, '/acme/secret?x=1'])
  expect(
    (await visitor.get('/acme/secret', as('ada', { 'x-remote-groups': 'staff' }))).status,
  ).toBe(200)
  expect(trusted.world.hearth.db.all(`SELECT 1 FROM sign_ins`)).toHaveLength(1)
  // The sign-in page leads on to where they wanted to go, and nowhere else.
  expect((await browser(trusted.site).get('/login?next=/acme/secret', as('ada'))).location).toBe(
    '/acme/secret',
  )
  expect(
    (await browser(trusted.site).get('/login?next=https://evil.example/', as('ada'))).location,
  ).toBe('/')
})

test('the proxy signs in browsers only, not fetched pages, REST, tools or git', async () => {
  const { world, site } = trusted
  const before = world.hearth.db.all('SELECT 1 FROM sign_ins').length
  const sent = { 'x-remote-user': 'ada', accept: 'application/json' }
  for (const path of [
    '/api/v1/user',
    '/acme/secret.git/info/refs?service=git-upload-pack',
    '/api/v1/repos/acme/secret',
  ]) {
    expect([
      path,
      [401, 404].includes((await fetch(site.url + path, { headers: sent })).status),
    ]).toEqual([path, true])
  }
  expect(
    (
      await fetch(`${site.url}/mcp`, {
        method: 'POST',
        body: '{}',
        headers: { ...sent, 'content-type': 'application/json' },
      })
    ).status,
  ).toBe(401)
  expect(
    (await fetch(`${site.url}/acme/secret`, { headers: sent, redirect: 'manual' })).headers.get(
      'set-cookie',
    ),
  ).not.toContain('hearth=')
  expect(world.hearth.db.all('SELECT 1 FROM sign_ins')).toHaveLength(before)
})

test('headers from any other address are ignored', async () => {
  const { world, site } = untrusted
  const dressed: Record<string, string>[] = [
    {},
    { 'x-forwarded-for': '10.0.0.1' },
    { 'x-forwarded-for': '127.0.0.1, 10.0.0.1' },
    { forwarded: 'for=10.0.0.1' },
    { 'x-real-ip': '10.0.0.1' },
    { 'x-remote-groups': 'staff' },
    { via: '1.1 10.0.0.1', 'true-client-ip': '10.0.0.1' },
  ]
  for (const more of dressed) {
    const visitor = browser(site)
    const page = await visitor.get('/acme/secret', as('root', more))
    expect([
      more,
      page.status,
      visitor.jar.has('hearth'),
      visitor.jar.has('hearth-pending'),
    ]).toEqual([more, 404, false, false])
    expect((await visitor.get('/login', as('root', more))).status).toBe(200)
  }
  for (const table of ['sign_ins', 'pending_sign_ins', 'identities'])
    expect(world.hearth.db.all(`SELECT 1 FROM ${table}`)).toEqual([])
  // Nor can a stranger link such a name to an account that they have.
  const eve = await withPassword(world, 'eve')
  const visitor = browser(site)
  await visitor.submit('/login', '/login', { login: eve.username, password: PASSWORD })
  expect((await visitor.get('/settings/security', as('root'))).text).not.toContain('Corp sign-in')
  const csrf = await visitor.token('/settings/security')
  expect(
    (await visitor.post('/settings/security/link', { csrf, provider: 'header' }, as('root')))
      .status,
  ).toBe(404)
  expect(world.hearth.db.all('SELECT 1 FROM identities')).toEqual([])
})

test("an administrator can sign in with a password in place of the proxy's user", async () => {
  const { world, site } = await forge(['127.0.0.1'], { sign_up: false })
  await withPassword(world, 'chief')
  const visitor = browser(site)
  const page = await visitor.get('/login', as('nobody'))
  expect([page.status, page.text.includes('Corp sign-in could not sign you in')]).toEqual([
    200,
    true,
  ])
  expect((await visitor.get('/', as('nobody'))).status).toBe(200)
  expect(
    (await visitor.submit('/login', '/login', { login: 'chief', password: PASSWORD })).status,
  ).toBe(303)
  expect((await visitor.get('/settings/security', as('nobody'))).text).toContain('Security')
  // And links the name, so that it signs them in from then on.
  const csrf = await visitor.token('/settings/security')
  expect(
    (await visitor.post('/settings/security/link', { csrf, provider: 'header' }, as('nobody')))
      .status,
  ).toBe(303)
  expect((await visitor.get('/settings/security', as('nobody'))).text).toContain('Corp sign-in')
  const other = browser(site)
  expect((await other.get('/settings/security', as('nobody'))).status).toBe(303)
  expect((await other.get('/settings/security', as('nobody'))).status).toBe(200)
})

test('no log line has the headers of the proxy', async () => {
  expect(trusted.site.lines.length).toBeGreaterThan(0)
  expect(trusted.site.lines.join('')).not.toContain('ada@corp.example')
})
