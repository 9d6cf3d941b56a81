import { expect, test } from 'bun:test'
import { getModelGateway } from '#features/models/get-model-gateway.ts'
import { makeModelWorld } from '../integrations/fixture.ts'

test('is off until somebody switches it on, and has an address; nobody else sees it', async () => {
  const { world, bob } = await makeModelWorld()
  const gateway = await world.call(getModelGateway, bob, { workspace: 'acme' })
  expect(gateway).toMatchObject({ enabled: false, max_usd_per_day: null, spent_usd_today: 0 })
  expect(gateway.url).toEndWith('/model/v1')
  const eve = await world.user('eve')
  const refused = await world
    .call(getModelGateway, eve, { workspace: 'acme' })
    .catch((error: unknown) => error)
  expect(refused).toMatchObject({ code: 'not_found' })
})
