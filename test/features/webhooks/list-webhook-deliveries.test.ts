import { expect, test } from 'bun:test'
import { listWebhookDeliveries } from '#features/webhooks/list-webhook-deliveries.ts'
import { refusal } from '../../world.ts'
import { makeIssueHookWorld } from './fixture.ts'

test('go back from an id, newest first, and narrow by state', async () => {
  const { world, ada, hook, at, issue, issues, deliveries } = await makeIssueHookWorld()
  const made = await hook({ events: issues })
  await world.jobs()
  for (let n = 0; n < 4; n++) await issue()
  at.answerWith(
    (request) =>
      new Response(null, {
        status: request.headers.get('x-svc-delivery')?.endsWith('0') ? 500 : 200,
      }),
  )
  await world.jobs()
  const all = await deliveries(made.id)
  expect(all.map(({ id }) => id)).toEqual(
    all
      .map(({ id }) => id)
      .sort()
      .reverse(),
  )
  const page = (input: object) =>
    world.call(listWebhookDeliveries, ada, { repo: 'acme/site', id: made.id, ...input })
  const first = await page({ per_page: 2 })
  const second = await page({ per_page: 2, before: first.items[1]?.id })
  const third = await page({ per_page: 2, cursor: second.next ?? '' })
  expect([...first.items, ...second.items, ...third.items].map(({ id }) => id)).toEqual(
    all.map(({ id }) => id),
  )
  expect(third.next).toBeNull()
  for (const state of ['delivered', 'waiting', 'failed', 'cancelled', 'sent'] as const) {
    expect((await deliveries(made.id, { state })).map(({ id }) => id)).toEqual(
      all.filter((one) => one.state === state).map(({ id }) => id),
    )
  }
  expect((await refusal(page({ before: 'evt_x' }))).code).toBe('not_found')
  expect((await refusal(page({ page: 2 }))).field).toBe('page')
})
