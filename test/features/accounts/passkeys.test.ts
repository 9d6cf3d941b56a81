import { expect, test } from 'bun:test'
import { anonymous, type UserCaller } from '#core/caller.ts'
import { addPasskey } from '#features/accounts/add-passkey.ts'
import { finishSignIn } from '#features/accounts/finish-sign-in.ts'
import { getPendingSignIn } from '#features/accounts/get-pending-sign-in.ts'
import { getSecurity } from '#features/accounts/get-security.ts'
import { removePasskey } from '#features/accounts/remove-passkey.ts'
import { signIn } from '#features/accounts/sign-in.ts'
import { signInWithPasskey } from '#features/accounts/sign-in-with-passkey.ts'
import { startPasskey } from '#features/accounts/start-passkey.ts'
import { startPasskeySignIn } from '#features/accounts/start-passkey-sign-in.ts'
import { HOUR } from '#lib/time.ts'
import { makeWorld, refusal } from '../../world.ts'
import { audited } from './audited.ts'
import { softPasskey } from './soft-passkey.ts'
import { PASSWORD, withPassword } from './with-password.ts'

const world = await makeWorld()
const ORIGIN = 'https://hearth.test'

async function withPasskey(person: UserCaller) {
  const key = softPasskey(ORIGIN)
  const start = await world.call(startPasskey, person, {})
  const { recovery_codes } = await world.call(addPasskey, person, {
    name: 'Laptop',
    state: start?.state ?? '',
    response: key.make(start?.options ?? ''),
  })
  return { key, recovery_codes }
}
const begin = async () => {
  const start = await world.call(startPasskeySignIn, anonymous, {})
  if (!start) throw new Error('passkeys are not possible')
  return start
}

test('a passkey alone signs in, and each answer counts once', async () => {
  const ada = await withPassword(world, 'ada')
  const { key, recovery_codes } = await withPasskey(ada)
  expect(recovery_codes).toHaveLength(10)
  expect(await world.call(getSecurity, ada, {})).toMatchObject({
    two_factor_enabled: true,
    passkeys: [{ name: 'Laptop', last_used_at: null }],
  })
  const { options, state } = await begin()
  const response = key.show(options)
  const done = await world.call(signInWithPasskey, anonymous, { state, response })
  expect(world.hearth.callers.bySignIn(done.secret ?? '')).toMatchObject({ id: ada.id })
  expect((await refusal(world.call(signInWithPasskey, anonymous, { state, response }))).field).toBe(
    'passkey',
  )
  expect(audited(world, ada.id)).toEqual(['user.passkey_added'])
})

test('it is a second factor too, of its own person only', async () => {
  const bob = await withPassword(world, 'bob')
  const eve = await withPassword(world, 'eve')
  const [mine, foreign] = [await withPasskey(bob), await withPasskey(eve)]
  const { secret, second_factor } = await world.call(signIn, anonymous, {
    login: 'bob',
    password: PASSWORD,
  })
  expect(second_factor).toEqual(['passkey', 'recovery'])
  const { passkey } = await world.call(getPendingSignIn, anonymous, { pending: secret ?? '' })
  const state = passkey?.state ?? ''
  const finish = (response: string, at = state) =>
    world.call(finishSignIn, anonymous, { pending: secret ?? '', passkey: { state: at, response } })
  expect((await refusal(finish(foreign.key.show(passkey?.options ?? '')))).field).toBe('passkey')
  // A challenge of the sign-in page is none of this step.
  const other = await begin()
  expect((await refusal(finish(mine.key.show(other.options), other.state))).field).toBe('passkey')
  // As a second factor the key need not know who holds it.
  const done = await finish(mine.key.show(passkey?.options ?? '', { verified: false }))
  expect(world.hearth.callers.bySignIn(done.secret ?? '')).toMatchObject({ id: bob.id })
})

test('spoilt, foreign, stale and replayed answers are refused alike', async () => {
  const carl = await withPassword(world, 'carl')
  const { key } = await withPasskey(carl)
  const { options, state } = await begin()
  const bad: [string, string, string][] = [
    ['another site', state, key.show(options, { origin: 'https://evil.test' })],
    ['another host', state, key.show(options, { rpId: 'evil.test' })],
    ['another challenge', state, key.show(options, { challenge: 'AAAA' })],
    ['a spoilt signature', state, key.show(options, { spoil: true })],
    ['a key that was not unlocked', state, key.show(options, { verified: false })],
    ['an unknown key', state, softPasskey(ORIGIN).show(options)],
    ['a spoilt state', `${state.slice(0, -2)}AA`, key.show(options)],
    ['no JSON', state, '{'],
    ['nothing', state, 'null'],
  ]
  for (const [what, at, response] of bad) {
    const error = await refusal(world.call(signInWithPasskey, anonymous, { state: at, response }))
    expect([what, error.code, error.field, error.message]).toEqual([
      what,
      'invalid',
      'passkey',
      'this passkey was not accepted; reload the page and try again',
    ])
  }
  const old = await begin()
  world.clock.advance(HOUR)
  expect(
    (
      await refusal(
        world.call(signInWithPasskey, anonymous, {
          state: old.state,
          response: key.show(old.options),
        }),
      )
    ).field,
  ).toBe('passkey')
  // A counter that does not go up is a copy of the key.
  const now = await begin()
  await world.call(signInWithPasskey, anonymous, {
    state: now.state,
    response: key.show(now.options, { counter: 50 }),
  })
  const copy = await begin()
  expect(
    (
      await refusal(
        world.call(signInWithPasskey, anonymous, {
          state: copy.state,
          response: key.show(copy.options, { counter: 50 }),
        }),
      )
    ).field,
  ).toBe('passkey')
})

test("somebody else's page makes no passkey for me, and a passkey is added once", async () => {
  const dora = await withPassword(world, 'dora')
  const fay = await withPassword(world, 'fay')
  const start = await world.call(startPasskey, dora, {})
  const key = softPasskey(ORIGIN)
  expect(
    (
      await refusal(
        world.call(addPasskey, fay, {
          state: start?.state ?? '',
          response: key.make(start?.options ?? ''),
        }),
      )
    ).field,
  ).toBe('passkey')
  expect(
    (
      await refusal(
        world.call(addPasskey, dora, {
          state: start?.state ?? '',
          response: key.make(start?.options ?? '', { origin: 'https://evil.test' }),
        }),
      )
    ).field,
  ).toBe('passkey')
  const response = key.make(start?.options ?? '')
  await world.call(addPasskey, dora, { state: start?.state ?? '', response })
  expect(
    (await refusal(world.call(addPasskey, dora, { state: start?.state ?? '', response }))).field,
  ).toBe('passkey')
  expect((await world.call(getSecurity, dora, {})).passkeys).toHaveLength(1)
})

test('removing takes the password, and the last one turns two-factor off', async () => {
  const gus = await withPassword(world, 'gus')
  const { key } = await withPasskey(gus)
  const hal = await withPassword(world, 'hal')
  expect(
    (await refusal(world.call(removePasskey, hal, { id: key.id, password: PASSWORD }))).code,
  ).toBe('not_found')
  expect(
    (await refusal(world.call(removePasskey, gus, { id: key.id, password: 'wrong' }))).field,
  ).toBe('password')
  await world.call(removePasskey, gus, { id: key.id, password: PASSWORD })
  const { options, state } = await begin()
  expect(
    (
      await refusal(
        world.call(signInWithPasskey, anonymous, { state, response: key.show(options) }),
      )
    ).field,
  ).toBe('passkey')
  expect(
    (await world.call(signIn, anonymous, { login: 'gus', password: PASSWORD })).second_factor,
  ).toEqual([])
  expect(audited(world, gus.id)).toEqual(['user.passkey_added', 'user.passkey_removed'])
}, 30_000)

test('an address that browsers allow no passkeys for has none', async () => {
  for (const site_url of [
    'http://127.0.0.1:3000',
    'https://192.0.2.1',
    'http://git.example.com',
    'http://[::1]:3000',
  ]) {
    const plain = await makeWorld({ site_url })
    expect([
      site_url,
      await plain.call(startPasskeySignIn, anonymous, {}),
      await plain.call(startPasskey, await plain.user('ada'), {}),
    ]).toEqual([site_url, null, null])
  }
})
