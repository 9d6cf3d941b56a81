import { expect, test } from 'bun:test'
import { addComment } from '#features/issues/comments/add-comment.ts'
import { excerptOf } from '#features/notifications/excerpts.ts'
import { listNotifications } from '#features/notifications/list-notifications.ts'
import { makeNotificationWorld } from './fixture.ts'
import { countQueries } from '../../queries.ts'

test('an excerpt is one line of what was written, without quotes and signs', () => {
  expect(excerptOf('> Somebody said\n\n**Yes**, see [the plan](https://example.com/x).\n')).toBe(
    'Yes, see the plan.',
  )
  expect(excerptOf('> only a quote')).toBe('')
  expect([...excerptOf('𝒳'.repeat(500))]).toHaveLength(200)
  expect(excerptOf('[a]('.repeat(10_000)).length).toBeLessThanOrEqual(200)
})

test('a notification tells who did what, with the beginning of the text', async () => {
  const { world, issue, told, ada, mel, otto } = await makeNotificationWorld()
  const number = await issue(ada, { title: 'Roof', body: '@mel please look' })
  await world.call(addComment, otto, { repo: 'acme/site', number, body: '> quote\n\nIt *leaks*' })
  await told(mel)
  const { items } = await world.call(listNotifications, mel, {})
  expect(items).toHaveLength(1)
  expect(items[0]?.happened).toMatchObject({
    actor: { username: 'otto' },
    summary: expect.stringContaining('otto'),
    excerpt: 'It leaks',
  })
})

test('a longer list asks the database no more often', async () => {
  const { world, hearth, issue, told, ada, mel } = await makeNotificationWorld()
  const asked = async () => {
    await told(mel)
    return (await countQueries(hearth, () => world.call(listNotifications, mel, {}))).queries
  }
  for (let at = 0; at < 2; at++) await issue(ada, { body: '@mel' })
  const few = await asked()
  for (let at = 0; at < 8; at++) await issue(ada, { body: '@mel' })
  expect(await asked()).toBe(few)
})
