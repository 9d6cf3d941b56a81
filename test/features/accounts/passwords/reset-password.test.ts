import { nowhere } from '#core/audit.ts'
import { expect, test } from 'bun:test'
import { anonymous, type UserCaller } from '#core/caller.ts'
import { HOUR, timestamp } from '#lib/time.ts'
import { createAgent } from '#features/agents/create-agent.ts'
import { createDeviceCode } from '#features/devices/create-device-code.ts'
import { decideDevice } from '#features/devices/decide-device.ts'
import { pollDeviceToken } from '#features/devices/poll-device-token.ts'
import { putFeedToken } from '#features/notifications/settings/store-settings.ts'
import { insertApplication, insertGrant } from '#features/oauth/store.ts'
import { insertPasskey, listPasskeys } from '#features/accounts/store/second-factors.ts'
import { insertEmail } from '#features/accounts/store/user-settings.ts'
import { updateSecondFactorState } from '#features/accounts/two-factor/second-factors.ts'
import { forgotPassword } from '#features/accounts/passwords/forgot-password.ts'
import {
  createMailedLinkFor,
  findUserById,
  issueToken,
  userCaller,
  type NewTokenOptions,
} from '#features/accounts/index.ts'
import { resetPassword } from '#features/accounts/passwords/reset-password.ts'
import { signIn } from '#features/accounts/sign-in/sign-in.ts'
import { createSignIn } from '#features/accounts/sign-in/sign-ins.ts'
import { makeWorld, refusal, type World } from '../../../world.ts'
import { mailedToken } from '../mailbox.ts'
import { PASSWORD, withPassword } from '../with-password.ts'

const FRESH = 'a wholly new password'
const tokenOf = (link: string): string => new URL(link).searchParams.get('token') ?? ''

test('sets the password, signs out everywhere, and the link is used up', async () => {
  const world = await makeWorld()
  const ada = await withPassword(world, 'ada')
  const browser = await world.write((tx) =>
    createSignIn(tx, ada, { method: 'password', origin: nowhere }),
  )
  await world.call(forgotPassword, anonymous, { email: 'ada@example.com' })
  const token = await mailedToken(world, 'ada@example.com')
  const other = tokenOf(await createMailedLinkFor(world.hearth, 'reset', 'ada'))

  expect(await world.call(resetPassword, anonymous, { token, password: FRESH })).toEqual({
    username: 'ada',
  })
  expect(world.hearth.callers.bySignIn(browser.secret ?? '')).toBeNull()
  expect(
    (await refusal(world.call(signIn, anonymous, { login: 'ada', password: PASSWORD }))).code,
  ).toBe('invalid')
  await world.call(signIn, anonymous, { login: 'ada', password: FRESH })
  for (const used of [token, other]) {
    expect(
      (await refusal(world.call(resetPassword, anonymous, { token: used, password: FRESH }))).field,
    ).toBe('token')
  }
})

test('a link expires after one hour', async () => {
  const world = await makeWorld()
  await withPassword(world, 'ada')
  const token = tokenOf(await createMailedLinkFor(world.hearth, 'reset', 'ada'))
  world.clock.advance(HOUR)
  expect(
    (await refusal(world.call(resetPassword, anonymous, { token, password: FRESH }))).field,
  ).toBe('token')
  await world.call(signIn, anonymous, { login: 'ada', password: PASSWORD })
})

test('weak passwords are refused in words and leave the link usable', async () => {
  const world = await makeWorld()
  await withPassword(world, 'ada-lovelace')
  const token = tokenOf(await createMailedLinkFor(world.hearth, 'reset', 'ada-lovelace'))
  for (const password of [
    '',
    'short',
    '123456789',
    'ADA-lovelace',
    'ada-lovelace@example.com',
    'x'.repeat(1001),
    'ä'.repeat(501),
  ]) {
    const error = await refusal(world.call(resetPassword, anonymous, { token, password }))
    expect([error.code, error.field]).toEqual(['invalid', 'password'])
  }
  await world.call(resetPassword, anonymous, { token, password: 'x'.repeat(1000) })
})

test('the reset link confirms the address unless another account has confirmed it', async () => {
  const world = await makeWorld()
  const bob = await withPassword(world, 'bob', { verified: false })
  await world.call(resetPassword, anonymous, {
    token: tokenOf(await createMailedLinkFor(world.hearth, 'reset', 'bob')),
    password: FRESH,
  })
  expect(userCaller(world.hearth.db, bob.id)?.verified).toBe(true)

  const cat = await withPassword(world, 'cat', { verified: false, email: 'bob@example.com' })
  await world.call(resetPassword, anonymous, {
    token: tokenOf(await createMailedLinkFor(world.hearth, 'reset', 'cat')),
    password: FRESH,
  })
  expect(userCaller(world.hearth.db, cat.id)?.verified).toBe(false)
})

const tokenFor = (world: World, user: UserCaller, change: Partial<NewTokenOptions> = {}) =>
  world.write((tx) =>
    issueToken(tx, {
      actor_id: user.id,
      kind: 'user',
      source: 'settings',
      name: 'laptop',
      scopes: null,
      repos: null,
      workspace_id: null,
      role: null,
      expires_at: null,
      ...change,
    }),
  )

const reset = async (world: World, username: string) =>
  world.call(resetPassword, anonymous, {
    token: tokenOf(await createMailedLinkFor(world.hearth, 'reset', username)),
    password: FRESH,
  })

test('ends the tokens of the account and of its agents, and nobody else’s', async () => {
  const world = await makeWorld()
  const [ada, bob] = [await withPassword(world, 'ada'), await withPassword(world, 'bob')]
  await world.workspace('acme', { owner: ada })
  const site = await world.repo('acme/site', { as: ada })
  const { agent } = await world
    .call(createAgent, ada, { repo: 'acme/site', name: 'bot' })
    .then((made) => ({ agent: made.token.secret ?? '' }))
  const [own, other] = [await tokenFor(world, ada), await tokenFor(world, bob)]
  const known = () =>
    [own.secret, agent, other.secret].map((secret) => world.hearth.callers.byToken(secret) !== null)
  expect(site.name).toBe('site')
  expect(known()).toEqual([true, true, true])
  await reset(world, 'ada')
  expect(known()).toEqual([false, false, true])
})

test('ends applications, approved devices and feeds', async () => {
  const world = await makeWorld()
  const ada = await withPassword(world, 'ada')
  const { now } = world.clock
  const at = timestamp(now())
  await world.write((tx) => {
    insertApplication(tx.db, {
      id: 'app_1',
      user_id: ada.id,
      client_hash: 'x',
      name: 'App',
      host: 'app.example',
      url: null,
      approved_at: at,
    })
    insertGrant(tx.db, {
      code_hash: 'code',
      application_id: 'app_1',
      redirect_uri: 'https://app.example/',
      challenge: 'x',
      scopes: null,
      resource: null,
      created_at: at,
      expires_at: timestamp(now() + HOUR),
      used_at: null,
    })
    putFeedToken(tx, ada.id, 'feed')
  })
  const { device_code, user_code } = await world.call(createDeviceCode, anonymous, {
    client_name: 'Laptop',
  })
  await world.call(decideDevice, ada, { code: user_code, decision: 'approve' })
  await reset(world, 'ada')
  const { db } = world.hearth
  expect(db.all('SELECT 1 FROM oauth_applications')).toEqual([])
  expect(db.all('SELECT 1 FROM oauth_grants')).toEqual([])
  expect(db.all('SELECT 1 FROM feed_tokens')).toEqual([])
  expect((await refusal(world.call(pollDeviceToken, anonymous, { device_code }))).status).toBe(404)
})

test('the first proof of an address ends every other way into the account', async () => {
  const world = await makeWorld()
  const eve = await withPassword(world, 'eve', { verified: false, email: 'victim@example.com' })
  const { db } = world.hearth
  const at = timestamp(world.clock.now())
  const token = await tokenFor(world, eve)
  await world.write((tx) => {
    insertEmail(tx.db, { user_id: eve.id, email: 'eve@example.com', now: tx.now })
    insertPasskey(tx.db, {
      id: 'pk',
      user_id: eve.id,
      name: 'Key',
      public_key: 'x',
      counter: 0,
      transports: '[]',
      backed_up: 0,
      created_at: at,
    })
    updateSecondFactorState(tx, eve.id, { action: 'user.passkey_added', sentence: 'Added' })
  })
  expect(findUserById(db, eve.id)?.two_factor_enabled).toBe(1)
  await reset(world, 'eve')
  expect(findUserById(db, eve.id)).toMatchObject({
    email: 'victim@example.com',
    verified_at: at,
    two_factor_enabled: 0,
  })
  expect(world.hearth.callers.byToken(token.secret)).toBeNull()
  expect(listPasskeys(db, eve.id)).toEqual([])
  expect(db.all('SELECT email FROM emails WHERE user_id = ?', eve.id)).toEqual([
    { email: 'victim@example.com' },
  ])
  await world.call(signIn, anonymous, { login: 'eve', password: FRESH })
})

test('a confirmed account keeps its second factors', async () => {
  const world = await makeWorld()
  const ada = await withPassword(world, 'ada')
  await world.write((tx) => tx.db.run('UPDATE users SET two_factor_enabled = 1'))
  await reset(world, 'ada')
  expect(findUserById(world.hearth.db, ada.id)?.two_factor_enabled).toBe(1)
})

test('one of two concurrent uses of a link succeeds', async () => {
  const world = await makeWorld()
  await withPassword(world, 'ada')
  const token = tokenOf(await createMailedLinkFor(world.hearth, 'reset', 'ada'))
  const results = await Promise.allSettled(
    [FRESH, `${FRESH} too`].map((password) =>
      world.call(resetPassword, anonymous, { token, password }),
    ),
  )
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
})
