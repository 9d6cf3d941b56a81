import { expect, test } from 'bun:test'
import { Secret, TOTP } from 'otpauth'
import { enableTwoFactor } from '#features/accounts/two-factor/enable-two-factor.ts'
import { getTwoFactorSetup } from '#features/accounts/two-factor/get-two-factor-setup.ts'
import { startTwoFactor } from '#features/accounts/two-factor/start-two-factor.ts'
import { makeWorld, refusal } from '../../../world.ts'
import { withPassword } from '../with-password.ts'
import { firstFactor, wrongCode } from './authenticator-fixture.ts'

const world = await makeWorld()

test('two-factor sign-in starts with the first correct code', async () => {
  const hal = await withPassword(world, 'hal')
  await world.call(startTwoFactor, hal, {})
  const setup = await world.call(getTwoFactorSetup, hal, {})
  const right = new TOTP({ secret: Secret.fromBase32(setup?.secret ?? '') }).generate({
    timestamp: world.clock.now(),
  })
  expect((await refusal(world.call(enableTwoFactor, hal, { code: wrongCode(right) }))).field).toBe(
    'code',
  )
  expect((await firstFactor(world, 'hal')).second_factor).toEqual([])
  // The database contains the secret only in encrypted form.
  expect(JSON.stringify(world.hearth.db.all('SELECT * FROM authenticators'))).not.toContain(
    setup?.secret ?? 'missing',
  )
  await world.call(enableTwoFactor, hal, { code: right })
  expect((await refusal(world.call(startTwoFactor, hal, {}))).reason).toBe('already_exists')
}, 120_000)
