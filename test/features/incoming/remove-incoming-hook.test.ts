import { expect, test } from 'bun:test'
import { disconnectIntegration } from '#features/integrations/disconnect-integration.ts'
import { removeIncomingHook } from '#features/incoming/remove-incoming-hook.ts'
import { makeIncomingWorld } from './fixture.ts'
import { alert, alerts } from './payloads.ts'

test('ends the address and leaves the issues', async () => {
  const { connect, world, ada, issues } = await makeIncomingWorld()
  const { id, send } = await connect('alertmanager', { secret: '' })
  await send(alerts(alert('firing')))
  await world.call(removeIncomingHook, ada, { workspace: 'acme', id })
  expect((await send(alerts(alert('resolved')))).status).toBe(404)
  expect(await issues()).toMatchObject([{ author: { username: 'ada/alertmanager' } }])
  const other = await connect('alertmanager', { secret: '' })
  await other.send(alerts(alert('firing')))
  await world.call(disconnectIntegration, ada, { workspace: 'acme', id: other.id })
  expect((await other.send(alerts(alert('resolved')))).status).toBe(404)
  expect(await issues()).toHaveLength(2)
})
