import { afterAll, expect, test } from 'bun:test'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import {
  OutboundClient,
  OutboundError,
  parseOutboundRules,
  type OutboundRequest,
  type OutboundRules,
  type Resolve,
} from '#lib/outbound/outbound.ts'

const names: Record<string, string[]> = {
  'good.example': ['8.8.8.8'],
  'both.example': ['8.8.8.8', '2606:4700::1111'],
  'inside.example': ['10.0.0.5'],
  'half.example': ['8.8.8.8', '127.0.0.1'],
  'meta.example': ['169.254.169.254'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'v6.example': ['::1'],
}
const resolve: Resolve = async (host) => {
  const found = names[host]
  if (!found) throw new Error('ENOTFOUND')
  return found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
}
const reached = (address: string, allow: string[] = []) =>
  new OutboundClient(parseOutboundRules(allow), resolve).checkAddress(new URL(address)).then(
    ({ address: found }) => found,
    (error: unknown) => {
      if (error instanceof OutboundError) return error.message
      throw error
    },
  )

test('public names are reached over https', async () => {
  expect(await reached('https://good.example/hook')).toBe('8.8.8.8')
  expect(await reached('https://good.example./hook')).toBe('8.8.8.8')
  expect(await reached('https://both.example/hook')).toBe('8.8.8.8')
  expect(await reached('http://good.example/hook')).toContain('https')
})

test('no spelling of a private address is reached, and the error names the setting', async () => {
  const inside = [
    'inside.example',
    'half.example',
    'meta.example',
    'mapped.example',
    'v6.example',
    '127.0.0.1',
    '127.1',
    '0x7f000001',
    '2130706433',
    '0177.0.0.1',
    '10.0.0.1',
    '[::1]',
    '[::ffff:10.0.0.1]',
    '[fd00::1]',
    '169.254.169.254',
    '0.0.0.0',
    '100.64.0.1',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
  ]
  for (const host of inside) {
    const answer = await reached(`https://${host}/`)
    expect([host, answer]).toEqual([host, expect.stringContaining('not a public address')])
    expect(answer).toContain('outbound.allow')
  }
  expect(await reached('https://nowhere.example/')).toContain('has no address')
  for (const address of ['ftp://good.example/', 'file:///etc/passwd', 'gopher://good.example/'])
    expect(await reached(address)).toContain('not reached from here')
  expect(await reached('https://user:word@good.example/')).toContain('name or password')
})

test('addresses of outbound.allow are reached, unencrypted only with http://', async () => {
  expect(await reached('https://inside.example/', ['inside.example'])).toBe('10.0.0.5')
  expect(await reached('https://inside.example/', ['10.0.0.0/8'])).toBe('10.0.0.5')
  expect(await reached('https://inside.example/', ['10.0.1.0/24'])).toContain(
    'not a public address',
  )
  expect(await reached('http://inside.example/', ['inside.example'])).toContain('https')
  expect(await reached('http://inside.example/', ['http://inside.example'])).toBe('10.0.0.5')
  expect(await reached('http://[::1]/', ['http://[::1]'])).toBe('::1')
  // Every address of a name must be allowed.
  expect(await reached('https://half.example/', ['10.0.0.0/8'])).toContain('not a public address')
  for (const entry of ['', 'a b', '10.0.0.0/99', '*.example', 'http://'])
    expect(() => parseOutboundRules([entry])).toThrow()
})

test('a refusal tells what the name resolves to in its detail alone', async () => {
  for (const [host = '', address = ''] of [
    ['inside.example', '10.0.0.5'],
    ['half.example', '127.0.0.1'],
    ['v6.example', '::1'],
  ]) {
    const refused = await new OutboundClient([], resolve)
      .checkAddress(new URL(`https://${host}/`))
      .then(
        () => null,
        (error: unknown) => error as OutboundError,
      )
    expect(refused?.message).toContain(`${host} is not a public address`)
    expect(refused?.message).not.toContain(address)
    expect(refused?.detail).toContain(`${host} is at ${address}`)
  }
})

test('http is refused before the name is resolved, unless a rule may allow it', async () => {
  const asked: string[] = []
  const check = (address: string, allow: string[], allowHttp = false): Promise<string> =>
    new OutboundClient(parseOutboundRules(allow), (host) => {
      asked.push(host)
      return resolve(host)
    })
      .checkAddress(new URL(address), { allowHttp })
      .then(
        (found) => found.address,
        (error: unknown) => (error as OutboundError).message,
      )
  // Existing and missing names get the same refusal.
  for (const host of ['good.example', 'inside.example', 'nowhere.example'])
    for (const allow of [[], ['10.0.0.0/8'], [host], ['http://other.example']])
      expect(await check(`http://${host}/`, allow)).toStartWith(
        `http://${host} must be reached over https`,
      )
  expect(asked).toEqual([])
  expect(await check('http://inside.example:8080/v1', [])).toEndWith(
    'setting outbound.allow, by the entry http://inside.example',
  )
  // An entry without http:// is named in whole, also where public addresses need no https.
  expect(await check('http://inside.example:8080/v1', ['inside.example'], true)).toEndWith(
    'setting outbound.allow, by the entry http://inside.example',
  )
  expect(await check('http://inside.example/', ['http://10.0.0.0/8'])).toBe('10.0.0.5')
  expect(await check('http://inside.example/', ['http://inside.example'])).toBe('10.0.0.5')
  expect(await check('http://good.example/', [], true)).toBe('8.8.8.8')
  expect(asked).toEqual(['inside.example', 'inside.example', 'inside.example', 'good.example'])
})

const seen: string[] = []
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: (request) => {
    const { pathname } = new URL(request.url)
    seen.push(`${pathname} ${request.headers.get('host')}`)
    if (pathname === '/away')
      return new Response(null, { status: 302, headers: { location: '/secret' } })
    if (pathname === '/large') return new Response('x'.repeat(5000))
    if (pathname === '/never') return new Promise<Response>(() => {})
    return new Response('hello', { headers: { 'x-kind': 'greeting' } })
  },
})
afterAll(() => server.stop(true))
const rules = parseOutboundRules(['http://hook.internal'])
let lookUps = 0
const toServer: Resolve = async () =>
  lookUps++ === 0 ? [{ address: '127.0.0.1', family: 4 }] : [{ address: '10.0.0.1', family: 4 }]
const get = (path: string, options: { timeoutMs?: number; truncate?: boolean } = {}) => {
  lookUps = 0
  const url = new URL(`http://hook.internal:${server.port}${path}`)
  return new OutboundClient(rules, toServer).request(url, {
    timeoutMs: 5000,
    maxBytes: 1000,
    ...options,
  })
}

test('the connection goes to the checked address, resolved once', async () => {
  const { status, body, headers } = await get('/')
  expect([status, new TextDecoder().decode(body), headers['x-kind'], lookUps]).toEqual([
    200,
    'hello',
    'greeting',
    1,
  ])
  expect(seen.at(-1)).toBe(`/ hook.internal:${server.port}`)
})

test('redirects are not followed, long responses are refused or truncated, slow ones time out', async () => {
  expect((await get('/away')).status).toBe(302)
  expect(seen.some((line) => line.startsWith('/secret'))).toBe(false)
  expect(get('/large')).rejects.toThrow('more than 1000 bytes')
  expect((await get('/large', { truncate: true })).body.length).toBe(1000)
  expect(get('/never', { timeoutMs: 50 })).rejects.toThrow('in time')
})

/** A server that speaks no HTTP, or not to the end. */
const raw = (answer: (socket: Socket) => void): Promise<number> =>
  new Promise((resolve) => {
    const listener = createServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', () => answer(socket))
    })
    listener.unref()
    listener.listen(0, '127.0.0.1', () => resolve((listener.address() as { port: number }).port))
  })
const loopback: Resolve = async () => [{ address: '127.0.0.1', family: 4 }]
const at = (
  port: number,
  path = '/',
  {
    resolve: resolveName = loopback,
    rules: allowed = rules,
    ...options
  }: Partial<OutboundRequest> & { resolve?: Resolve; rules?: OutboundRules } = {},
) =>
  new OutboundClient(allowed, resolveName).request(new URL(`http://hook.internal:${port}${path}`), {
    timeoutMs: 5000,
    maxBytes: 1000,
    ...options,
  })
const faultOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'none',
    (error: unknown) => (error instanceof OutboundError ? error.fault : String(error)),
  )

test('a failed connection tells the address in its detail alone', async () => {
  const failed = await at(1).then(
    () => null,
    (error: unknown) => error as OutboundError,
  )
  expect(failed?.message).toBe(
    'hook.internal:1 cannot be reached: connect ECONNREFUSED hook.internal:1',
  )
  expect(failed?.detail).toContain('127.0.0.1:1')
})

test('every failure has a fault code', async () => {
  expect(await faultOf(at(1))).toBe('refused')
  expect(await faultOf(at(await raw((socket) => socket.destroy())))).toBe('refused')
  expect(await faultOf(at(await raw((socket) => socket.end('SSH-2.0-OpenSSH_9\r\n'))))).toBe(
    'refused',
  )
  expect(await faultOf(at(server.port ?? 0, '/never', { timeoutMs: 50 }))).toBe('timeout')
  expect(await faultOf(at(1, '/', { resolve: () => Promise.reject(new Error('ENOTFOUND')) }))).toBe(
    'dns',
  )
  // A name server that says nothing counts against the same time.
  expect(await faultOf(at(1, '/', { resolve: () => new Promise(() => {}), timeoutMs: 50 }))).toBe(
    'timeout',
  )
  expect(
    await faultOf(
      at(1, '/', { resolve: async () => [{ address: '10.0.0.1', family: 4 }], rules: [] }),
    ),
  ).toBe('blocked_address')
  const inTls = new OutboundClient(rules, loopback).request(
    new URL(`https://hook.internal:${server.port}/`),
    { timeoutMs: 5000, maxBytes: 1000 },
  )
  expect(await faultOf(inTls)).toBe('tls')
  expect(await faultOf(at(server.port ?? 0, '/', { signal: AbortSignal.abort() }))).toBe('timeout')
})

test('a response that breaks off or is late is truncated on request, else an error', async () => {
  const head = 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc'
  const breaks = await raw((socket) => socket.end(head))
  const drips = await raw((socket) => void socket.write(head))
  expect((await at(breaks, '/', { truncate: true })).status).toBe(200)
  expect(
    new TextDecoder().decode((await at(drips, '/', { truncate: true, timeoutMs: 300 })).body),
  ).toBe('abc')
  expect(await faultOf(at(breaks))).toBe('refused')
  expect(await faultOf(at(drips, '/', { timeoutMs: 100 }))).toBe('timeout')
})

test('proxies of the environment are not used', async () => {
  const proxied: string[] = []
  const proxy = await raw((socket) => {
    proxied.push('asked')
    socket.destroy()
  })
  const program = `
    import { OutboundClient, parseOutboundRules } from '#lib/outbound/outbound.ts'
    const answer = await new OutboundClient(parseOutboundRules(['http://127.0.0.1'])).request(new URL('http://127.0.0.1:${server.port}/'), { timeoutMs: 5000, maxBytes: 1000 })
    process.stdout.write(String(answer.status))`
  const address = `http://127.0.0.1:${proxy}`
  const child = Bun.spawn([process.execPath, '-e', program], {
    cwd: join(import.meta.dir, '../..', '..'),
    stdout: 'pipe',
    env: {
      ...process.env,
      HTTP_PROXY: address,
      http_proxy: address,
      HTTPS_PROXY: address,
      https_proxy: address,
      ALL_PROXY: address,
      NO_PROXY: '',
      no_proxy: '',
    },
  })
  expect(await new Response(child.stdout).text()).toBe('200')
  expect(proxied).toEqual([])
})
