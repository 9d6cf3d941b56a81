import { expect, test } from 'bun:test'
import { resetTwoFactor } from '#features/accounts/two-factor/reset-two-factor.ts'
import { makeWorld, refusal } from '../../../world.ts'
import { auditedActions } from '../audited.ts'
import { withPassword } from '../with-password.ts'
import { firstFactor, withAuthenticator } from './authenticator-fixture.ts'

const world = await makeWorld()

test("an administrator resets a user's second factors; other users cannot", async () => {
  const ivy = await withPassword(world, 'ivy')
  await withAuthenticator(world, ivy)
  const root = await world.user('root', { site_admin: true })
  expect((await refusal(world.call(resetTwoFactor, ivy, { username: 'ivy' }))).reason).toBe('role')
  await world.call(resetTwoFactor, root, { username: 'ivy' })
  expect((await firstFactor(world, 'ivy')).second_factor).toEqual([])
  expect(auditedActions(world, ivy.id)).toEqual([
    'user.authenticator_added',
    'user.two_factor_reset',
  ])
}, 120_000)
