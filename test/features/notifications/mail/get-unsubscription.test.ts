import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { getUnsubscription } from '#features/notifications/mail/get-unsubscription.ts'
import { refusal } from '../../../world.ts'
import { makeNotificationWorld } from '../fixture.ts'

test('get_unsubscription refuses what is no link of this forge', async () => {
  const { world } = await makeNotificationWorld()
  for (const token of ['x', 'x'.repeat(200)])
    expect((await refusal(world.call(getUnsubscription, anonymous, { token }))).code).toBe(
      'not_found',
    )
})
