import { expect, test } from 'bun:test'
import { getModelUsage } from '#features/models/get-model-usage.ts'
import { createPull } from '#features/pulls/lifecycle/create-pull.ts'
import { updateIntegration } from '#features/integrations/update-integration.ts'
import { DAY } from '#lib/time.ts'
import { makeGateway, REPO } from './gateway-fixture.ts'

const hello = { messages: [{ role: 'user', content: 'Hello' }] }

test('costs by day, agent, pull request, task and model have the same sum, and only for owners', async () => {
  const { world, ada, bob, post, token, agent, provider, integration, setRoutes, route } =
    await makeGateway()
  await setRoutes(route(), route({ model: 'large' }, 'review'))
  await world.commit(REPO, 'main', { 'b.txt': 'b\n' })
  await world.commit(REPO, 'topic', { 'a.txt': 'a\n' })

  const { pull } = await world.call(createPull, ada, { repo: REPO, title: 'A', branch: 'topic' })
  const helper = await agent({ pull: pull.number })
  const person = await token()
  await post('/chat/completions', helper.secret, hello)
  await post('/chat/completions', person, { ...hello, model: 'review' })
  world.clock.advance(DAY)
  await post('/chat/completions', person, hello)

  const usage = (by: 'day' | 'agent' | 'pull' | 'task' | 'model', days = 30) =>
    world.call(getModelUsage, ada, { workspace: 'acme', by, days })
  const small = 180 / 1e6
  const large = 1800 / 1e6
  for (const by of ['day', 'agent', 'pull', 'task', 'model'] as const) {
    const { total, rows } = await usage(by)
    expect([total.calls, total.cost_usd]).toEqual([3, 2 * small + large])
    expect(rows.reduce((sum, { cost_usd }) => sum + Math.round((cost_usd ?? 0) * 1e6), 0)).toBe(
      2160,
    )
  }
  expect((await usage('day')).rows.map(({ calls }) => calls)).toEqual([1, 2])
  expect((await usage('agent')).rows.map(({ name }) => name)).toEqual(['ada', 'ada/helper'])
  expect((await usage('pull')).rows.map(({ name }) => name)).toEqual([
    null,
    `${REPO}#${pull.number}`,
  ])
  expect((await usage('task')).rows.map(({ key }) => key)).toEqual(['review', 'code'])
  expect((await usage('model', 1)).rows).toMatchObject([{ key: 'small', calls: 1 }])

  // A model without a price costs an unknown amount, which is not nothing.
  await world.call(updateIntegration, ada, {
    workspace: 'acme',
    id: integration.id,
    config: { base_url: provider.url, models: [{ id: 'small' }, { id: 'large' }] },
  })
  await post('/chat/completions', person, hello)
  world.clock.advance(DAY)
  await post('/chat/completions', person, hello)
  expect((await usage('day', 1)).total).toMatchObject({ cost_usd: null, unpriced_calls: 1 })
  expect((await usage('day', 2)).total).toMatchObject({ calls: 3, unpriced_calls: 2 })
  const refused = await world
    .call(getModelUsage, bob, { workspace: 'acme' })
    .catch((error: unknown) => error)
  expect(refused).toMatchObject({ reason: 'role' })
})
