import { expect, test } from 'bun:test'
import { getNotificationSettings } from '#features/notifications/settings/get-notification-settings.ts'
import { refusal, withToken } from '../../../world.ts'
import { makeNotificationWorld } from '../fixture.ts'

test('get_notification_settings starts with all mail on and no digest, and is for people', async () => {
  const { world, mel } = await makeNotificationWorld()
  const settings = await world.call(getNotificationSettings, mel, {})
  expect(settings.mail.every(({ on }) => on)).toBe(true)
  expect(settings).toMatchObject({ digest: 'off', email: 'mel@example.com', feed_token: null })
  expect(
    (await refusal(world.call(getNotificationSettings, withToken(mel, { scopes: [] }), {}))).reason,
  ).toBe('scope')
})
