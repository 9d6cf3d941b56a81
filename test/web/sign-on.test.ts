/** Signing in through a provider, as a browser does it: page, provider, and back. */
import { expect, test } from 'bun:test'
import type { OidcProvider } from '#core/settings.ts'
import { startProvider } from '../features/sso/provider.ts'
import { PASSWORD, withPassword } from '../features/accounts/with-password.ts'
import { makeWorld } from '../world.ts'
import { browser, listen, serveSite } from './visitor.ts'

const listening = listen()
const url = listening.server.url
const corp = await startProvider([`${url}/login/sso/corp/callback`])
const provider: OidcProvider = {
  id: 'corp',
  name: 'Corp ID',
  issuer: corp.issuer,
  client_id: 'hearth',
  client_secret: 'a-secret-of-the-provider',
  scopes: ['profile', 'email'],
  username_claim: 'preferred_username',
  groups_claim: 'groups',
  sign_up: true,
  link_by_email: false,
  trust_email: true,
  groups: [],
}
const world = await makeWorld({
  site_url: url,
  sign_up: 'sso_only',
  sso: { passwords: 'administrators', oidc: [provider], ldap: null, header: null },
})
const site = serveSite(world, listening)
await world.user('root', { site_admin: true })
corp.put({ sub: 'e1', email: 'ada@corp.example', email_verified: true, preferred_username: 'ada' })

test('the button signs in through the provider and returns to the requested page', async () => {
  const visitor = browser(site)
  const page = await visitor.get('/login?next=/settings/security')
  expect(page.text).toContain('Sign in with Corp ID')
  expect(page.text).toContain('href="/login/sso/corp?next=%2Fsettings%2Fsecurity"')
  const away = await visitor.get('/login/sso/corp?next=%2Fsettings%2Fsecurity')
  expect(away.status).toBe(302)
  const back = await corp.visit(away.location ?? '', 'e1')
  expect(back.origin).toBe(url)
  const done = await visitor.get(back.pathname + back.search)
  expect([done.status, done.location]).toEqual([303, '/settings/security'])
  expect(visitor.jar.has('hearth-sign-on')).toBe(false)
  const security = await visitor.get('/settings/security')
  expect(security.text).toContain('Your account has no password')
  expect(security.text).toContain('Corp ID')
  // The same answer again, and in another browser, opens nothing.
  for (const other of [browser(site), visitor]) {
    other.jar.delete('hearth')
    expect((await other.get(back.pathname + back.search)).status).toBe(422)
    expect(other.jar.has('hearth')).toBe(false)
  }
})

test('a signed-in user links an account, which a link alone cannot start', async () => {
  const bob = await withPassword(world, 'bob')
  corp.put({
    sub: 'e2',
    email: 'bob@corp.example',
    email_verified: true,
    preferred_username: 'bob',
  })
  const visitor = browser(site)
  // Passwords are for administrators here; bob came in before that was so.
  expect(
    (await visitor.submit('/login', '/login', { login: 'bob', password: PASSWORD })).status,
  ).toBe(422)
  const { createSignIn } = await import('#features/accounts/index.ts')
  const { nowhere } = await import('#core/audit.ts')
  const { secret } = await world.write((tx) =>
    createSignIn(tx, bob, { method: 'password', origin: nowhere }),
  )
  visitor.jar.set('hearth', secret ?? '')
  expect((await visitor.get('/settings/security/link')).status).toBe(404)
  const shown = await visitor.submit('/settings/security', '/settings/security/link', {
    provider: 'corp',
  })
  const href =
    /href="(http:\/\/127\.0\.0\.1:\d+\/auth[^"]+)"/
      .exec(shown.text)?.[1]
      ?.replaceAll('&amp;', '&') ?? ''
  const back = await corp.visit(href, 'e2')
  const done = await visitor.get(back.pathname + back.search)
  expect([done.status, done.location]).toEqual([303, '/settings/security'])
  expect((await visitor.get('/settings/security')).text).toContain('bob@corp.example')
})

test("the sign-in page keeps the administrators' way in, and signing up leads to the provider", async () => {
  const page = await browser(site).get('/login')
  expect(page.text).toContain('Sign in with a password (administrators)')
  expect((await browser(site).get('/register')).text).toContain('Sign in through your organization')
  expect((await browser(site).get('/login/sso/none')).status).toBe(404)
})
