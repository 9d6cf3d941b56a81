import { expect, test } from 'bun:test'
import { listNotifications } from '#features/notifications/list-notifications.ts'
import { markNotification } from '#features/notifications/mark-notification.ts'
import { countUnread } from '#features/notifications/index.ts'
import { refusal } from '../../world.ts'
import { makeNotificationWorld } from './fixture.ts'

test("mark_notification: unread, read, done, and only one's own", async () => {
  const { world, hearth, issue, comment, told, ada, mel, max } = await makeNotificationWorld()
  const number = await issue(ada, { body: '@mel' })
  await told(mel)
  const id = (await world.call(listNotifications, mel, {})).items[0]?.id ?? ''
  expect(countUnread(hearth, mel)).toBe(1)
  expect(await world.call(markNotification, mel, { id, state: 'read' })).toMatchObject({
    unread: false,
    done: false,
  })
  expect(countUnread(hearth, mel)).toBe(0)
  expect(await world.call(markNotification, mel, { id, state: 'unread' })).toMatchObject({
    unread: true,
    done: false,
  })
  expect(await world.call(markNotification, mel, { id, state: 'done' })).toMatchObject({
    unread: false,
    done: true,
  })
  expect(await told(mel)).toEqual([])
  await comment(ada, number, 'More.')
  expect(await told(mel)).toEqual([`mention #${number}`])
  for (const wrong of ['ntf_x', 'nonsense', 'evt_01h455vb4pex5vsknk084sn02q'])
    expect(
      (await refusal(world.call(markNotification, mel, { id: wrong, state: 'read' }))).code,
    ).toBe('not_found')
  expect((await refusal(world.call(markNotification, max, { id, state: 'done' }))).code).toBe(
    'not_found',
  )
  expect(await told(mel, { unread: true })).toEqual([`mention #${number}`])
})
