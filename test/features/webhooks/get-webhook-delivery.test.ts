import { expect, test } from 'bun:test'
import { getWebhookDelivery } from '#features/webhooks/get-webhook-delivery.ts'
import { makeIssueHookWorld, rawReceiver } from './fixture.ts'

test('an answer is kept to 64 KiB, in lists to 1 KiB, and one that never ends has still arrived', async () => {
  const { world, ada, hook, at, deliveries } = await makeIssueHookWorld()
  at.answerWith(() => new Response('é'.repeat(100_000)))
  const made = await hook()
  await world.jobs()
  const [short] = await deliveries(made.id)
  const whole = await world.call(getWebhookDelivery, ada, {
    repo: 'acme/site',
    id: made.id,
    delivery: short?.id ?? '',
  })
  expect([short?.response?.body.length, Buffer.byteLength(whole.response?.body ?? '')]).toEqual([
    1024, 65_536,
  ])
  const breaksOff = await rawReceiver((socket) =>
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc'),
  )
  const other = await hook({ url: breaksOff })
  await world.jobs()
  expect((await deliveries(other.id))[0]).toMatchObject({
    state: 'delivered',
    response: { status: 200 },
  })
})
