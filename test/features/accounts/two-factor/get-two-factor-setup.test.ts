import { expect, test } from 'bun:test'
import { getTwoFactorSetup } from '#features/accounts/two-factor/get-two-factor-setup.ts'
import { startTwoFactor } from '#features/accounts/two-factor/start-two-factor.ts'
import { makeWorld } from '../../../world.ts'

test('the setup holds the secret, its URI and a QR code, until it is complete', async () => {
  const world = await makeWorld()
  const ada = await world.user('ada')
  expect(await world.call(getTwoFactorSetup, ada, {})).toBeNull()
  await world.call(startTwoFactor, ada, {})
  const setup = await world.call(getTwoFactorSetup, ada, {})
  expect(setup?.secret).toMatch(/^[A-Z2-7]{32}$/)
  expect(setup?.uri).toContain(`secret=${setup?.secret}`)
  expect(setup?.picture.path).toStartWith('M')
  expect(await world.call(getTwoFactorSetup, await world.user('bob'), {})).toBeNull()
})
