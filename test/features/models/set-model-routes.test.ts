import { expect, test } from 'bun:test'
import { setModelRoutes } from '#features/models/set-model-routes.ts'
import { refusal } from '../../world.ts'
import { makeModelWorld } from '../integrations/fixture.ts'

test('replaces all routes, and an empty list clears them', async () => {
  const { world, ada, connect } = await makeModelWorld()
  const { id } = await connect()
  const set = (routes: NonNullable<(typeof setModelRoutes)['__input']>['routes']) =>
    world.call(setModelRoutes, ada, { workspace: 'acme', routes })
  const answer = await set([
    { task: 'review', integration: id, model: 'large', temperature: 0.2 },
    {
      task: 'code',
      integration: id,
      model: 'small',
      max_usd: 2,
      max_output_tokens: 1000,
      fallback: [{ integration: id, model: 'large' }],
    },
  ])
  expect(answer).toEqual({
    routes: [
      {
        task: 'code',
        integration: id,
        model: 'small',
        max_output_tokens: 1000,
        temperature: null,
        max_usd: 2,
        fallback: [{ integration: id, model: 'large' }],
      },
      {
        task: 'review',
        integration: id,
        model: 'large',
        max_output_tokens: null,
        temperature: 0.2,
        max_usd: null,
        fallback: [],
      },
    ],
  })
  expect((await set([{ task: 'default', integration: id, model: 'small' }])).routes).toHaveLength(1)
  expect(await set([])).toEqual({ routes: [] })
})

test('names what is unknown, and changes nothing then', async () => {
  const { world, ada, bob, connect, db } = await makeModelWorld()
  const { id } = await connect()
  const tracker = await connect({ provider: 'github', config: { base_url: 'http://127.0.0.1:1' } })
  await world.workspace('other', { owner: ada })
  const set = async (route: object, as = ada, workspace = 'acme') => {
    const { code, field } = await refusal(
      world.call(setModelRoutes, as, { workspace, routes: [route as never] }),
    )
    return [code, field]
  }
  const good = { task: 'code', integration: id, model: 'small' }
  expect(await set({ ...good, task: 'poetry' })).toEqual(['invalid', 'routes[0].task'])
  expect(await set({ ...good, integration: 'itg_x' })).toEqual(['invalid', 'routes[0].integration'])
  expect(await set(good, ada, 'other')).toEqual(['invalid', 'routes[0].integration'])
  expect(await set({ ...good, integration: tracker.id })).toEqual([
    'invalid',
    'routes[0].integration',
  ])
  expect(await set({ ...good, model: 'huge' })).toEqual(['invalid', 'routes[0].model'])
  expect(await set({ ...good, fallback: [{ integration: id, model: 'huge' }] })).toEqual([
    'invalid',
    'routes[0].fallback[0].model',
  ])
  expect(await set(good, bob)).toEqual(['forbidden', null])
  expect(
    await refusal(
      world.call(setModelRoutes, ada, { workspace: 'acme', routes: [good, good] as never }),
    ),
  ).toMatchObject({ field: 'routes[1].task' })
  expect(db.all('SELECT * FROM model_routes')).toEqual([])
})
