import { expect, test } from 'bun:test'
import { getTwoFactorSetup } from '#features/accounts/two-factor/get-two-factor-setup.ts'
import { startTwoFactor } from '#features/accounts/two-factor/start-two-factor.ts'
import { makeWorld, refusal } from '../../../world.ts'
import { withPassword } from '../with-password.ts'
import { firstFactor, withAuthenticator } from './authenticator-fixture.ts'

test('starting again replaces a setup that is not complete, and never a complete one', async () => {
  const world = await makeWorld()
  const ada = await withPassword(world, 'ada')
  const secrets: (string | undefined)[] = []
  for (let attempt = 0; attempt < 2; attempt++) {
    await world.call(startTwoFactor, ada, {})
    secrets.push((await world.call(getTwoFactorSetup, ada, {}))?.secret)
  }
  expect(secrets[0]).not.toBe(secrets[1])
  expect((await firstFactor(world, 'ada')).second_factor).toEqual([])
  await withAuthenticator(world, ada)
  expect((await refusal(world.call(startTwoFactor, ada, {}))).reason).toBe('already_exists')
})
