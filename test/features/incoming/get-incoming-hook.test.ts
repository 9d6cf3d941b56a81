import { expect, test } from 'bun:test'
import { connectIntegration } from '#features/integrations/connect-integration.ts'
import { getIncomingHook } from '#features/incoming/get-incoming-hook.ts'
import { refusal } from '../../world.ts'
import { makeIncomingWorld } from './fixture.ts'

test('shows the address to Owners only, once there is one', async () => {
  const { connect, world, ada, bob } = await makeIncomingWorld()
  const { id, hook } = await connect('sentry')
  expect(await world.call(getIncomingHook, ada, { workspace: 'acme', id })).toEqual(hook)
  const bobs = await refusal(world.call(getIncomingHook, bob, { workspace: 'acme', id }))
  expect(bobs.status).toBe(403)
  const made = await world.call(connectIntegration, ada, { workspace: 'acme', provider: 'sentry' })
  const none = await refusal(world.call(getIncomingHook, ada, { workspace: 'acme', id: made.id }))
  expect(none.status).toBe(404)
})
