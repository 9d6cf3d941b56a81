import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { finishSignIn } from '#features/accounts/sign-in/finish-sign-in.ts'
import { getPendingSignIn } from '#features/accounts/sign-in/get-pending-sign-in.ts'
import { MINUTE } from '#lib/time.ts'
import { makeWorld, refusal } from '../../../world.ts'
import { withPassword } from '../with-password.ts'
import { firstFactor, withAuthenticator } from '../two-factor/authenticator-fixture.ts'

const world = await makeWorld()

test('a pending sign-in expires after ten minutes', async () => {
  const eve = await withPassword(world, 'eve')
  const { code } = await withAuthenticator(world, eve)
  const { secret } = await firstFactor(world, 'eve')
  world.clock.advance(10 * MINUTE)
  expect(
    (await refusal(world.call(finishSignIn, anonymous, { pending: secret ?? '', code: code() })))
      .field,
  ).toBe('pending')
  expect(
    (await refusal(world.call(getPendingSignIn, anonymous, { pending: 'x'.repeat(43) }))).field,
  ).toBe('pending')
})
