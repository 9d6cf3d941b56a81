import { expect, test } from 'bun:test'
import { getModelRoutes } from '#features/models/get-model-routes.ts'
import { requireRoute } from '#features/models/index.ts'
import { setModelRoutes } from '#features/models/set-model-routes.ts'
import { refusal } from '../../world.ts'
import { makeModelWorld } from '../integrations/fixture.ts'

test('members read the routes; a task without one uses the default', async () => {
  const { world, ada, bob, connect, db } = await makeModelWorld()
  const { id } = await connect()
  const workspace_id = db.one<{ workspace_id: string }>('SELECT workspace_id FROM integrations')
    ?.workspace_id as string
  expect(await world.call(getModelRoutes, bob, { workspace: 'acme' })).toEqual({ routes: [] })
  expect(() => requireRoute(db, workspace_id, 'code')).toThrow('no model is set for code in acme')
  await world.call(setModelRoutes, ada, {
    workspace: 'acme',
    routes: [
      { task: 'default', integration: id, model: 'small' },
      { task: 'plan', integration: id, model: 'large' },
    ],
  })
  expect(requireRoute(db, workspace_id, 'code').model).toBe('small')
  expect(requireRoute(db, workspace_id, 'plan').model).toBe('large')
  const eve = await world.user('eve')
  expect((await refusal(world.call(getModelRoutes, eve, { workspace: 'acme' }))).code).toBe(
    'not_found',
  )
})
