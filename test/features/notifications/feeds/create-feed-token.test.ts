import { expect, test } from 'bun:test'
import { call } from '#core/operation.ts'
import { getRepo } from '#features/repos/profile/get-repo.ts'
import { listEvents } from '#features/repos/profile/list-events.ts'
import { createIssue } from '#features/issues/create-issue.ts'
import { createFeedToken } from '#features/notifications/feeds/create-feed-token.ts'
import { feedReader } from '#features/notifications/feeds/feed-reader.ts'
import { removeFeedToken } from '#features/notifications/feeds/remove-feed-token.ts'
import { refusal, withToken } from '../../../world.ts'
import { makeNotificationWorld } from '../fixture.ts'

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
