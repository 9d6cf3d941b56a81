import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import type { OidcProvider } from '#core/settings.ts'
import { startSignOn } from '#features/sso/start-sign-on.ts'
import { makeWorld } from '../../world.ts'
import { startProvider } from './provider.ts'

const CALLBACK = 'https://hearth.test/login/sso/corp/callback'
const corp = await startProvider([CALLBACK, 'https://hearth.test/login/sso/other/callback'])
const settings = (change: Partial<OidcProvider> = {}): OidcProvider => ({
  id: 'corp',
  name: 'Corp ID',
  issuer: corp.issuer,
  client_id: 'hearth',
  client_secret: 'a-secret-of-the-provider',
  scopes: ['openid', 'profile', 'email'],
  username_claim: 'preferred_username',
  groups_claim: 'groups',
  sign_up: true,
  link_by_email: false,
  trust_email: true,
  groups: [],
  ...change,
})
const open = async (change: Partial<OidcProvider> = {}) => {
  const world = await makeWorld({
    sign_up: 'sso_only',
    sso: {
      passwords: 'everyone',
      ldap: null,
      header: null,
      oidc: [settings(change), settings({ id: 'other', name: 'Other' })],
    },
  })
  await world.user('root', { site_admin: true })
  return world
}

test('the address asks for PKCE by S256, a state and a nonce of its own each time', async () => {
  const world = await open()
  const [one, two] = await Promise.all(
    [1, 2].map(
      async () => new URL((await world.call(startSignOn, anonymous, { provider: 'corp' })).url),
    ),
  )
  expect(one?.searchParams.get('code_challenge_method')).toBe('S256')
  expect(one?.searchParams.get('redirect_uri')).toBe(CALLBACK)
  for (const name of ['state', 'nonce', 'code_challenge']) {
    expect(one?.searchParams.get(name)).toMatch(/^[\w-]{43}$/)
    expect(one?.searchParams.get(name)).not.toBe(two?.searchParams.get(name) ?? null)
  }
})
