/** Models of the built-in agent that answer with far too much. */
import { afterAll, expect, test } from 'bun:test'
import { listIntegrations } from '#features/integrations/list-integrations.ts'
import { updateIntegration } from '#features/integrations/update-integration.ts'
import { MODELS } from '../integrations/fixture.ts'
import { makeRunWorld, use, uses } from './fixture.ts'

test('of a thousand calls in one answer sixteen are made, and each has its result', async () => {
  const calls = Array.from({ length: 1_000 }, (_, from) => ({
    name: 'read',
    input: { path: 'README.md', from: from + 1 },
  }))
  const { world, assign, run, entries, provider } = await makeRunWorld([
    uses(...calls),
    use('ask', { question: 'And now?' }),
  ])
  const { pull } = await assign()
  await world.jobs()
  expect(run()?.reason).toBe('it asked a question')
  const tools = (await entries(pull.number)).filter(({ kind }) => kind === 'tool')
  expect(tools).toHaveLength(17)
  const messages = provider.asked[1]?.body.messages as { role: string; tool_calls?: object[] }[]
  expect(messages.flatMap(({ tool_calls = [] }) => tool_calls)).toHaveLength(16)
  expect(messages.filter(({ role }) => role === 'tool')).toHaveLength(16)
})

test('an answer without an end is cut off, paid for, and leaves the agent to a person', async () => {
  const { world, ada, assign, run, entries, db } = await makeRunWorld([])
  const event = new TextEncoder().encode(
    `data: ${JSON.stringify({ choices: [{ delta: { content: 'x'.repeat(65_536) } }] })}\n\n`,
  )
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: ({ method }) =>
      method === 'GET'
        ? Response.json({ data: [] })
        : new Response(new ReadableStream({ pull: (controller) => controller.enqueue(event) }), {
            headers: { 'content-type': 'text/event-stream' },
          }),
  })
  afterAll(() => server.stop(true))
  const [integration] = (await world.call(listIntegrations, ada, { workspace: 'acme' })).items
  await world.call(updateIntegration, ada, {
    workspace: 'acme',
    id: integration?.id ?? '',
    config: { base_url: `http://127.0.0.1:${server.port}`, models: MODELS },
    secret: 'sk-test',
  })
  const { pull } = await assign()
  await world.jobs()
  expect(run()?.state).toBe('waiting')
  expect(run()?.reason).toContain('answered with more than 16777216 bytes')
  expect((await entries(pull.number)).at(-1)?.text).toContain('the answer of the model broke off')
  expect(db.all('SELECT estimated, cost > 0 AS paid FROM model_calls')).toEqual([
    { estimated: 1, paid: 1 },
  ])
})
