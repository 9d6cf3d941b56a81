import { expect, test } from 'bun:test'
import { deleteWebhook } from '#features/webhooks/delete-webhook.ts'
import { DAY } from '#lib/time.ts'
import { refusal } from '../../world.ts'
import { makeIssueHookWorld } from './fixture.ts'

test('deleting ends it at once, and its rows go soon after', async () => {
  const { world, ada, hook, at, issue, issues, deliveries, after, db } = await makeIssueHookWorld()
  const made = await hook({ url: at.url('/500'), events: issues })
  await issue()
  await world.jobs()
  const before = at.got.length
  expect(await world.call(deleteWebhook, ada, { repo: 'acme/site', id: made.id })).toBeNull()
  expect((await refusal(deliveries(made.id))).code).toBe('not_found')
  expect(
    (await refusal(world.call(deleteWebhook, ada, { repo: 'acme/site', id: made.id }))).code,
  ).toBe('not_found')
  await issue()
  await world.hearth.jobs.start()
  await after(DAY)
  expect(at.got.length).toBe(before)
  expect([db.all('SELECT 1 FROM webhooks'), db.all('SELECT 1 FROM webhook_deliveries')]).toEqual([
    [],
    [],
  ])
  expect(db.all(`SELECT 1 FROM audit_log WHERE action = 'webhook.deleted'`)).toHaveLength(1)
})
