import { expect, test } from 'bun:test'
import { listIntegrations } from '#features/integrations/list-integrations.ts'
import { testIntegration } from '#features/integrations/test-integration.ts'
import { checkIntegrations } from '#features/integrations/check-integrations.ts'
import { refusal } from '../../world.ts'
import { makeModelWorld } from './fixture.ts'

test('says whether the service answers, and remembers it', async () => {
  const { world, ada, bob, connect, provider } = await makeModelWorld()
  const { id } = await connect()
  const target = { workspace: 'acme', id }
  const good = await world.call(testIntegration, ada, target)
  expect([good.ok, good.error, typeof good.latency_ms]).toEqual([true, null, 'number'])
  expect((await refusal(world.call(testIntegration, bob, target))).reason).toBe('role')
  provider.stop()
  const bad = await world.call(testIntegration, ada, target)
  expect([bad.ok, bad.latency_ms]).toEqual([false, null])
  expect(bad.error).toContain('cannot be reached')
  const { items } = await world.call(listIntegrations, ada, { workspace: 'acme' })
  expect(items[0]).toMatchObject({ status: 'failing', last_error: bad.error })
})

test('a regular test finds a service that has stopped', async () => {
  const { world, ada, connect, provider } = await makeModelWorld()
  await connect()
  await connect({ name: 'second' })
  provider.stop()
  await world.write((tx) => void tx.enqueue(checkIntegrations, null))
  await world.jobs()
  const { items } = await world.call(listIntegrations, ada, { workspace: 'acme' })
  expect(items.map(({ status }) => status)).toEqual(['failing', 'failing'])
})
