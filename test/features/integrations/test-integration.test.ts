import { expect, test } from 'bun:test'
import { listIntegrations } from '#features/integrations/list-integrations.ts'
import { testIntegration } from '#features/integrations/test-integration.ts'
import { updateIntegration } from '#features/integrations/update-integration.ts'
import { checkIntegrations } from '#features/integrations/check-integrations.ts'
import { refusal } from '../../world.ts'
import { setModelRoutes } from '#features/models/set-model-routes.ts'
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

test('a hostile service is read with bounds, is not followed, and gets its secret back from nobody', async () => {
  const visited: string[] = []
  const trap = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: ({ url }) => {
      visited.push(url)
      return Response.json({ data: [] })
    },
  })
  const answers: Readonly<Record<string, () => Response>> = {
    endless: () =>
      new Response(
        new ReadableStream({
          pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
        }),
      ),
    redirect: () => Response.redirect(`http://127.0.0.1:${trap.port}/`, 302),
    echo: () => Response.json({ error: 'bad sk-test' }, { status: 401 }),
    bomb: () =>
      new Response(Bun.gzipSync(new Uint8Array(50_000_000)), {
        headers: { 'content-encoding': 'gzip' },
      }),
  }
  let answer = answers.endless
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => answer?.() ?? new Response(null, { status: 404 }),
  })
  try {
    const { world, ada, connect } = await makeModelWorld()
    const { id } = await connect({ config: { base_url: `http://127.0.0.1:${server.port}` } })
    const results: Record<string, boolean> = {}
    for (answer of Object.values(answers)) {
      const test = await world.call(testIntegration, ada, { workspace: 'acme', id })
      const name = Object.keys(answers).find((one) => answers[one] === answer) ?? ''
      results[name] = test.ok
      expect(JSON.stringify(test)).not.toContain('sk-test')
    }
    expect(results).toEqual({ endless: true, redirect: false, echo: false, bomb: true })
    expect(visited).toEqual([])
  } finally {
    await Promise.all([server.stop(true), trap.stop(true)])
  }
})

test('measures a model by a short answer, which is billed, and forgets it with the address', async () => {
  const { world, ada, connect, db, provider } = await makeModelWorld(() => ({
    text: 'one two three four five six seven eight',
    input_tokens: 20,
    output_tokens: 30,
  }))
  const { id } = await connect()
  const target = { workspace: 'acme', id }
  const { speed } = await world.call(testIntegration, ada, target)
  expect(speed).toMatchObject({ model: 'small', error: null })
  expect(speed?.first_token_ms).toBeGreaterThanOrEqual(0)
  expect(db.all('SELECT task, model, input_tokens, output_tokens FROM model_calls')).toEqual([
    { task: 'default', model: 'small', input_tokens: 20, output_tokens: 30 },
  ])
  const read = async () =>
    (await world.call(listIntegrations, ada, { workspace: 'acme' })).items[0]?.speed
  expect(await read()).toEqual(speed)
  const route = { integration: id, model: 'large' }
  const setRoute = (task: 'embed' | 'review') =>
    world.call(setModelRoutes, ada, { workspace: 'acme', routes: [{ task, ...route }] })
  await setRoute('review')
  expect((await world.call(testIntegration, ada, target)).speed?.model).toBe('large')
  await setRoute('embed')
  expect((await world.call(testIntegration, ada, target)).speed?.model).toBe('small')
  await world.call(updateIntegration, ada, { ...target, config: { base_url: provider.url } })
  expect(await read()).toBeNull()
})
