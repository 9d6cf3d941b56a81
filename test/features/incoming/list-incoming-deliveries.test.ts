import { expect, test } from 'bun:test'
import { sweepIncoming } from '#features/incoming/sweep.ts'
import { DAY } from '#lib/time.ts'
import { makeIncomingWorld } from './fixture.ts'
import { alert, alerts } from './payloads.ts'

test('says what each event did, newest first, for 30 days', async () => {
  const { connect, world } = await makeIncomingWorld()
  const { send, deliveries } = await connect('alertmanager', { secret: '' })
  await send(alerts(alert('firing')))
  await send('{')
  await send({ version: '4', alerts: [] })
  expect(await deliveries()).toMatchObject([
    { state: 'ignored', message: 'not about an issue', issues: [] },
    { state: 'failed', message: 'the body is not valid JSON', size: 1 },
    { state: 'done', event: 'firing', message: null, issues: [1] },
  ])
  world.clock.advance(31 * DAY)
  await send(alerts(alert('resolved')))
  await sweepIncoming.run(
    { hearth: world.hearth, signal: new AbortController().signal } as never,
    null,
  )
  expect(await deliveries()).toMatchObject([{ state: 'done', issues: [1] }])
})
