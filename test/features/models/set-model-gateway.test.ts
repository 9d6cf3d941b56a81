import { expect, test } from 'bun:test'
import { getModelGateway } from '#features/models/get-model-gateway.ts'
import { setModelGateway } from '#features/models/set-model-gateway.ts'
import { Refusal } from '#lib/errors.ts'
import { makeModelWorld } from '../integrations/fixture.ts'

test('an owner switches it on with a budget and off again; members only see it', async () => {
  const { world, ada, bob } = await makeModelWorld()
  const on = { workspace: 'acme', enabled: true, max_usd_per_day: 2.5 }
  expect(await world.call(setModelGateway, ada, on)).toMatchObject({
    enabled: true,
    max_usd_per_day: 2.5,
    spent_usd_today: 0,
  })
  const refused = await world.call(setModelGateway, bob, on).catch((error: unknown) => error)
  expect(refused).toMatchObject({ reason: 'role' })
  expect(refused).toBeInstanceOf(Refusal)
  await world.call(setModelGateway, ada, { workspace: 'acme', enabled: false })
  expect(await world.call(getModelGateway, bob, { workspace: 'acme' })).toMatchObject({
    enabled: false,
    max_usd_per_day: null,
  })
})
