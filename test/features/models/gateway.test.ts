/** The model gateway over HTTP: who may call it, on which wire, and what it refuses. */
import { describe, expect, jest, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getModelGateway } from '#features/models/get-model-gateway.ts'
import { streamResponse } from '#features/models/gateway/stream-response.ts'
import { setModelGateway } from '#features/models/set-model-gateway.ts'
import { Refusal } from '#lib/errors.ts'
import type { Reply } from '../../models/provider.ts'
import { dataIn, makeGateway } from './gateway-fixture.ts'
import { spoil } from '../../spoil.ts'

const hello = { model: 'gpt-5', messages: [{ role: 'user', content: 'Hello' }] }
const errorOf = async (response: Response) =>
  ((await response.json()) as { error: { message: string; type: string; code?: string } }).error

describe('who may call', () => {
  test('a token with the scope, in each header that clients use; nothing without one', async () => {
    const { url, post, token, calls } = await makeGateway()
    const secret = await token()
    for (const [name, value] of [
      ['authorization', `Bearer ${secret}`],
      ['x-api-key', secret],
      ['x-goog-api-key', secret],
    ] as const)
      expect((await fetch(`${url}/models`, { headers: { [name]: value } })).status).toBe(200)
    const none = await fetch(`${url}/chat/completions`, { method: 'POST', body: '{}' })
    expect([none.status, none.headers.get('x-should-retry')]).toEqual([401, 'false'])
    expect((await errorOf(none)).type).toBe('authentication_error')
    const wrong = await post('/chat/completions', spoil(secret), hello)
    expect(wrong.status).toBe(401)
    const inQuery = await fetch(`${url}/models?key=${secret}`, { headers: { 'x-api-key': secret } })
    expect(inQuery.status).toBe(401)
    const narrow = await token(undefined, ['repo:read'])
    const refused = await post('/chat/completions', narrow, hello)
    expect([refused.status, (await errorOf(refused)).code]).toEqual([403, 'scope'])
    expect(calls()).toHaveLength(0)
  })

  test('programs outside only while an owner lets them, agents and people alike', async () => {
    const { world, ada, bob, post, token, agent, provider } = await makeGateway()
    const secrets = [await token(), await token(bob), (await agent()).secret]
    for (const secret of secrets)
      expect((await post('/chat/completions', secret, hello)).status).toBe(200)
    const off = { workspace: 'acme', enabled: false }
    expect(world.call(setModelGateway, bob, off)).rejects.toThrow(Refusal)
    await world.call(setModelGateway, ada, off)
    const asked = provider.asked.length
    for (const secret of secrets) {
      const refused = await post('/chat/completions', secret, hello, {
        headers: { 'x-api-key': secret, 'x-hearth-workspace': 'acme' },
      })
      expect([refused.status, (await errorOf(refused)).code]).toEqual([403, 'gateway_off'])
    }
    expect(provider.asked).toHaveLength(asked)
  })

  test('nobody spends the money of a workspace that they are not in', async () => {
    const { world, url, token, calls } = await makeGateway()
    const eve = await world.user('eve')
    const secret = await token(eve)
    for (const named of [[], [['x-hearth-workspace', 'acme']]]) {
      const refused = await fetch(`${url}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, ...Object.fromEntries(named) },
        body: JSON.stringify(hello),
      })
      expect([400, 404]).toContain(refused.status)
    }
    expect(calls()).toHaveLength(0)
  })

  test('a budget a day holds for all programs outside together', async () => {
    const { world, ada, open, post, token, clock } = await makeGateway(({ body }) => ({
      input_tokens: 10,
      output_tokens: Number(body.max_tokens),
    })).then((gateway) => ({ ...gateway, clock: gateway.world.clock }))
    await open(0.01)
    const secret = await token()
    let answered = 0
    let last: Response | null = null
    for (let call = 0; call < 10; call++) {
      last = await post('/chat/completions', secret, { ...hello, max_tokens: 1000 })
      if (last.status !== 200) break
      answered++
    }
    // The third answer is limited to what is left.
    expect(answered).toBe(3)
    expect([last?.status, last && (await errorOf(last)).code]).toEqual([403, 'quota'])
    const gateway = await world.call(getModelGateway, ada, { workspace: 'acme' })
    expect(gateway.spent_usd_today).toBeGreaterThan(0.008)
    expect(gateway.spent_usd_today).toBeLessThanOrEqual(0.01)
    clock.advance(24 * 3_600_000)
    const next = await post('/chat/completions', secret, { ...hello, max_tokens: 1000 })
    expect(next.status).toBe(200)
  })
})

describe('wires', () => {
  const reply: Reply = {
    text: 'Look here.',
    calls: [
      { name: 'look', input: { path: 'a' } },
      { name: 'look', input: { path: 'b' } },
    ],
    cached_tokens: 5,
  }
  const requests = {
    '/chat/completions': {
      ...hello,
      tools: [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }],
    },
    '/messages': {
      ...hello,
      max_tokens: 100,
      tools: [{ name: 'look', input_schema: { type: 'object' } }],
    },
    '/responses': {
      input: 'Hello',
      tools: [{ type: 'function', name: 'look', parameters: { type: 'object' } }],
    },
  }

  for (const wire of ['chat_completions', 'messages', 'generate_content'] as const)
    for (const [path, body] of Object.entries(requests))
      test(`${path} by a model that speaks ${wire}: text, calls and usage`, async () => {
        const { post, token, calls, provider } = await makeGateway(() => reply, { wire })
        const secret = await token()
        const whole = JSON.stringify(await (await post(path, secret, body)).json())
        expect(whole).toContain('Look here.')
        expect(whole).toMatch(/"(name)":"look"/)
        const streamed = await post(path, secret, { ...body, stream: true })
        expect(streamed.headers.get('content-type')).toContain('text/event-stream')
        const events = dataIn(await streamed.text())
        const text = JSON.stringify(events)
        expect(text).toContain('Look ')
        expect(text).toMatch(/"name":"look"/)
        for (const { body: sent, path: at } of provider.asked)
          expect(sent.model ?? at).toMatch(/^small$|\/v1beta\/models\/small:/)
        const [first, second] = calls()
        expect(second).toEqual(first as never)
        expect(first).toMatchObject({ task: 'code', estimated: 0, output_tokens: 20 })
      })

  test('usage at the end of a stream comes only to those who ask for it', async () => {
    const { post, token, calls } = await makeGateway()
    const secret = await token()
    const without = await post('/chat/completions', secret, { ...hello, stream: true })
    expect(await without.text()).not.toContain('usage')
    const asks = { ...hello, stream: true, stream_options: { include_usage: true } }
    expect(await (await post('/chat/completions', secret, asks)).text()).toContain('"usage"')
    expect(calls().map(({ estimated }) => estimated)).toEqual([0, 0])
  })

  test('the name of a task chooses its model, any other name chooses none', async () => {
    const { setRoutes, route, post, token, provider, calls } = await makeGateway()
    await setRoutes(route(), route({ model: 'large' }, 'review'))
    const secret = await token()
    for (const model of ['review', 'large', 'claude-opus', 'code'])
      await post('/chat/completions', secret, { ...hello, model })
    expect(provider.asked.map(({ body }) => body.model)).toEqual([
      'large',
      'small',
      'small',
      'small',
    ])
    expect(calls().map(({ task }) => task)).toEqual(['review', 'code', 'code', 'code'])
  })

  test('embeddings go to the model for embed, and cost their input', async () => {
    const { setRoutes, route, post, token, calls } = await makeGateway()
    await setRoutes(route(), route({ model: 'large' }, 'embed'))
    const secret = await token()
    const answer = await post('/embeddings', secret, { model: 'x', input: ['one', 'two'] })
    expect(((await answer.json()) as { data: unknown[] }).data).toHaveLength(2)
    expect(calls()).toMatchObject([{ task: 'embed', model: 'large', cost: 100, output_tokens: 0 }])
    expect((await post('/embeddings', secret, { input: new Array(300).fill('x') })).status).toBe(
      400,
    )
  })

  test('embeddings that are no vectors, or too many, are refused', async () => {
    const wrong = [
      [[1], [2], [3]],
      [[1]],
      [[1], ['1']],
      [[1], null],
      [[1], new Array(20_000).fill(0)],
    ]
    for (const vectors of wrong) {
      const { setRoutes, route, post, token } = await makeGateway(() => ({ vectors }))
      await setRoutes(route({}, 'embed'))
      const answer = await post('/embeddings', await token(), { input: ['one', 'two'] })
      expect(answer.status).toBe(502)
    }
    const { setRoutes, route, post, token } = await makeGateway(() => ({ vectors: ['AACAPw=='] }))
    await setRoutes(route({}, 'embed'))
    const answer = await post('/embeddings', await token(), { input: 'one' })
    expect(((await answer.json()) as { data: unknown[] }).data).toHaveLength(1)
  })

  test('counting tokens calls no model', async () => {
    const { post, token, provider } = await makeGateway()
    const counted = await post('/messages/count_tokens', await token(), hello)
    expect(((await counted.json()) as { input_tokens: number }).input_tokens).toBeGreaterThan(10)
    expect(provider.asked).toHaveLength(0)
  })
})

describe('what is refused', () => {
  const refused: Readonly<Record<string, [string, unknown]>> = {
    'an image at another address': [
      '/chat/completions',
      {
        messages: [
          {
            role: 'user',
            content: [{ type: 'image_url', image_url: { url: 'https://evil.example/?secret' } }],
          },
        ],
      },
    ],
    'a source at another address': [
      '/messages',
      {
        max_tokens: 10,
        messages: [
          {
            role: 'user',
            content: [
              {
                type: 'tool_result',
                tool_use_id: 't',
                content: [{ type: 'image', source: { type: 'url', url: 'https://evil.example' } }],
              },
            ],
          },
        ],
      },
    ],
    'a response that the provider remembers': [
      '/responses',
      { input: 'x', previous_response_id: 'resp_1' },
    ],
    'work in the background': ['/responses', { input: 'x', background: true }],
    'many answers at once': ['/chat/completions', { ...hello, n: 5 }],
    'messages that are none': ['/chat/completions', { messages: 'Hello' }],
    'a text that is no JSON': ['/chat/completions', '{"messages":'],
    'a deep nest': ['/chat/completions', `{"messages":${'['.repeat(500)}${']'.repeat(500)}}`],
  }
  for (const [what, [path, body]] of Object.entries(refused))
    test(what, async () => {
      const { post, token, provider } = await makeGateway()
      const response = await post(path, await token(), body)
      expect([400, 422]).toContain(response.status)
      expect(response.headers.get('x-should-retry')).toBe('false')
      expect(provider.asked).toHaveLength(0)
    })

  test('tools that the provider runs, dearer service and remembering are not passed on', async () => {
    for (const [wire, path, body, own] of [
      [
        'chat_completions',
        '/chat/completions',
        {
          ...hello,
          service_tier: 'priority',
          store: true,
          web_search_options: {},
          tools: [{ type: 'web_search' }, { type: 'function', function: { name: 'look' } }],
        },
        'function',
      ],
      [
        'messages',
        '/messages',
        {
          ...hello,
          max_tokens: 10,
          service_tier: 'auto',
          mcp_servers: [{ type: 'url', url: 'https://evil.example' }],
          container: 'c',
          tools: [{ type: 'web_fetch_20250910', name: 'web_fetch' }, { name: 'look' }],
        },
        undefined,
      ],
    ] as const) {
      const { post, token, provider } = await makeGateway(undefined, { wire })
      expect((await post(path, await token(), body)).status).toBe(200)
      const sent = provider.asked[0]?.body ?? {}
      expect(sent).toMatchObject({ messages: hello.messages })
      for (const name of [
        'service_tier',
        'store',
        'web_search_options',
        'mcp_servers',
        'container',
      ])
        expect(sent).not.toHaveProperty(name)
      expect((sent.tools as { type?: string }[]).map(({ type }) => type)).toEqual([own])
    }
  })

  test('the same calls with the same results four times are a loop', async () => {
    const { post, token, provider } = await makeGateway()
    const secret = await token()
    const round = (at: number, result = 'failed') => [
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: `c${at}`, type: 'function', function: { name: 'edit', arguments: '{"a":1}' } },
        ],
      },
      { role: 'tool', tool_call_id: `c${at}`, content: result },
    ]
    const ask = (rounds: object[]) =>
      post('/chat/completions', secret, { messages: [...hello.messages, ...rounds] })
    expect((await ask([0, 1, 2].flatMap((at) => round(at)))).status).toBe(200)
    const polling = [0, 1, 2, 3, 4].flatMap((at) => round(at, `still at ${at}`))
    expect((await ask(polling)).status).toBe(200)
    const asked = provider.asked.length
    const loop = await ask([0, 1, 2, 3].flatMap((at) => round(at)))
    expect([loop.status, (await errorOf(loop)).code]).toEqual([403, 'loop'])
    const anthropic = await post('/messages', secret, {
      max_tokens: 10,
      messages: [
        ...hello.messages,
        ...[0, 1, 2, 3].flatMap((at) => [
          {
            role: 'assistant',
            content: [{ type: 'tool_use', id: `t${at}`, name: 'edit', input: {} }],
          },
          {
            role: 'user',
            content: [{ type: 'tool_result', tool_use_id: `t${at}`, content: 'no' }],
          },
        ]),
      ],
    })
    expect(await anthropic.json()).toMatchObject({
      type: 'error',
      error: { type: 'permission_error' },
    })
    expect(provider.asked).toHaveLength(asked)
  })

  test('an address that is none, and a wrong method, say so as JSON', async () => {
    const { url, token } = await makeGateway()
    const headers = { 'x-api-key': await token(), 'anthropic-version': '2023-06-01' }
    const none = await fetch(`${url}/files`, { headers })
    expect([none.status, await none.json()]).toMatchObject([404, { type: 'error' }])
    const get = await fetch(`${url}/messages`, { headers })
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST'])
  })
})

describe('a client that goes away', () => {
  test('ends the call of the model, and pays for what came', async () => {
    const pause = Promise.withResolvers<void>()
    const { post, token, calls, provider, world } = await makeGateway(() => ({
      text: 'one two three four five six seven eight',
      pause: pause.promise,
    }))
    const secret = await token()
    const abort = new AbortController()
    const response = await post(
      '/chat/completions',
      secret,
      { ...hello, stream: true },
      { signal: abort.signal },
    )
    const reader = response.body?.getReader()
    await reader?.read()
    abort.abort()
    while (calls().length === 0) await Bun.sleep(10)
    expect(calls()).toMatchObject([{ estimated: 1 }])
    expect(calls()[0]?.output_tokens).toBeGreaterThan(0)
    pause.resolve()
    expect(provider.asked).toHaveLength(1)
    expect(world.hearth.db.one('SELECT 1 FROM model_calls WHERE status = 200')).not.toBeNull()
  })
})

test('a reader that stands still does not hold its call for ever', async () => {
  jest.useFakeTimers()
  try {
    // More than the buffers of both ends of a connection hold, however far the kernel grows them.
    const text = `${'word'.repeat(16 * 1024)} `.repeat(1024)
    const { post, token, calls } = await makeGateway(() => ({ text }))
    const body = { ...hello, stream: true }
    const response = await post('/chat/completions', await token(), body)
    await response.body?.getReader().read()
    expect(calls()).toHaveLength(0)
    jest.advanceTimersByTime(11 * 60_000)
    jest.useRealTimers()
    while (calls().length === 0) await Bun.sleep(10)
    expect(calls()).toMatchObject([{ estimated: 1 }])
  } finally {
    jest.useRealTimers()
  }
})

test('a model server answers at a socket that the administrator allows, and at no other', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'models-'))
  const socket = join(folder, 'models.sock')
  const hosts: (string | null)[] = []
  const server = Bun.serve({
    unix: socket,
    fetch: async (request) => {
      hosts.push(request.headers.get('host'))
      return await fetch(new URL(new URL(request.url).pathname, made.provider.url), request)
    },
  })
  const made = await makeGateway(() => ({ text: 'Hello' }), {
    settings: { integrations_allow: ['http://127.0.0.1', `unix:${socket}`] },
  })
  const { connect, route, setRoutes, post, token, calls } = made
  const local = (base_url: string) =>
    connect({ provider: 'local', config: { base_url, models: [{ id: 'small' }] } })
  const allowed = await local(`unix:${socket}`)
  expect([allowed.status, allowed.last_error]).toEqual(['connected', null])
  const other = await local(`unix:${socket}.other`)
  expect(other.last_error).toContain(`integrations.allow, by the entry unix:${socket}.other`)
  await setRoutes(route({ integration: allowed.id }))
  const secret = await token()
  for (const stream of [false, true]) {
    const answer = await post('/chat/completions', secret, {
      messages: [{ role: 'user', content: 'Hi' }],
      stream,
    })
    expect(answer.status).toBe(200)
    expect(await answer.text()).toContain('Hello')
  }
  expect(calls()).toHaveLength(2)
  expect(new Set(hosts)).toEqual(new Set(['localhost']))
  await server.stop(true)
  rmSync(folder, { recursive: true })
})

test('a stream whose model keeps it waiting has comments, and then the answer or the error', async () => {
  const wait = Promise.withResolvers<void>()
  const { post, token } = await makeGateway(({ body }) =>
    JSON.stringify(body).includes('fail')
      ? { status: 400, message: 'no such thing', after: wait.promise }
      : { text: 'Hello', after: wait.promise },
  )
  const secret = await token()
  const ask = (content: string) =>
    post('/chat/completions', secret, { messages: [{ role: 'user', content }], stream: true })
  const [good, bad] = await Promise.all([ask('Hi'), ask('fail')])
  expect([good.status, bad.status]).toEqual([200, 200])
  const readers = [good, bad].map((response) => response.text())
  wait.resolve()
  const [answer, error] = await Promise.all(readers)
  expect(answer).toContain('Hello')
  expect(error).toContain('no such thing')
}, 30_000)

test('comments come between events while none comes', async () => {
  const wait = Promise.withResolvers<void>()
  const texts = async function* () {
    yield 'data: 1\n\n'
    await wait.promise
    yield 'data: 2\n\n'
  }
  const request = new Request('http://127.0.0.1/')
  const { body } = streamResponse({ request }, texts(), () => {}, 20)
  const reader = body?.getReader()
  const read = async () => new TextDecoder().decode((await reader?.read())?.value)
  expect(await read()).toBe('data: 1\n\n')
  expect(await read()).toMatch(/^: .*\n\n$/)
  wait.resolve()
  expect(await read()).toBe('data: 2\n\n')
})
