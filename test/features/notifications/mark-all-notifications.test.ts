import { expect, test } from 'bun:test'
import { markAllNotifications } from '#features/notifications/mark-all-notifications.ts'
import { MINUTE } from '#lib/time.ts'
import { refusal } from '../../world.ts'
import { makeNotificationWorld } from './fixture.ts'

test('mark_all_notifications leaves what came later, other repositories and other people alone', async () => {
  const { world, issue, told, ada, mel, max } = await makeNotificationWorld()
  const first = await issue(ada, { body: '@mel @max' })
  const hidden = await issue(ada, { body: '@mel' }, 'acme/vault')
  world.clock.advance(MINUTE)
  const later = await issue(ada, { body: '@mel' })
  await told(mel)
  expect(
    await world.call(markAllNotifications, mel, {
      state: 'read',
      before: '2026-03-01T13:00:00+01:00',
      repo: 'acme/site',
    }),
  ).toEqual({ changed: 1 })
  expect(await told(mel, { unread: true })).toEqual([`mention #${later}`, `mention #${hidden}`])
  expect(await world.call(markAllNotifications, mel, { state: 'done' })).toEqual({ changed: 3 })
  expect(await told(mel)).toEqual([])
  expect(await told(mel, { done: true })).toHaveLength(3)
  expect(await world.call(markAllNotifications, mel, { state: 'read' })).toEqual({ changed: 0 })
  expect(await told(mel, { done: true })).toHaveLength(3)
  expect(await told(max, { unread: true })).toEqual([`mention #${first}`])
  expect(
    (await refusal(world.call(markAllNotifications, mel, { state: 'read', before: 'yesterday' })))
      .field,
  ).toBe('before')
})
