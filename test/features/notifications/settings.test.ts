/** What is mailed, and the token for private feeds. */
import { expect, test } from 'bun:test'
import { call } from '#core/operation.ts'
import { getRepo } from '#features/repos/get-repo.ts'
import { listEvents } from '#features/repos/list-events.ts'
import { createIssue } from '#features/issues/create-issue.ts'
import { createFeedToken } from '#features/notifications/create-feed-token.ts'
import { feedReader } from '#features/notifications/feed-reader.ts'
import { getNotificationSettings } from '#features/notifications/get-notification-settings.ts'
import { removeFeedToken } from '#features/notifications/remove-feed-token.ts'
import { updateNotificationSettings } from '#features/notifications/update-notification-settings.ts'
import { refusal, withToken } from '../../world.ts'
import { makeNotificationWorld } from './fixture.ts'

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

test('create_feed_token: its reader reads what the person may, writes nothing, and ends with it', async () => {
  const { world, hearth, mel, otto } = await makeNotificationWorld()
  const { secret } = await world.call(createFeedToken, mel, {})
  const reader = feedReader(hearth, secret ?? '')
  if (!reader) throw new Error('the token reads nothing')
  expect((await call(hearth, getRepo, reader, { repo: 'acme/vault' })).full_name).toBe('acme/vault')
  expect(
    (await call(hearth, listEvents, reader, { repo: 'acme/vault' })).items.length,
  ).toBeGreaterThan(0)
  expect(
    (await refusal(call(hearth, createIssue, reader, { repo: 'acme/vault', title: 'x' }))).reason,
  ).toBe('scope')
  const { secret: other } = await world.call(createFeedToken, otto, {})
  const stranger = feedReader(hearth, other ?? '')
  expect(
    stranger && (await refusal(call(hearth, getRepo, stranger, { repo: 'acme/vault' }))).code,
  ).toBe('not_found')
  expect(
    hearth.db.one<{ secret_hash: string }>(
      'SELECT secret_hash FROM feed_tokens WHERE user_id = ?',
      mel.id,
    )?.secret_hash,
  ).not.toBe(secret)
  const { secret: next } = await world.call(createFeedToken, mel, {})
  expect(feedReader(hearth, secret ?? '')).toBeNull()
  expect(feedReader(hearth, next ?? '')?.id).toBe(mel.id)
  await world.write(
    (tx) => void tx.db.run('UPDATE users SET suspended_at = ? WHERE id = ?', tx.now, mel.id),
  )
  expect(feedReader(hearth, next ?? '')).toBeNull()
  await world.write(
    (tx) => void tx.db.run('UPDATE users SET suspended_at = NULL WHERE id = ?', mel.id),
  )
  await world.call(removeFeedToken, mel, {})
  expect(feedReader(hearth, next ?? '')).toBeNull()
  expect(feedReader(hearth, '')).toBeNull()
  expect((await refusal(world.call(createFeedToken, withToken(mel, {}), {}))).reason).toBe(
    'person_required',
  )
})
