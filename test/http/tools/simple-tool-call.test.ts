/** Simple calls get the same bytes from the short way as from the protocol package. */
import { expect, test } from 'bun:test'
import { createListenerHandler } from '#http/exchange.ts'
import { parseSimpleCall, parseSimpleList } from '#http/tools/simple-tool-call.ts'
import { ToolServer } from '#http/tools/tool-server.ts'
import { makeForge } from '../forge.ts'

const forge = makeForge()

/** Two tool servers of one forge: with the short way for simple calls, and without. */
const handlers = [true, false].map((simpleCalls) => {
  const { routes } = new ToolServer(forge.hearth, { simpleCalls })
  const route = routes.find(({ path }) => path === '/mcp')
  if (!route?.renderRefusal) throw new Error('no route')
  return createListenerHandler(forge.hearth, route.handler, route.renderRefusal)
})

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
const modernHeaders = (name: string) => ({
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': name,
})

type Sent = { body: unknown; headers?: Record<string, string>; secret?: string; query?: string }
const call = (params: unknown, more: Record<string, unknown> = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params,
  ...more,
})

async function ask(
  handler: (typeof handlers)[number] | undefined,
  { body, headers = {}, secret = 'ada-secret', query = 'toolsets=all' }: Sent,
) {
  if (!handler) throw new Error('no handler')
  const response = await handler(
    new Request(`https://hearth.test/mcp?${query}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: {
        authorization: `Bearer ${secret}`,
        'content-type': 'application/json',
        'x-request-id': 'the-same-for-both',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
    }),
  )
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    bytes: Buffer.from(await response.arrayBuffer()).toString('latin1'),
  }
}

const calls: [string, unknown][] = [
  ['whoami', {}],
  ['whoami', undefined],
  ['get_note', { repo: 'acme/site', number: '2' }],
  ['get_note', { repo: 'acme/site', number: 99 }],
  ['get_note', { repo: 'acme/none', number: 1 }],
  ['get_note', { number: 1 }],
  ['get_note', { repo: 'acme/site', numbr: 1 }],
  ['list_notes', { repo: 'acme/site', per_page: 2 }],
  ['list_notes', { repo: 'acme/site', fields: ['id'], max_chars: 1000 }],
  ['create_note', { repo: 'acme/site', title: 'bug' }],
  ['create_note', { repo: 'acme/site', title: 'clash' }],
  ['get_file', { repo: 'acme/site', path: 'big.txt' }],
  ['find_tools', { query: 'note' }],
  ['call_tool', { name: 'whoami' }],
  ['call_tool', { name: 'nothing' }],
  ['get_me', {}],
  ['delete_note', { repo: 'acme/site', label: 'x', confirm: 'x' }],
]

test('both ways answer alike, in either generation, down to the byte', async () => {
  for (const [name, args] of calls) {
    const params = args === undefined ? { name } : { name, arguments: args }
    for (const sent of [
      { body: call(params) },
      { body: call(params, { id: 'a"b' }) },
      { body: call(params), headers: { 'mcp-protocol-version': '2025-06-18' } },
      { body: call(params), secret: 'reader-secret' },
      { body: call({ ...params, _meta: META }), headers: modernHeaders(name) },
      {
        body: call({ ...params, _meta: META }),
        headers: modernHeaders(name),
        secret: 'robot-secret',
      },
    ] satisfies Sent[]) {
      expect(parseSimpleCall(new Headers(sent.headers), sent.body)).not.toBeNull()
      const [shorter, longer] = [await ask(handlers[0], sent), await ask(handlers[1], sent)]
      expect([sent, shorter]).toEqual([sent, longer])
    }
  }
})

test('what is not plain, or not right, is left to the package, and so answered alike too', async () => {
  const params = { name: 'whoami', arguments: {} }
  const odd: Sent[] = [
    { body: call(params, { id: null }) },
    { body: call(params, { id: 1.5 }) },
    { body: call(params, { id: [1] }) },
    { body: call(params, { extra: 1 }) },
    { body: call(params, { jsonrpc: '1.0' }) },
    { body: { jsonrpc: '2.0', method: 'tools/call', params } },
    { body: [call(params)] },
    { body: [] },
    { body: 'x' },
    { body: null },
    { body: call(undefined) },
    { body: call([]) },
    { body: call({}) },
    { body: call({ name: 1 }) },
    { body: call({ name: 'who am i' }) },
    { body: call({ ...params, arguments: [] }) },
    { body: call({ ...params, arguments: null }) },
    { body: call({ ...params, task: { ttl: 1 } }) },
    { body: call({ ...params, _meta: { progressToken: 1 } }) },
    { body: call({ ...params, _meta: null }) },
    { body: call({ ...params, _meta: {} }) },
    { body: call({ name: 'no_such_tool' }) },
    { body: call(params), headers: { 'mcp-protocol-version': '1999-01-01' } },
    { body: call(params), headers: { 'mcp-protocol-version': '2026-07-28' } },
    { body: call(params), headers: { 'mcp-name': 'whoami' } },
    { body: call(params), headers: { 'mcp-method': 'tools/call' } },
    { body: call({ ...params, _meta: META }) },
    { body: call({ ...params, _meta: META }), headers: modernHeaders('other') },
    {
      body: call({ ...params, _meta: META }),
      headers: { ...modernHeaders('whoami'), 'mcp-method': 'tools/list' },
    },
    {
      body: call({ ...params, _meta: { ...META, progressToken: 3 } }),
      headers: modernHeaders('whoami'),
    },
    {
      body: call({
        ...params,
        _meta: { ...META, 'io.modelcontextprotocol/clientInfo': { name: 1 } },
      }),
      headers: modernHeaders('whoami'),
    },
    {
      body: call({
        ...params,
        _meta: { ...META, 'io.modelcontextprotocol/clientCapabilities': { sampling: {} } },
      }),
      headers: modernHeaders('whoami'),
    },
    {
      body: call({
        ...params,
        _meta: { ...META, 'io.modelcontextprotocol/protocolVersion': '2025-11-25' },
      }),
      headers: modernHeaders('whoami'),
    },
    { body: { ...call(params), method: 'tools/list' } },
    { body: { ...call(params), method: 'initialize' } },
  ]
  for (const sent of odd) {
    const plain = parseSimpleCall(new Headers(sent.headers), sent.body)
    expect([sent, plain === null || plain.name === 'no_such_tool']).toEqual([sent, true])
    const [shorter, longer] = [await ask(handlers[0], sent), await ask(handlers[1], sent)]
    expect([sent, shorter]).toEqual([sent, longer])
  }
})

const list = (params?: unknown, more: Record<string, unknown> = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/list',
  ...(params === undefined ? {} : { params }),
  ...more,
})
const MODERN_LIST = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' }

test('lists are alike too, for each caller and connection, the first time and after it', async () => {
  const requests: Sent[] = [
    { body: list() },
    { body: list({}) },
    { body: list(undefined, { id: 'a"b' }) },
    { body: list(), headers: { 'mcp-protocol-version': '2025-11-25' } },
    { body: list({ _meta: META }), headers: MODERN_LIST },
  ]
  const connections: Omit<Sent, 'body'>[] = [
    {},
    { query: 'readonly=true' },
    { query: 'toolsets=all&schemas=output' },
    { secret: 'reader-secret' },
    { secret: 'robot-secret' },
    { secret: 'bob-secret' },
  ]
  const seen = new Set<string>()
  for (const coding of ['identity', 'gzip', 'zstd, br']) {
    for (const connection of connections) {
      for (const { headers, ...request } of requests) {
        const sent = {
          ...request,
          ...connection,
          headers: { ...headers, 'accept-encoding': coding },
        }
        expect(parseSimpleList(new Headers(sent.headers), sent.body)).not.toBeNull()
        const longer = await ask(handlers[1], sent)
        expect([sent, await ask(handlers[0], sent)]).toEqual([sent, longer])
        expect([sent, await ask(handlers[0], sent)]).toEqual([sent, longer])
        seen.add(longer.bytes)
      }
    }
  }
  // Callers and connections do differ in what they are shown.
  expect(seen.size).toBeGreaterThan(requests.length)
})

test('a list that is asked for otherwise is left to the package', async () => {
  const odd: Sent[] = [
    { body: list({ cursor: 'x' }) },
    { body: list([]) },
    { body: list(null) },
    { body: list({ _meta: { progressToken: 1 } }) },
    { body: list({ _meta: META }) },
    { body: list(undefined, { id: null }) },
    { body: list(undefined, { extra: 1 }) },
    { body: list(), headers: MODERN_LIST },
    { body: list(), headers: { 'mcp-protocol-version': '1999-01-01' } },
    { body: list({ _meta: META }), headers: { ...MODERN_LIST, 'mcp-name': 'whoami' } },
    { body: list({ _meta: META }), headers: modernHeaders('whoami') },
  ]
  for (const sent of odd) {
    expect([sent, parseSimpleList(new Headers(sent.headers), sent.body)]).toEqual([sent, null])
    expect([sent, await ask(handlers[0], sent)]).toEqual([sent, await ask(handlers[1], sent)])
  }
})

test('names of an object’s prototype are no parts of a call', () => {
  const sent = JSON.parse(
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami","__proto__":{"arguments":{}}}}',
  ) as unknown
  expect(parseSimpleCall(new Headers(), sent)).toBeNull()
})
