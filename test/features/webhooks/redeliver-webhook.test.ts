import { expect, test } from 'bun:test'
import { redeliverWebhook } from '#features/webhooks/redeliver-webhook.ts'
import { MINUTE } from '#lib/time.ts'
import { refusal } from '../../world.ts'
import { makeIssueHookWorld } from './fixture.ts'

test('arrives by a later try; a redelivery is a new delivery of the same event', async () => {
  const { world, ada, hook, at, issue, issues, deliveries, after, look } =
    await makeIssueHookWorld()
  const made = await hook({ events: issues })
  await world.jobs()
  at.answerWith(() => new Response('busy', { status: 503 }))
  await issue()
  await world.jobs()
  at.answerWith(null)
  await after(MINUTE)
  const [arrived] = await deliveries(made.id)
  expect(arrived).toMatchObject({
    attempt: 2,
    state: 'delivered',
    next_retry_at: null,
    response: { status: 200 },
  })
  expect(await look(made.id)).toMatchObject({ status: 'green' })

  const again = await world.call(redeliverWebhook, ada, {
    repo: 'acme/site',
    id: made.id,
    delivery: arrived?.id ?? '',
  })
  expect(again).toMatchObject({
    state: 'sent',
    attempt: 1,
    redelivery_of: arrived?.id,
    event: arrived?.event,
  })
  await world.jobs()
  const [, first, , second] = at.got
  expect([
    second?.body === first?.body,
    second?.headers.get('x-svc-delivery'),
    first?.headers.get('x-svc-delivery'),
  ]).toEqual([true, again.id, arrived?.id])
  expect(
    (
      await refusal(
        world.call(redeliverWebhook, ada, {
          repo: 'acme/site',
          id: made.id,
          delivery: 'dlv_nonsense',
        }),
      )
    ).code,
  ).toBe('not_found')
})
