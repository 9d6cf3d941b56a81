/** Model servers that fail, and those that want to do harm. */
import { afterAll, describe, expect, test } from 'bun:test'
import { listIntegrations } from '#features/integrations/list-integrations.ts'
import { updateIntegration } from '#features/integrations/update-integration.ts'
import { SECOND } from '#lib/time.ts'
import { modelServer } from '../../models/provider.ts'
import { MODELS } from '../integrations/fixture.ts'
import { dataIn, makeGateway } from './gateway-fixture.ts'

const hello = { messages: [{ role: 'user', content: 'Hello' }] }

describe('failures', () => {
  test('a model that fails is left alone for a while, and its fallback called at once', async () => {
    const { world, ada, connect, provider, setRoutes, route, post, token, calls } =
      await makeGateway(() => ({ status: 503, headers: { 'retry-after': '0' } }))
    const other = modelServer(() => ({ text: 'Other.' }))
    const second = await connect({
      name: 'second',
      config: { base_url: other.url, models: MODELS },
    })
    await setRoutes(route({ fallback: [{ integration: second.id, model: 'large' }] }))
    const secret = await token()
    for (let call = 0; call < 5; call++) {
      const response = await post('/messages', secret, { ...hello, max_tokens: 50 })
      expect([response.status, await response.text()]).toEqual([
        200,
        expect.stringContaining('Other.'),
      ])
    }
    expect(provider.asked).toHaveLength(4)
    expect(new Set(calls().map(({ model }) => model))).toEqual(new Set(['large']))
    const { items } = await world.call(listIntegrations, ada, { workspace: 'acme' })
    expect(items.map(({ status }) => status).sort()).toEqual(['connected', 'failing'])
    world.clock.advance(31 * SECOND)
    await post('/chat/completions', secret, hello)
    expect(provider.asked.length).toBeGreaterThan(4)
  })

  test('without a fallback the client hears when to come back', async () => {
    const { provider, post, token, calls } = await makeGateway(() => ({
      status: 500,
      headers: { 'retry-after': '0' },
    }))
    const secret = await token()
    const statuses = []
    for (let call = 0; call < 3; call++)
      statuses.push((await post('/chat/completions', secret, hello)).status)
    expect(statuses).toEqual([502, 502, 503])
    const resting = await post('/chat/completions', secret, hello)
    expect(Number(resting.headers.get('retry-after'))).toBeWithin(1, 31)
    expect(provider.asked).toHaveLength(4)
    expect(calls()).toHaveLength(0)
  })

  test('a provider that wants a long pause is not waited for', async () => {
    const { provider, post, token } = await makeGateway(() => ({
      status: 429,
      headers: { 'retry-after': '3600' },
    }))
    expect((await post('/chat/completions', await token(), hello)).status).toBe(502)
    expect(provider.asked).toHaveLength(1)
  })

  test('what a provider says of the request reaches the client, what it says of its key does not', async () => {
    let [status, message] = [400, 'the prompt is too long']
    const { post, token } = await makeGateway(() => ({ status, message }))
    const secret = await token()
    const long = await post('/messages', secret, { ...hello, max_tokens: 50 })
    expect([long.status, await long.json()]).toMatchObject([
      400,
      { error: { type: 'invalid_request_error', message: 'the prompt is too long' } },
    ])
    ;[status, message] = [401, 'Incorrect API key provided: sk-hou**7890']
    const refused = await post('/chat/completions', secret, hello)
    expect([refused.status, refused.headers.get('x-should-retry')]).toEqual([502, 'false'])
    expect(await refused.text()).not.toContain('sk-hou')
  })
})

const encoder = new TextEncoder()
const STREAM = { headers: { 'content-type': 'text/event-stream' } }
const sse = (...data: unknown[]): Response =>
  new Response(data.map((one) => `data: ${JSON.stringify(one)}\n\n`).join(''), STREAM)
const endless = (piece: string): Response =>
  new Response(
    new ReadableStream({
      pull: (controller) => controller.enqueue(encoder.encode(piece)),
    }),
    STREAM,
  )

describe('hostile model servers', () => {
  const visited: string[] = []
  const trap = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: ({ url }) => {
      visited.push(url)
      return Response.json({ choices: [{ message: { content: 'stolen' } }] })
    },
  })
  afterAll(() => trap.stop(true))

  async function attack(answer: (request: Request) => Response | Promise<Response>) {
    const gateway = await makeGateway()
    const server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      idleTimeout: 60,
      fetch: (request) =>
        request.method === 'GET' ? Response.json({ data: [] }) : answer(request),
    })
    afterAll(() => server.stop(true))
    await gateway.world.call(updateIntegration, gateway.ada, {
      workspace: 'acme',
      id: gateway.integration.id,
      config: { base_url: `http://127.0.0.1:${server.port}`, models: MODELS },
      secret: 'sk-house-key-1234567890',
    })
    const secret = await gateway.token()
    const ask = async (path: string, stream: boolean) => {
      const response = await gateway.post(path, secret, { ...hello, max_tokens: 50, stream })
      return { status: response.status, text: await response.text().catch(() => 'broken off') }
    }
    return { ...gateway, ask }
  }
  const PATHS = ['/chat/completions', '/messages'] as const

  const floods: Readonly<Record<string, () => Response>> = {
    'a line without an end': () => endless('x'.repeat(65_536)),
    'an event without an end': () => endless(`data: ${'x'.repeat(65_536)}\n`),
    'a stream without an end': () =>
      endless(
        `data: ${JSON.stringify({ choices: [{ delta: { content: 'x'.repeat(65_536) } }] })}\n\n`,
      ),
    'a redirect to another address': () =>
      new Response(null, { status: 307, headers: { location: `http://127.0.0.1:${trap.port}/` } }),
    'a compressed bomb': () =>
      new Response(Bun.gzipSync(new Uint8Array(50_000_000)), {
        headers: { 'content-encoding': 'gzip', 'content-type': 'application/json' },
      }),
    'a page': () =>
      new Response('<html>Welcome</html>', { headers: { 'content-type': 'text/html' } }),
    'an answer of a million values': () =>
      new Response(`{"choices":[${'{},'.repeat(1_100_000)}{}]}`, {
        headers: { 'content-type': 'application/json' },
      }),
    'an answer of a hundred megabytes': () => {
      let left = 100
      const part = new Uint8Array(1024 ** 2).fill(0x20)
      return new Response(
        new ReadableStream({
          pull: (controller) => (left-- > 0 ? controller.enqueue(part) : controller.close()),
        }),
        { headers: { 'content-type': 'application/json' } },
      )
    },
    'an error as an answer': () => sse({ error: { message: 'out of memory' } }),
  }
  for (const [what, answer] of Object.entries(floods))
    test(`${what} ends as an error`, async () => {
      const { ask, calls } = await attack(answer)
      for (const path of PATHS)
        for (const stream of [false, true]) {
          const { status, text } = await ask(path, stream)
          if (status === 200) expect(text).toMatch(/"error"|message_stop|\[DONE\]|^$/)
          else expect([502, 503]).toContain(status)
          expect(text.length).toBeLessThan(20 * 1024 * 1024)
          expect(text).not.toContain('stolen')
        }
      expect(visited).toEqual([])
      for (const { cost } of calls()) expect(cost).toBeGreaterThanOrEqual(0)
    })

  test('fields of wrong types are passed over, and no usage makes money', async () => {
    const wrong = [
      { choices: 'none', usage: 'many' },
      { choices: [null, 5], usage: null },
      {
        choices: [{ delta: { content: 5, tool_calls: [null, { function: 'x' }, { index: 'a' }] } }],
      },
      { choices: [{ delta: null, finish_reason: {} }], usage: { prompt_tokens: -5 } },
      {
        choices: [],
        usage: { prompt_tokens: -1e9, completion_tokens: '9', prompt_tokens_details: 1 },
      },
    ]
    const { ask, calls } = await attack(async (request) =>
      ((await request.json()) as { stream?: boolean }).stream
        ? sse(...wrong)
        : Response.json(wrong[2] ?? {}),
    )
    for (const path of PATHS)
      for (const stream of [false, true]) expect((await ask(path, stream)).status).toBe(200)
    expect(calls()).toHaveLength(4)
    for (const { cost, input_tokens, output_tokens } of calls())
      for (const number of [cost, input_tokens, output_tokens])
        expect(number).toBeGreaterThanOrEqual(0)
  })

  test('the key of the workspace is never handed on', async () => {
    let status = 200
    const { ask } = await attack(async (request) => {
      const key = request.headers.get('authorization') ?? ''
      if (status !== 200) return Response.json({ error: { message: `bad ${key}` } }, { status })
      const isStream = ((await request.json()) as { stream?: boolean }).stream === true
      const message = { role: 'assistant', content: `You sent ${key}` }
      return isStream
        ? sse({ choices: [{ delta: message, finish_reason: 'stop' }] })
        : Response.json({ choices: [{ message, finish_reason: 'stop' }], key })
    })
    for (const path of PATHS)
      for (const stream of [false, true]) {
        const { text } = await ask(path, stream)
        expect(text).toContain('You sent Bearer [secret]')
        expect(text).not.toContain('sk-house-key')
      }
    for (status of [400, 401])
      expect((await ask('/chat/completions', false)).text).not.toContain('sk-house-key')
  })

  test('a call of a tool of three megabytes comes through whole', async () => {
    const input = JSON.stringify({ text: 'y'.repeat(3_000_000) })
    const { ask } = await attack(() =>
      sse(
        { choices: [{ delta: { tool_calls: [{ index: 0, id: 'c', function: { name: 'f' } }] } }] },
        { choices: [{ delta: { tool_calls: [{ index: 0, function: { arguments: input } }] } }] },
        { choices: [{ delta: {}, finish_reason: 'tool_calls' }] },
      ),
    )
    const { text } = await ask('/messages', true)
    const parts = dataIn(text).map(
      ({ delta }) => (delta as { partial_json?: string })?.partial_json,
    )
    expect(parts.join('')).toBe(input)
  })
})
