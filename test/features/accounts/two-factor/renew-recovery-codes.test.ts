import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { finishSignIn } from '#features/accounts/sign-in/finish-sign-in.ts'
import { renewRecoveryCodes } from '#features/accounts/two-factor/renew-recovery-codes.ts'
import { makeWorld, refusal } from '../../../world.ts'
import { PASSWORD, withPassword } from '../with-password.ts'
import { firstFactor, withAuthenticator } from './authenticator-fixture.ts'

const world = await makeWorld()

test('new recovery codes replace the old ones', async () => {
  const gus = await withPassword(world, 'gus')
  const { recovery } = await withAuthenticator(world, gus)
  const { recovery_codes } = await world.call(renewRecoveryCodes, gus, { password: PASSWORD })
  expect(recovery_codes).toHaveLength(10)
  const { secret } = await firstFactor(world, 'gus')
  expect(
    (
      await refusal(
        world.call(finishSignIn, anonymous, { pending: secret ?? '', code: recovery[0] ?? '' }),
      )
    ).field,
  ).toBe('code')
  await world.call(finishSignIn, anonymous, {
    pending: secret ?? '',
    code: recovery_codes?.[0] ?? '',
  })
}, 120_000)
