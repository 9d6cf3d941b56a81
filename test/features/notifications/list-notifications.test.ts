import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { listNotifications } from '#features/notifications/list-notifications.ts'
import { markAllNotifications } from '#features/notifications/mark-all-notifications.ts'
import { markNotification } from '#features/notifications/mark-notification.ts'
import { MINUTE } from '#lib/time.ts'
import { agentOf, refusal, withToken, workspaceCaller } from '../../world.ts'
import { makeNotificationWorld } from './fixture.ts'

test('list_notifications answers records, newest first, page by page, without repeats', async () => {
  const { world, issue, comment, told, ada, mel, otto } = await makeNotificationWorld()
  const numbers: number[] = []
  for (let at = 0; at < 5; at++) {
    numbers.push(await issue(ada, { title: `Issue ${at}`, body: '@mel' }))
    world.clock.advance(MINUTE)
  }
  await told(mel)
  const first = await world.call(listNotifications, mel, { per_page: 2 })
  expect(first.items[0]).toEqual({
    id: expect.stringMatching(/^ntf_/),
    reason: 'mention',
    unread: true,
    done: false,
    subject: {
      kind: 'issue',
      repo: 'acme/site',
      number: numbers[4] ?? 0,
      id: null,
      title: 'Issue 4',
      url: `https://hearth.test/acme/site/issues/${numbers[4]}`,
      state: 'open',
      review: null,
      checks: null,
    },
    repo: 'acme/site',
    happened: {
      actor: expect.objectContaining({ username: 'ada' }),
      summary: expect.stringContaining('ada opened'),
      excerpt: '@mel',
    },
    last_event: expect.stringMatching(/^evt_/),
    updated_at: '2026-03-01T12:04:00.000Z',
    created_at: '2026-03-01T12:04:00.000Z',
  })
  const second = await world.call(listNotifications, mel, { per_page: 2, before: first.next ?? '' })
  const third = await world.call(listNotifications, mel, { per_page: 2, cursor: second.next ?? '' })
  expect(
    [...first.items, ...second.items, ...third.items].map(({ subject }) => subject.number),
  ).toEqual([...numbers].reverse())
  expect(third.next).toBeNull()
  // Something new moves one to the top, and makes no second one.
  await comment(otto, numbers[0] ?? 0, 'New.')
  expect((await told(mel))[0]).toBe(`mention #${numbers[0]}`)
  expect(await told(mel)).toHaveLength(5)
  const { items } = await world.call(listNotifications, mel, {})
  expect(items[0]).toMatchObject({
    updated_at: '2026-03-01T12:05:00.000Z',
    created_at: '2026-03-01T12:00:00.000Z',
  })
})

test('list_notifications filters by state, reason and repository', async () => {
  const { world, issue, told, ada, mel } = await makeNotificationWorld()
  const first = await issue(ada, { body: '@mel' })
  const second = await issue(ada, { assignees: ['mel'] })
  const third = await issue(ada, { body: '@mel' }, 'acme/vault')
  await told(mel)
  const [newest, middle] = (await world.call(listNotifications, mel, {})).items
  await world.call(markNotification, mel, { id: newest?.id ?? '', state: 'read' })
  await world.call(markNotification, mel, { id: middle?.id ?? '', state: 'done' })
  expect(await told(mel, { unread: true })).toEqual([`mention #${first}`])
  expect(await told(mel, { unread: false })).toEqual([`mention #${third}`])
  expect(await told(mel, { done: true })).toEqual([`assigned #${second}`])
  expect(await told(mel, { reason: 'assigned' })).toEqual([])
  expect(await told(mel, { repo: 'acme/vault' })).toEqual([`mention #${third}`])
  expect((await refusal(world.call(listNotifications, mel, { repo: 'acme/nothing' }))).code).toBe(
    'not_found',
  )
  expect((await refusal(world.call(listNotifications, mel, { before: 'ntf_x' }))).code).toBe(
    'not_found',
  )
  expect(
    (await refusal(world.call(listNotifications, ada, { before: newest?.id ?? '' }))).code,
  ).toBe('not_found')
})

test('agents and workspaces have none, and a narrowed token sees no more than it may', async () => {
  const { world, issue, told, ada, mel, otto, site, vault, workspace } =
    await makeNotificationWorld()
  await issue(ada, { body: '@mel' })
  const hidden = await issue(ada, { body: '@mel' }, 'acme/vault')
  await told(mel)
  expect(await told(withToken(mel, { repos: [vault.id] }))).toEqual([`mention #${hidden}`])
  expect(await told(withToken(mel, { scopes: ['user:read'] }))).toHaveLength(2)
  expect(
    (await refusal(world.call(listNotifications, withToken(mel, { scopes: ['repo:read'] }), {})))
      .details,
  ).toEqual({ scope: 'user:read' })
  expect((await refusal(world.call(listNotifications, anonymous, {}))).code).toBe('unauthenticated')
  expect(
    (await world.call(listNotifications, workspaceCaller(workspace, { scopes: null }), {})).items,
  ).toEqual([])
  expect(
    (await world.call(listNotifications, agentOf(mel, site, { id: 'agt_1' }), {})).items,
  ).toEqual([])
  expect(
    await world.call(markAllNotifications, agentOf(mel, site, { id: 'agt_1' }), { state: 'read' }),
  ).toEqual({ changed: 0 })
  expect(await told(otto)).toEqual([])
})
