import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { afterAll, expect, test } from 'bun:test'
import {
  OutboundClient,
  OutboundError,
  parseOutboundRules,
  type OutboundRules,
  type OutboundStreamRequest,
  type Resolve,
} from '#lib/outbound/outbound.ts'

const seen: { path: string; authorization: string | null }[] = []
const BLOCK = new Uint8Array(1 << 16)
let pulled = 0
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  idleTimeout: 0,
  maxRequestBodySize: 2 ** 32,
  async fetch(request) {
    const { pathname } = new URL(request.url)
    seen.push({ path: pathname, authorization: request.headers.get('authorization') })
    if (pathname === '/away')
      return new Response(null, {
        status: 302,
        headers: { location: 'http://other.internal/secret' },
      })
    if (pathname === '/inside')
      return new Response(null, { status: 307, headers: { location: 'http://10.0.0.1/secret' } })
    if (pathname === '/round')
      return new Response(null, { status: 302, headers: { location: '/round' } })
    if (pathname === '/endless')
      return new Response(
        new ReadableStream(
          { pull: (controller) => void (controller.enqueue(BLOCK), (pulled += BLOCK.length)) },
          { highWaterMark: 0 },
        ),
      )
    if (pathname === '/half')
      return new Response(new ReadableStream({ start: (controller) => controller.enqueue(BLOCK) }))
    if (pathname === '/count') {
      let size = 0
      if (request.body) for await (const part of request.body) size += part.length
      return new Response(String(size))
    }
    if (pathname === '/never') return new Promise<Response>(() => {})
    return new Response('hello')
  },
})
afterAll(() => server.stop(true))

const rules = parseOutboundRules(['http://git.internal', 'http://127.0.0.1'])
const resolve: Resolve = async (host) =>
  host === 'git.internal'
    ? [{ address: '127.0.0.1', family: 4 }]
    : host === 'other.internal'
      ? [{ address: '10.0.0.9', family: 4 }]
      : []
const open = (
  path: string,
  {
    rules: allowed = rules,
    resolve: resolveName = resolve,
    ...options
  }: Partial<OutboundStreamRequest> & { rules?: OutboundRules; resolve?: Resolve } = {},
) =>
  new OutboundClient(allowed, resolveName).open(
    new URL(`http://git.internal:${server.port}${path}`),
    { timeoutMs: 10_000, idleTimeoutMs: 5000, maxBytes: 1 << 20, ...options },
  )
const text = (stream: ReadableStream<Uint8Array>) => new Response(stream).text()

test('a response is a stream from the checked address', async () => {
  const answer = await open('/')
  expect([answer.status, await text(answer.body)]).toEqual([200, 'hello'])
})

test('the name is resolved once for every connection, and its addresses are checked', async () => {
  const answers = ['127.0.0.1', '10.0.0.1']
  let asked = 0
  const changing: Resolve = async () => [
    { address: answers[Math.min(asked++, 1)] ?? '', family: 4 },
  ]
  expect((await open('/', { resolve: changing })).status).toBe(200)
  expect(asked).toBe(1)
  const strict = parseOutboundRules(['http://127.0.0.1'])
  await expect(open('/', { resolve: changing, rules: strict })).rejects.toThrow('outbound.allow')
})

test('redirects are followed on request, each is checked, and secrets stay with their origin', async () => {
  expect((await open('/away')).status).toBe(302)
  const before = seen.length
  await expect(open('/away', { redirects: 3, authorization: 'Basic secret' })).rejects.toThrow(
    OutboundError,
  )
  await expect(open('/inside', { redirects: 3 })).rejects.toThrow('https')
  await expect(open('/inside', { redirects: 3, allowHttp: true })).rejects.toThrow(
    'not a public address',
  )
  await expect(open('/round', { redirects: 3 })).rejects.toThrow('too often')
  expect(seen.slice(before).some(({ path }) => path === '/secret')).toBe(false)
  const other = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () =>
      new Response(null, {
        status: 302,
        headers: { location: `http://git.internal:${server.port}/there` },
      }),
  })
  const client = new OutboundClient(rules, resolve)
  const answer = await client.open(new URL(`http://127.0.0.1:${other.port}/`), {
    timeoutMs: 5000,
    idleTimeoutMs: 5000,
    maxBytes: 1000,
    redirects: 1,
    authorization: 'Basic secret',
  })
  expect([answer.status, answer.url.pathname, seen.at(-1)]).toEqual([
    200,
    '/there',
    { path: '/there', authorization: null },
  ])
  await other.stop(true)
})

test('http to public addresses needs allowHttp', async () => {
  const outside: Resolve = async () => [{ address: '8.8.8.8', family: 4 }]
  const none = parseOutboundRules([])
  await expect(open('/', { rules: none, resolve: outside })).rejects.toThrow('https')
  // allowHttp does not allow private addresses.
  await expect(open('/', { rules: none, allowHttp: true })).rejects.toThrow('not a public address')
})

test('a response is read on demand, and one that is too long is an error', async () => {
  const { body } = await open('/endless')
  const reader = body.getReader()
  await reader.read()
  await Bun.sleep(200)
  const held = pulled
  expect(held).toBeLessThan(64 << 20)
  await expect(
    (async () => {
      for (;;) await reader.read()
    })(),
  ).rejects.toThrow('more than 1048576 bytes')
})

test('a body is streamed with backpressure', async () => {
  let made = 0
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (made >= 64 << 20) controller.close()
      else controller.enqueue(BLOCK.slice())
      made += BLOCK.length
    },
  })
  expect(await text((await open('/count', { method: 'POST', body })).body)).toBe(String(64 << 20))
  expect(await text((await open('/count', { method: 'POST', body: new Uint8Array(5) })).body)).toBe(
    '5',
  )
})

test('an error of the body ends the request with its message', async () => {
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.error(new Error('the pack cannot be made')),
  })
  await expect(open('/count', { method: 'POST', body })).rejects.toThrow('the pack cannot be made')
})

test('idle timeout, total timeout and abort end a request', async () => {
  await expect(open('/never', { idleTimeoutMs: 100 })).rejects.toThrow('was silent')
  await expect(open('/never', { timeoutMs: 100 })).rejects.toThrow('longer than')
  await expect(
    open('/half', { idleTimeoutMs: 100 }).then(({ body }) => text(body)),
  ).rejects.toThrow('was silent')
  const never: Resolve = () => new Promise(() => {})
  await expect(open('/', { idleTimeoutMs: 100, resolve: never })).rejects.toThrow(
    'not found in time',
  )
  const early = new AbortController()
  setTimeout(() => early.abort(), 20)
  await expect(open('/', { resolve: never, signal: early.signal })).rejects.toThrow('given up')
  const stop = new AbortController()
  const answer = await open('/half', { signal: stop.signal })
  setTimeout(() => stop.abort(), 50)
  await expect(text(answer.body)).rejects.toThrow('given up')
  await expect(open('/', { signal: stop.signal })).rejects.toThrow('given up')
})

test('an unreachable server is an error', async () => {
  await expect(
    new OutboundClient(rules).open(new URL('http://127.0.0.1:1/'), {
      timeoutMs: 5000,
      idleTimeoutMs: 5000,
      maxBytes: 1,
    }),
  ).rejects.toThrow('cannot be reached')
})

test('a token that no header may have is refused, and nothing is sent', async () => {
  const before = seen.length
  for (const authorization of ['Bearer a\u2014b', 'Bearer \ud800', 'Bearer a\nx-other: b']) {
    const refused = await open('/hello', { authorization }).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(OutboundError)
    expect((refused as Error).message).toContain('the header authorization')
    expect((refused as Error).message).not.toContain('Bearer')
  }
  expect(seen.length).toBe(before)
})

test('a kept connection is used again, and one that was closed meanwhile is replaced', async () => {
  const sockets: Socket[] = []
  const listening = createServer((request, response) => {
    request.resume()
    response.end(request.url)
  })
  listening.on('connection', (socket) => void sockets.push(socket))
  listening.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  const { port } = listening.address() as AddressInfo
  const client = new OutboundClient(rules)
  const ask = async (path: string, more: Partial<OutboundStreamRequest> = {}): Promise<string> => {
    const { body } = await client.open(new URL(`http://127.0.0.1:${port}${path}`), {
      method: 'POST',
      body: new TextEncoder().encode('{}'),
      timeoutMs: 10_000,
      idleTimeoutMs: 5000,
      maxBytes: 1 << 20,
      keepAlive: true,
      ...more,
    })
    return await text(body)
  }
  try {
    expect([await ask('/1'), await ask('/2'), await ask('/3')]).toEqual(['/1', '/2', '/3'])
    expect(sockets).toHaveLength(1)
    expect(await ask('/own', { keepAlive: false })).toBe('/own')
    expect(sockets).toHaveLength(2)
    // The client hears of it when it has sent its next request.
    sockets[0]?.resetAndDestroy()
    expect(await ask('/4')).toBe('/4')
    expect(sockets).toHaveLength(3)
    // A request that ended early leaves no connection behind for the next one.
    const { body } = await client.open(new URL(`http://127.0.0.1:${port}/5`), {
      timeoutMs: 10_000,
      idleTimeoutMs: 5000,
      maxBytes: 1 << 20,
      keepAlive: true,
    })
    await body.cancel()
    expect(await ask('/6')).toBe('/6')
  } finally {
    listening.close()
    for (const socket of sockets) socket.destroy()
  }
})
