import { expect, test } from 'bun:test'
import { disconnectIntegration } from '#features/integrations/disconnect-integration.ts'
import { listIntegrations } from '#features/integrations/list-integrations.ts'
import { setModelRoutes } from '#features/models/set-model-routes.ts'
import { getModelRoutes } from '#features/models/get-model-routes.ts'
import { refusal } from '../../world.ts'
import { makeModelWorld } from './fixture.ts'

test('deletes the secret, and routes go on with their fallback or end', async () => {
  const { world, ada, bob, connect, db } = await makeModelWorld()
  const first = await connect({ name: 'first' })
  const second = await connect({ name: 'second' })
  const route = (task: 'code' | 'plan' | 'default', integration: string) => ({
    task,
    integration,
    model: 'small',
  })
  await world.call(setModelRoutes, ada, {
    workspace: 'acme',
    routes: [
      { ...route('code', first.id), fallback: [{ integration: second.id, model: 'large' }] },
      route('plan', first.id),
      { ...route('default', second.id), fallback: [{ integration: first.id, model: 'large' }] },
    ],
  })
  const target = { workspace: 'acme', id: first.id }
  expect((await refusal(world.call(disconnectIntegration, bob, target))).reason).toBe('role')
  await world.call(disconnectIntegration, ada, target)
  expect(db.all('SELECT id FROM integrations')).toEqual([{ id: second.id }])
  const { routes } = await world.call(getModelRoutes, ada, { workspace: 'acme' })
  expect(routes.map(({ task, model, fallback }) => [task, model, fallback.length])).toEqual([
    ['code', 'large', 0],
    ['default', 'small', 0],
  ])
  expect((await world.call(listIntegrations, ada, { workspace: 'acme' })).total).toBe(1)
  expect((await refusal(world.call(disconnectIntegration, ada, target))).code).toBe('not_found')
})
