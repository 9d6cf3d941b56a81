import { expect, test } from 'bun:test'
import { connect, createServer } from 'node:net'
import { startServer } from '#http/server.ts'
import { silentLog } from '#lib/log.ts'
import { Refusal } from '#lib/errors.ts'
import { errorOf, makeForge } from './forge.ts'

const seen: string[] = []
const forge = makeForge(
  {},
  {
    git: { handle: ({ path }) => (path.endsWith('/info/refs') ? new Response('refs') : null) },
    site: {
      handle: ({ path }) => {
        seen.push(path)
        if (path === '/broken') throw new Error('inside')
        if (path === '/refused') throw new Refusal('forbidden', 'not you')
        return path === '/acme'
          ? new Response('<p>acme</p>', { headers: { 'content-type': 'text/html' } })
          : null
      },
      refuse: (exchange, refusal) =>
        new Response(`page ${refusal.status} ${exchange.id}`, { status: refusal.status }),
    },
  },
)
const { get } = forge

test('git, then the website, then 404; each with a request id', async () => {
  const git = await get('/acme/site.git/info/refs')
  expect(await git.text()).toBe('refs')
  const page = await get('/acme')
  expect(await page.text()).toBe('<p>acme</p>')
  for (const response of [git, page])
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  expect(seen).toEqual(['/acme'])
  const nothing = await get('/nothing')
  expect(await nothing.text()).toBe(`page 404 ${nothing.headers.get('x-request-id')}`)
})

test('errors of the website become its pages, without internals', async () => {
  const broken = await get('/broken')
  expect(broken.status).toBe(500)
  expect(await broken.text()).not.toContain('inside')
  expect((await get('/refused')).status).toBe(403)
})

test('the interfaces never reach the website', async () => {
  seen.length = 0
  for (const path of ['/api/nothing', '/.well-known/nothing', '/mcp/nothing'])
    expect((await errorOf(await get(path))).code).toMatch(/not_found|unauthenticated/)
  expect(seen).toEqual([])
})

test('a site may have a name of a few letters', async () => {
  for (const host of ['g', 'git', 'git:80', 'forge', 'git.example.com']) {
    const ask = (path: string) => get(path, { as: null, headers: { host } })
    expect(await (await ask('/livez')).json()).toEqual({ status: 'ok' })
    expect((await ask('/api/v1/user')).status).toBe(401)
    expect(await (await ask('/acme')).text()).toBe('<p>acme</p>')
  }
})

test('health, index and metadata answer without a token', async () => {
  const open = (path: string) => get(path, { as: null })
  expect(await (await open('/livez')).json()).toEqual({ status: 'ok' })
  expect(await (await open('/api/')).json()).toEqual({
    documentation_url: 'https://hearth.test/api/openapi.json',
    current_user_url: 'https://hearth.test/api/v1/user',
    repository_url: 'https://hearth.test/api/v1/repos/{owner}/{name}',
    issues_url: 'https://hearth.test/api/v1/repos/{owner}/{name}/issues{?state,label}',
    pulls_url: 'https://hearth.test/api/v1/repos/{owner}/{name}/pulls{?state}',
  })
  const metadata = async (below: string) =>
    (await (await open(`/.well-known/oauth-protected-resource${below}`)).json()) as Record<
      string,
      unknown
    >
  expect(await metadata('/mcp')).toMatchObject({
    resource: 'https://hearth.test/mcp',
    authorization_servers: ['https://hearth.test'],
    bearer_methods_supported: ['header'],
  })
  expect((await metadata('')).resource).toBe('https://hearth.test/mcp')
  expect((await metadata('/api')).resource).toBe('https://hearth.test/api')
  expect((await metadata('/mcp/x/core/readonly')).resource).toBe(
    'https://hearth.test/mcp/x/core/readonly',
  )
  // The same below the REST API, for who knows that address alone.
  expect(await (await open('/api/.well-known/oauth-protected-resource')).json()).toEqual(
    await metadata('/api'),
  )
})

test('a second server cannot share the port', () => {
  expect(() =>
    startServer({ host: '127.0.0.1', port: forge.server.port, log: silentLog }),
  ).toThrow()
})

test('requests that come before the forge is open wait for it', async () => {
  const early = startServer({ host: '127.0.0.1', port: 0, log: silentLog })
  const waiting = fetch(`${early.url}/livez`)
  expect(
    await Promise.race([waiting.then(() => 'answered'), Bun.sleep(30).then(() => 'waits')]),
  ).toBe('waits')
  early.open(forge.hearth)
  expect((await waiting).status).toBe(200)
  await early.stop()
})

const hasBegun = async ({ memory }: typeof forge): Promise<void> => {
  while (!memory.ran.includes('wait_for_end')) await Bun.sleep(5)
}

test('stopping lets running requests end and takes no new ones', async () => {
  const other = makeForge()
  const running = other.get('/api/wait?ms=300')
  await hasBegun(other)
  const stopped = other.server.stop()
  const response = await running
  expect(await response.json()).toEqual({ waited: 300 })
  await stopped
  expect(fetch(`${other.server.url}/livez`)).rejects.toThrow()
  // The port is free again.
  const probe = createServer().listen(other.server.port, '127.0.0.1')
  await new Promise<void>((resolve) => probe.once('listening', () => resolve()))
  probe.close()
})

test('what does not end in time is cut', async () => {
  const other = makeForge()
  const running = other.get('/api/wait?ms=20000').then(
    () => 'answered',
    () => 'cut',
  )
  await hasBegun(other)
  await other.server.stop()
  expect(await running).toBe('cut')
})

/** What the server sends for a request that is written by hand. */
const raw = (text: string): Promise<string> =>
  new Promise((resolve) => {
    let received = ''
    const socket = connect(forge.server.port, '127.0.0.1', () => socket.write(text))
    socket.on('data', (data) => (received += data.toString()))
    socket.on('close', () => resolve(received))
  })

test('two Host headers are refused', async () => {
  for (const hosts of ['Host: a\r\nHost: b', 'Host: a\r\nHost: a']) {
    const response = await raw(`GET /livez HTTP/1.1\r\n${hosts}\r\nConnection: close\r\n\r\n`)
    expect(response).toStartWith('HTTP/1.1 400')
    expect(response).toContain('"code":"bad_request"')
  }
})

test('HEAD has the length of GET at every door, and no body', async () => {
  const authorization = 'Authorization: Bearer ada-secret'
  for (const path of [
    '/livez',
    '/api/openapi.json',
    '/robots.txt',
    '/api/v1/repos/acme/site/notes',
    '/acme',
    '/acme/site.git/info/refs',
    '/nothing',
    '/.well-known/oauth-protected-resource/mcp',
  ]) {
    const [head = '', body] = (
      await raw(`HEAD ${path} HTTP/1.1\r\nHost: x\r\n${authorization}\r\nConnection: close\r\n\r\n`)
    ).split('\r\n\r\n')
    const length = /^content-length: (\d+)$/im.exec(head)?.[1]
    const whole = await (await get(path)).bytes()
    expect([path, length, body]).toEqual([path, String(whole.length), ''])
  }
})
