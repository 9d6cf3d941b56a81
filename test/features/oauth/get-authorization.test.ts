import { expect, test } from 'bun:test'
import { client, runForge } from './running.ts'

const forge = await runForge()
await forge.user('ada')

test('the page says who asks and where the answer goes, cannot be framed, and its form leads only there', async () => {
  const app = await client(forge, { name: '<b>Sneaky</b>' })
  const browser = await forge.browser('ada')
  const { status, html, headers } = await browser.open(app.query({ scope: 'code:read' }))
  expect(status).toBe(200)
  expect(html).toContain('&lt;b&gt;Sneaky&lt;/b&gt;')
  expect(html).toContain('id="redirect-host">app.example<')
  expect(html).not.toContain('on this computer')
  expect(html).toContain('code:read')
  expect(html).not.toContain('code:write')
  const policy = headers.get('content-security-policy') ?? ''
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).toContain("form-action 'self' https:")
  expect(policy).not.toContain('http://localhost')
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('referrer-policy')).toBe('no-referrer')
})

test('the page warns about a loopback redirect', async () => {
  const app = await client(forge, { redirect_uri: 'http://127.0.0.1/callback' })
  const browser = await forge.browser('ada')
  const { html, headers } = await browser.open(
    app.query({ redirect_uri: 'http://127.0.0.1:51234/callback' }),
  )
  expect(html).toContain('a program on this computer')
  expect(html).toContain('127.0.0.1:51234')
  expect(headers.get('content-security-policy')).toContain('http://127.0.0.1:*')
})

test('a visitor signs in first and comes back to the request', async () => {
  const app = await client(forge)
  const { status, location } = await (await forge.browser(null)).open(app.query())
  expect(status).toBe(302)
  expect(location.startsWith('/login?next=')).toBe(true)
  expect(decodeURIComponent(location.slice('/login?next='.length))).toBe(app.query())
  const { location: back } = await (await forge.browser('ada')).open(location)
  expect(back).toBe(app.query())
})

test('without a client and an address that belong together nothing is sent anywhere', async () => {
  const app = await client(forge)
  for (const change of <Record<string, string | null>[]>[
    { client_id: null },
    { redirect_uri: null },
    { redirect_uri: 'https://evil.example/' },
    { redirect_uri: 'https://app.example/callback/../x' },
    { redirect_uri: 'javascript:alert(1)' },
  ]) {
    for (const name of ['ada', null]) {
      const { status, location, html } = await (await forge.browser(name)).open(app.query(change))
      expect([change, status, location]).toEqual([change, 400, ''])
      expect(html).not.toContain('href="https://evil.example')
    }
  }
  const twice = `${app.query()}&redirect_uri=https://app.example/callback`
  expect((await (await forge.browser('ada')).open(twice)).status).toBe(400)
})

const BAD: [Record<string, string | null>, string][] = [
  [{ response_type: 'token' }, 'unsupported_response_type'],
  [{ response_type: null }, 'invalid_request'],
  [{ code_challenge: null }, 'invalid_request'],
  [{ code_challenge_method: 'plain' }, 'invalid_request'],
  [{ code_challenge_method: null }, 'invalid_request'],
  [{ code_challenge: 'short' }, 'invalid_request'],
  [{ scope: 'repo:read root:admin' }, 'invalid_scope'],
  [{ resource: 'https://evil.example/mcp' }, 'invalid_target'],
  [{ response_mode: 'fragment' }, 'invalid_request'],
]

test('what cannot be granted is told to a program on this computer at once', async () => {
  const app = await client(forge, { redirect_uri: 'http://localhost:7777/cb' })
  const browser = await forge.browser('ada')
  for (const [change, error] of BAD) {
    const { status, location } = await browser.open(app.query(change))
    expect([change, status]).toEqual([change, 303])
    const answer = new URL(location)
    expect([
      answer.origin,
      answer.searchParams.get('error'),
      answer.searchParams.get('state'),
      answer.searchParams.get('iss'),
    ]).toEqual(['http://localhost:7777', error, 'st&te', forge.url])
    expect(answer.searchParams.get('code')).toBeNull()
  }
})

test('an invalid request of an unknown client does not redirect; an approved client is told at once', async () => {
  const app = await client(forge, { name: 'Stranger', redirect_uri: 'https://stranger.example/cb' })
  const visitor = await (await forge.browser(null)).open(app.query({ scope: 'nonsense' }))
  expect(visitor.location.startsWith('/login?')).toBe(true)
  const browser = await forge.browser('ada')
  const { status, location, html } = await browser.open(app.query({ scope: 'nonsense' }))
  expect([status, location]).toEqual([400, ''])
  expect(html).toContain('https://stranger.example/cb?error=invalid_scope')
  await app.signIn('ada')
  const known = await browser.open(app.query({ scope: 'nonsense' }))
  expect([known.status, new URL(known.location).searchParams.get('error')]).toEqual([
    303,
    'invalid_scope',
  ])
})

test('every URL of the tool server is a valid resource', async () => {
  const app = await client(forge)
  const browser = await forge.browser('ada')
  for (const resource of [
    `${forge.url}/mcp`,
    `${forge.url}/mcp/`,
    `${forge.url}/mcp/x/core/readonly`,
    `${forge.url}/mcp?toolsets=core`,
    `${forge.url}/api`,
    forge.url,
    `${forge.url}/`,
  ]) {
    expect([resource, (await browser.open(app.query({ resource }))).status]).toEqual([
      resource,
      200,
    ])
  }
  for (const resource of [
    `${forge.url}.evil.example/mcp`,
    `${forge.url}/mcpx`,
    `${forge.url}/acme`,
    `${forge.url}/mcp#x`,
    `${forge.url}/mcp/../x`,
    'mcp',
  ]) {
    expect([resource, (await browser.open(app.query({ resource }))).status]).not.toEqual([
      resource,
      200,
    ])
  }
})
