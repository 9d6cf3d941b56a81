import { expect, test } from 'bun:test'
import { suspendUser } from '#features/accounts/administration/suspend-user.ts'
import { unsuspendUser } from '#features/accounts/administration/unsuspend-user.ts'
import { makeWorld, refusal } from '../../../world.ts'
import { auditedActions } from '../audited.ts'

test('a lifted suspension clears the reason and is in the audit log', async () => {
  const world = await makeWorld()
  const root = await world.user('root', { site_admin: true })
  const ada = await world.user('ada')
  await world.call(suspendUser, root, { username: 'ada', reason: 'left' })
  expect(await refusal(world.call(unsuspendUser, ada, { username: 'ada' }))).toMatchObject({
    status: 403,
  })
  expect(await world.call(unsuspendUser, root, { username: 'ADA' })).toMatchObject({
    state: 'active',
    suspended_at: null,
    suspended_reason: null,
  })
  const again = await refusal(world.call(unsuspendUser, root, { username: 'ada' }))
  expect(again.reason).toBe('not_open')
  expect(auditedActions(world, ada.id)).toEqual(['user.suspended', 'user.unsuspended'])
})
