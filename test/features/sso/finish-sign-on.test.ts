import { expect, test } from 'bun:test'
import { anonymous, type Caller } from '#core/caller.ts'
import type { OidcProvider } from '#core/settings.ts'
import { addEmail } from '#features/accounts/emails/add-email.ts'
import { getSecurity } from '#features/accounts/two-factor/get-security.ts'
import { removeIdentity } from '#features/accounts/sign-in/remove-identity.ts'
import { suspendUser } from '#features/accounts/administration/suspend-user.ts'
import { finishSignOn } from '#features/sso/finish-sign-on.ts'
import { startSignOn } from '#features/sso/start-sign-on.ts'
import { findUser } from '#features/accounts/index.ts'
import { whoami } from '#features/workspaces/whoami.ts'
import { MINUTE } from '#lib/time.ts'
import { makeWorld, refusal, type World } from '../../world.ts'
import { auditedActions } from '../accounts/audited.ts'
import { sentMails } from '../accounts/mailbox.ts'
import { PASSWORD, withPassword } from '../accounts/with-password.ts'
import { startProvider } from './provider.ts'
import { spoil } from '../../spoil.ts'

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
/** Runs a complete sign-on in one browser. */
async function enter(
  world: World,
  sub: string,
  as: Caller = anonymous,
  options: { next?: string; link?: boolean } = {},
) {
  const { url, attempt } = await world.call(startSignOn, as as never, {
    provider: 'corp',
    ...options,
  })
  const back = await corp.visit(url, sub)
  return world.call(finishSignOn, as as never, { provider: 'corp', attempt, query: back.search })
}

test('a user of the provider gets an account, and the same one the next time', async () => {
  const world = await open()
  corp.put({
    sub: 'p1',
    email: 'Ada@Corp.Example',
    email_verified: true,
    preferred_username: 'Ada.Lovelace',
    name: 'Ada Lovelace',
  })
  const { sign_in, next } = await enter(world, 'p1', anonymous, { next: '/acme' })
  expect(next).toBe('/acme')
  const caller = world.hearth.callers.bySignIn(sign_in?.secret ?? '')
  expect(await world.call(whoami, caller as never, {})).toMatchObject({
    username: 'ada-lovelace',
    name: 'Ada Lovelace',
    email: 'ada@corp.example',
    verified: true,
    site_admin: false,
  })
  // A changed name and address at the provider keep the same account.
  corp.put({
    sub: 'p1',
    email: 'ada@other.example',
    email_verified: true,
    preferred_username: 'lovelace',
  })
  const again = await enter(world, 'p1')
  expect(again.sign_in?.user.username).toBe('ada-lovelace')
  // Another subject with the same name gets another account.
  corp.put({
    sub: 'p2',
    email: 'ada2@corp.example',
    email_verified: true,
    preferred_username: 'ada lovelace',
  })
  expect((await enter(world, 'p2')).sign_in?.user.username).toBe('ada-lovelace-2')
  expect(auditedActions(world, sign_in?.user.id ?? '')).toEqual([
    'user.created',
    'user.identity_linked',
  ])
})

test('an unverified address is confirmed by mail first', async () => {
  const world = await open()
  corp.put({
    sub: 'p3',
    email: 'bob@corp.example',
    email_verified: false,
    preferred_username: 'bob',
  })
  const { sign_in } = await enter(world, 'p3')
  expect(world.hearth.callers.bySignIn(sign_in?.secret ?? '')).toMatchObject({ verified: false })
  expect(
    (await sentMails(world))
      .filter(({ to }) => to === 'bob@corp.example')
      .map(({ file }) => file.includes('-confirm-')),
  ).toEqual([true])
})

test('an account is linked by address only with a verified address, the setting, and no administrator', async () => {
  const strict = await open()
  await withPassword(strict, 'carl', { email: 'carl@corp.example' })
  corp.put({
    sub: 'p4',
    email: 'carl@corp.example',
    email_verified: true,
    preferred_username: 'carl',
  })
  expect((await refusal(enter(strict, 'p4'))).reason).toBe('already_exists')

  const lenient = await open({ link_by_email: true })
  const carl = await withPassword(lenient, 'carl', { email: 'carl@corp.example' })
  corp.put({
    sub: 'p5',
    email: 'carl@corp.example',
    email_verified: false,
    preferred_username: 'carl',
  })
  expect((await enter(lenient, 'p5')).sign_in?.user.username).toBe('carl-2')
  expect((await enter(lenient, 'p4')).sign_in?.user.id).toBe(carl.id)
  expect(
    (await sentMails(lenient)).some(
      ({ to, subject }) =>
        to === 'carl@corp.example' && subject.startsWith('Sign-in through Corp ID was turned on'),
    ),
  ).toBe(true)
  corp.put({
    sub: 'p6',
    email: 'root@example.com',
    email_verified: true,
    preferred_username: 'root',
  })
  expect((await refusal(enter(lenient, 'p6'))).reason).toBe('already_exists')
  // An unconfirmed address identifies no account.
  await withPassword(lenient, 'dan', { email: 'dan@corp.example', verified: false })
  corp.put({
    sub: 'p7',
    email: 'dan@corp.example',
    email_verified: true,
    preferred_username: 'dan',
  })
  expect((await enter(lenient, 'p7')).sign_in?.user.username).toBe('dan-2')
})

test('a person links their own account, signed in, and unlinks it with the password', async () => {
  const world = await open({ sign_up: false })
  const eve = await withPassword(world, 'eve')
  const fay = await withPassword(world, 'fay')
  corp.put({
    sub: 'p8',
    email: 'eve@corp.example',
    email_verified: true,
    preferred_username: 'eve',
  })
  expect((await refusal(enter(world, 'p8'))).status).toBe(403)
  expect(findUser(world.hearth.db, 'eve-2')).toBeNull()
  expect((await enter(world, 'p8', eve, { link: true })).sign_in).toBeNull()
  expect((await enter(world, 'p8')).sign_in?.user.id).toBe(eve.id)
  // Another user cannot link it, and cannot finish an attempt that someone else started.
  expect((await refusal(enter(world, 'p8', fay, { link: true }))).reason).toBe('already_exists')
  const { url, attempt } = await world.call(startSignOn, eve, { provider: 'corp', link: true })
  const back = await corp.visit(url, 'p8')
  expect(
    (
      await refusal(
        world.call(finishSignOn, fay, { provider: 'corp', attempt, query: back.search }),
      )
    ).status,
  ).toBe(403)
  expect(
    (await refusal(world.call(startSignOn, anonymous, { provider: 'corp', link: true }))).status,
  ).toBe(401)
  expect(
    (
      await refusal(
        world.call(removeIdentity, eve, { provider: 'corp', subject: 'p8', password: 'wrong' }),
      )
    ).field,
  ).toBe('password')
  await world.call(removeIdentity, eve, { provider: 'corp', subject: 'p8', password: PASSWORD })
  expect((await refusal(enter(world, 'p8'))).status).toBe(403)
  expect(auditedActions(world, eve.id)).toEqual(['user.identity_linked', 'user.identity_unlinked'])
}, 120_000)

test("the callback must match the browser's attempt: code, state, nonce, provider and time", async () => {
  const world = await open()
  corp.put({
    sub: 'p9',
    email: 'gus@corp.example',
    email_verified: true,
    preferred_username: 'gus',
  })
  const start = () => world.call(startSignOn, anonymous, { provider: 'corp' })
  const finish = (attempt: string, query: string, provider = 'corp') =>
    world.call(finishSignOn, anonymous, { provider, attempt, query })
  const [mine, theirs] = [await start(), await start()]
  const back = await corp.visit(mine.url, 'p9')
  const code = back.searchParams.get('code') ?? ''
  const refused = async (attempt: string, query: string, provider?: string) =>
    (await refusal(finish(attempt, query, provider))).field
  // A callback in the wrong browser is refused, in both directions.
  expect(await refused(theirs.attempt, back.search)).toBe('attempt')
  expect(
    await refused(
      theirs.attempt,
      `?code=${code}&state=${new URL(theirs.url).searchParams.get('state')}&iss=${encodeURIComponent(corp.issuer)}`,
    ),
  ).toBe('attempt')
  expect(await refused('', back.search)).toBe('attempt')
  expect(await refused(spoil(mine.attempt), back.search)).toBe('attempt')
  expect(await refused(mine.attempt, back.search, 'other')).toBe('attempt')
  const next = await start()
  const second = await corp.visit(next.url, 'p9')
  expect(
    await refused(
      next.attempt,
      second.search.replace(
        encodeURIComponent(corp.issuer),
        encodeURIComponent('https://evil.test'),
      ),
    ),
  ).toBe('attempt')
  expect(await refused(next.attempt, '?error=access_denied&state=x')).toBe('attempt')
  const third = await start()
  const late = await corp.visit(third.url, 'p9')
  world.clock.advance(10 * MINUTE)
  expect(await refused(third.attempt, late.search)).toBe('attempt')
  expect(findUser(world.hearth.db, 'gus')).toBeNull()
  // A code works once.
  const last = await start()
  const good = await corp.visit(last.url, 'p9')
  expect((await finish(last.attempt, good.search)).sign_in?.user.username).toBe('gus')
  expect(await refused(last.attempt, good.search)).toBe('attempt')
}, 120_000)

test('a suspended user cannot sign in, and a second factor is still required', async () => {
  const world = await open()
  corp.put({
    sub: 'p10',
    email: 'hal@corp.example',
    email_verified: true,
    preferred_username: 'hal',
  })
  const { sign_in } = await enter(world, 'p10')
  world.hearth.database.run(
    'UPDATE users SET two_factor_enabled = 1 WHERE id = ?',
    sign_in?.user.id ?? '',
  )
  const half = await enter(world, 'p10')
  expect(world.hearth.callers.bySignIn(half.sign_in?.secret ?? '')).toBeNull()
  const root = await world.user('root')
  await world.call(suspendUser, root, { username: 'hal' })
  expect((await refusal(enter(world, 'p10'))).reason).toBe('suspended')
})

test('someone without an address gets no account; an account without a password is told so', async () => {
  const world = await open()
  corp.put({ sub: 'p11', preferred_username: 'nomail' })
  expect((await refusal(enter(world, 'p11'))).field).toBe('email')
  corp.put({
    sub: 'p12',
    email: 'ivy@corp.example',
    email_verified: true,
    preferred_username: 'ivy',
  })
  const { sign_in } = await enter(world, 'p12')
  const caller = world.hearth.callers.bySignIn(sign_in?.secret ?? '') as never
  expect(await world.call(getSecurity, caller, {})).toMatchObject({
    has_password: false,
    identities: [{ provider: 'corp', label: 'ivy@corp.example' }],
  })
  expect(
    (await refusal(world.call(addEmail, caller, { email: 'x@example.com', password: 'x' }))).reason,
  ).toBe('not_available')
})
