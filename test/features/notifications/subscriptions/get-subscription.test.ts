import { expect, test } from 'bun:test'
import { getSubscription } from '#features/notifications/subscriptions/get-subscription.ts'
import { setSubscription } from '#features/notifications/subscriptions/set-subscription.ts'
import { refusal } from '../../../world.ts'
import { makeNotificationWorld } from '../fixture.ts'

test('get_subscription shows the level that a person chose, of repositories that they can read', async () => {
  const { world, mel, otto } = await makeNotificationWorld()
  await world.call(setSubscription, mel, { repo: 'acme/site', level: 'releases' })
  expect((await world.call(getSubscription, mel, { repo: 'acme/site' })).level).toBe('releases')
  expect((await world.call(getSubscription, otto, { repo: 'acme/site' })).level).toBe(
    'participating',
  )
  expect((await refusal(world.call(getSubscription, otto, { repo: 'acme/vault' }))).code).toBe(
    'not_found',
  )
})
