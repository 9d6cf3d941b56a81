import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { removePasskey } from '#features/accounts/passkeys/remove-passkey.ts'
import { signIn } from '#features/accounts/sign-in/sign-in.ts'
import { signInWithPasskey } from '#features/accounts/passkeys/sign-in-with-passkey.ts'
import { makeWorld, refusal } from '../../../world.ts'
import { auditedActions } from '../audited.ts'
import { PASSWORD, withPassword } from '../with-password.ts'
import { startChallenge, withPasskey } from './passkey-fixture.ts'

const world = await makeWorld()

test('removing takes the password, and the last one turns two-factor off', async () => {
  const gus = await withPassword(world, 'gus')
  const { key } = await withPasskey(world, gus)
  const hal = await withPassword(world, 'hal')
  expect(
    (await refusal(world.call(removePasskey, hal, { id: key.id, password: PASSWORD }))).code,
  ).toBe('not_found')
  expect(
    (await refusal(world.call(removePasskey, gus, { id: key.id, password: 'wrong' }))).field,
  ).toBe('password')
  await world.call(removePasskey, gus, { id: key.id, password: PASSWORD })
  const { options, state } = await startChallenge(world)
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
  expect(auditedActions(world, gus.id)).toEqual(['user.passkey_added', 'user.passkey_removed'])
}, 120_000)
