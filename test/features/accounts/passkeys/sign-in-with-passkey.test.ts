import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { getSecurity } from '#features/accounts/two-factor/get-security.ts'
import { signInWithPasskey } from '#features/accounts/passkeys/sign-in-with-passkey.ts'
import { HOUR } from '#lib/time.ts'
import { makeWorld, refusal } from '../../../world.ts'
import { auditedActions } from '../audited.ts'
import { softPasskey } from './soft-passkey.ts'
import { withPassword } from '../with-password.ts'
import { ORIGIN, startChallenge, withPasskey } from './passkey-fixture.ts'
import { spoil } from '../../../spoil.ts'

const world = await makeWorld()

test('a passkey alone signs in, and each response is accepted once', async () => {
  const ada = await withPassword(world, 'ada')
  const { key, recovery_codes } = await withPasskey(world, ada)
  expect(recovery_codes).toHaveLength(10)
  expect(await world.call(getSecurity, ada, {})).toMatchObject({
    two_factor_enabled: true,
    passkeys: [{ name: 'Laptop', last_used_at: null }],
  })
  const { options, state } = await startChallenge(world)
  const response = key.show(options)
  const done = await world.call(signInWithPasskey, anonymous, { state, response })
  expect(world.hearth.callers.bySignIn(done.secret ?? '')).toMatchObject({ id: ada.id })
  expect((await refusal(world.call(signInWithPasskey, anonymous, { state, response }))).field).toBe(
    'passkey',
  )
  expect(auditedActions(world, ada.id)).toEqual(['user.passkey_added'])
})

test('invalid, foreign, expired and replayed responses get one error', async () => {
  const carl = await withPassword(world, 'carl')
  const { key } = await withPasskey(world, carl)
  const { options, state } = await startChallenge(world)
  const bad: [string, string, string][] = [
    ['another site', state, key.show(options, { origin: 'https://evil.test' })],
    ['another host', state, key.show(options, { rpId: 'evil.test' })],
    ['another challenge', state, key.show(options, { challenge: 'AAAA' })],
    ['a spoilt signature', state, key.show(options, { spoil: true })],
    ['a key that was not unlocked', state, key.show(options, { verified: false })],
    ['an unknown key', state, softPasskey(ORIGIN).show(options)],
    ['a spoilt state', spoil(state), key.show(options)],
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
  const old = await startChallenge(world)
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
  // A counter that does not increase indicates a cloned authenticator.
  const now = await startChallenge(world)
  await world.call(signInWithPasskey, anonymous, {
    state: now.state,
    response: key.show(now.options, { counter: 50 }),
  })
  const copy = await startChallenge(world)
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
