import { expect, test } from 'bun:test'
import { disableTwoFactor } from '#features/accounts/two-factor/disable-two-factor.ts'
import { getSecurity } from '#features/accounts/two-factor/get-security.ts'
import { makeWorld, refusal } from '../../../world.ts'
import { auditedActions } from '../audited.ts'
import { PASSWORD, withPassword } from '../with-password.ts'
import { firstFactor, withAuthenticator } from './authenticator-fixture.ts'

const world = await makeWorld()

test('disabling needs the password and deletes the recovery codes', async () => {
  const fay = await withPassword(world, 'fay')
  await withAuthenticator(world, fay)
  expect((await refusal(world.call(disableTwoFactor, fay, { password: 'wrong' }))).field).toBe(
    'password',
  )
  expect((await world.call(getSecurity, fay, {})).two_factor_enabled).toBe(true)
  await world.call(disableTwoFactor, fay, { password: PASSWORD })
  expect(await world.call(getSecurity, fay, {})).toMatchObject({
    two_factor_enabled: false,
    authenticator_since: null,
    recovery_codes_left: 0,
  })
  expect((await firstFactor(world, 'fay')).second_factor).toEqual([])
  expect(auditedActions(world, fay.id)).toEqual([
    'user.authenticator_added',
    'user.authenticator_removed',
  ])
}, 120_000)
