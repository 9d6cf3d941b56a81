import { expect, test } from 'bun:test'
import { getNotificationSettings } from '#features/notifications/settings/get-notification-settings.ts'
import { updateNotificationSettings } from '#features/notifications/settings/update-notification-settings.ts'
import { makeNotificationWorld } from '../fixture.ts'

test('get_notification_settings and update_notification_settings: all reasons are on and the digest off, until one chooses', async () => {
  const { world, mel, ada } = await makeNotificationWorld()
  const usual = await world.call(getNotificationSettings, mel, {})
  expect(usual.mail.every(({ on }) => on)).toBe(true)
  expect(usual.mail.map(({ reason }) => reason)).not.toContain('invitation')
  expect(usual).toMatchObject({
    digest: 'off',
    email: 'mel@example.com',
    verified: true,
    feed_token: null,
  })
  await world.call(updateNotificationSettings, mel, { mail: [], digest: 'daily' })
  const changed = await world.call(getNotificationSettings, mel, {})
  expect(changed.mail.some(({ on }) => on)).toBe(false)
  expect(changed.digest).toBe('daily')
  await world.call(updateNotificationSettings, mel, { digest: 'hourly' })
  expect((await world.call(getNotificationSettings, mel, {})).mail.some(({ on }) => on)).toBe(false)
  expect((await world.call(getNotificationSettings, ada, {})).mail.every(({ on }) => on)).toBe(true)
})
