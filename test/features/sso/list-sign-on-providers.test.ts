import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import type { OidcProvider } from '#core/settings.ts'
import { listSignOnProviders } from '#features/sso/list-sign-on-providers.ts'
import { startSignOn } from '#features/sso/start-sign-on.ts'
import { makeWorld, refusal } from '../../world.ts'
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

test('providers are listed without their secrets; an unknown one is nothing, and one that does not answer is said to', async () => {
  const world = await open({ issuer: 'http://127.0.0.1:9' })
  const listed = await world.call(listSignOnProviders, anonymous, {})
  expect(listed).toEqual({
    passwords: 'everyone',
    providers: [
      { id: 'corp', name: 'Corp ID' },
      { id: 'other', name: 'Other' },
    ],
    directory: null,
    proxy: null,
  })
  expect((await refusal(world.call(startSignOn, anonymous, { provider: 'nope' }))).code).toBe(
    'not_found',
  )
  expect((await refusal(world.call(startSignOn, anonymous, { provider: 'corp' }))).code).toBe(
    'unavailable',
  )
})
