import { expect, test } from 'bun:test'
import { createFeedToken } from '#features/notifications/feeds/create-feed-token.ts'
import { feedReader } from '#features/notifications/feeds/feed-reader.ts'
import { removeFeedToken } from '#features/notifications/feeds/remove-feed-token.ts'
import { makeNotificationWorld } from '../fixture.ts'

test('a removed feed token reads nothing any more; others stay', async () => {
  const { world, hearth, mel, otto } = await makeNotificationWorld()
  const { secret } = await world.call(createFeedToken, mel, {})
  const { secret: other } = await world.call(createFeedToken, otto, {})
  await world.call(removeFeedToken, mel, {})
  expect(feedReader(hearth, secret ?? '')).toBeNull()
  expect(feedReader(hearth, other ?? '')?.id).toBe(otto.id)
})
