import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clientDocument, documentAddressProblem } from '#features/oauth/client-documents.ts'
import { DAY, MINUTE } from '#lib/time.ts'
import { refusal } from '../../world.ts'
import { client, runForge } from './running.ts'

const forge = await runForge({ outbound_allow: ['localhost'] })
const strict = await runForge()
const directory = mkdtempSync(join(tmpdir(), 'hearth-tls-'))

let server: Bun.Server<undefined>
let documents: Record<string, () => Response> = {}
const fetched: string[] = []
/** The URL of a client document. */
const at = (path: string) => `https://localhost:${server.port}${path}`
const described =
  (path: string, change: Record<string, unknown> = {}) =>
  () =>
    Response.json({
      client_id: at(path),
      client_name: 'Described',
      redirect_uris: ['https://app.example/callback'],
      token_endpoint_auth_method: 'none',
      ...change,
    })

beforeAll(async () => {
  const words = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-days',
    '2',
    '-subj',
    '/CN=localhost',
    '-addext',
    'subjectAltName=DNS:localhost',
    '-keyout',
    join(directory, 'key.pem'),
    '-out',
    join(directory, 'cert.pem'),
  ]
  expect(
    await Bun.spawn(['openssl', ...words], { stdout: 'ignore', stderr: 'ignore' }).exited,
  ).toBe(0)
  server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    tls: {
      key: readFileSync(join(directory, 'key.pem')),
      cert: readFileSync(join(directory, 'cert.pem')),
    },
    fetch: (request) => {
      const { pathname } = new URL(request.url)
      fetched.push(pathname)
      return documents[pathname]?.() ?? new Response('nothing', { status: 404 })
    },
  })
  documents = {
    '/client.json': described('/client.json'),
    '/other.json': described('/client.json'),
    '/secret.json': described('/secret.json', { client_secret: 's' }),
    '/evil.json': described('/evil.json', {
      redirect_uris: ['https://app.example/callback', 'javascript:alert(1)'],
    }),
    '/none.json': described('/none.json', { redirect_uris: [] }),
    '/text.json': () => new Response('{}', { headers: { 'content-type': 'text/plain' } }),
    '/broken.json': () => new Response('{', { headers: { 'content-type': 'application/json' } }),
    '/list.json': () => Response.json([]),
    '/large.json': () => Response.json({ client_id: 'x'.repeat(20_000) }),
    '/moved.json': () => new Response(null, { status: 302, headers: { location: '/client.json' } }),
  }
})
afterAll(() => {
  void server.stop(true)
  rmSync(directory, { recursive: true, force: true })
})

/** The system does not trust the test's certificate authority, so it is passed explicitly. */
const ca = () => readFileSync(join(directory, 'cert.pem'), 'utf8')
const read = (path: string) => clientDocument(forge.hearth, at(path), { ca: ca() })

test('a document that names its own URL is a client and is cached for a day', async () => {
  expect(await read('/client.json')).toEqual({
    name: 'Described',
    redirect_uris: ['https://app.example/callback'],
  })
  await read('/client.json')
  expect(fetched).toEqual(['/client.json'])
  forge.clock.advance(DAY)
  await read('/client.json')
  expect(fetched).toEqual(['/client.json', '/client.json'])
})

test('an invalid document is refused with the reason, and the failure is cached for a minute', async () => {
  const reasons: Record<string, string> = {
    '/other.json': 'not its own address',
    '/secret.json': 'secret',
    '/evil.json': 'redirect_uris',
    '/none.json': 'redirect_uris',
    '/text.json': 'not JSON',
    '/broken.json': 'not JSON',
    '/list.json': 'not an object',
    '/large.json': 'more than',
    '/moved.json': 'status 302',
    '/missing.json': 'status 404',
  }
  for (const [path, reason] of Object.entries(reasons)) {
    const error = await refusal(read(path))
    expect([path, error.reason, error.message]).toEqual([
      path,
      'invalid_client',
      expect.stringContaining(reason),
    ])
  }
  const before = fetched.length
  await refusal(read('/missing.json'))
  expect(fetched.length).toBe(before)
  forge.clock.advance(MINUTE)
  await refusal(read('/missing.json'))
  expect(fetched.length).toBe(before + 1)
})

test('private addresses and untrusted certificates are refused', async () => {
  const inside = await refusal(clientDocument(strict.hearth, at('/client.json'), { ca: ca() }))
  expect(inside.message).toContain('outbound.allow')
  for (const address of [
    'https://127.0.0.1/client.json',
    'https://169.254.169.254/latest/meta-data',
    'https://[::1]/client.json',
    `${strict.url.replace('http:', 'https:')}/client.json`,
  ]) {
    expect((await refusal(clientDocument(strict.hearth, address))).message).toContain(
      'not a public address',
    )
  }
  const before = fetched.length
  forge.clock.advance(2 * DAY)
  expect((await refusal(clientDocument(forge.hearth, at('/client.json')))).reason).toBe(
    'invalid_client',
  )
  expect(fetched.length).toBe(before)
})

test('an ambiguous URL is no client id', () => {
  for (const address of [
    'https://app.example/client.json',
    'https://app.example:8443/a/b?x=1',
    'https://app.example/a/',
  ])
    expect(documentAddressProblem(address)).toBeNull()
  for (const address of [
    'https://app.example',
    'https://app.example/',
    'http://app.example/client.json',
    'https://app.example/client.json#x',
    'https://user@app.example/client.json',
    'https://app.example/a/../client.json',
    'https://APP.example/client.json',
    'https://app.example:443/client.json',
    'https:/app.example/client.json',
    'https://app.example\\client.json',
    'HTTPS://app.example/client.json',
    ` https://app.example/client.json`,
    `https://app.example/${'x'.repeat(500)}`,
  ])
    expect([address, documentAddressProblem(address)]).not.toEqual([address, null])
})

test("the page shows the client's URL; documents are not fetched for anonymous visitors", async () => {
  // The document is cached now, as if the system trusted its authority.
  forge.clock.advance(MINUTE)
  await read('/client.json')
  const before = fetched.length
  const app = await client(forge)
  const visitor = await (await forge.browser(null)).open(
    app.query({ client_id: at('/missing-too.json') }),
  )
  expect([visitor.status, visitor.location.startsWith('/login?')]).toEqual([302, true])
  expect(fetched.length).toBe(before)
  const client_id = at('/client.json')
  const answer = await app.decide('ada', 'approve', { client_id })
  expect(answer.get('iss')).toBe(forge.url)
  const response = await app.exchange(answer.get('code') ?? '', { client_id })
  expect(response.status).toBe(200)
  const page = await (await forge.browser('ada')).open('/settings/applications')
  expect(page.html).toContain(client_id)
  // Through the API's endpoint the other issuer responds.
  const redirected = await forge.get(`/api${app.query({ client_id })}`)
  const browser = await forge.browser('ada')
  const { html } = await browser.open(redirected.headers.get('location') ?? '')
  const { location } = await browser.press(html, '/oauth/authorize', { decision: 'approve' })
  expect(new URL(location).searchParams.get('iss')).toBe(`${forge.url}/api`)
})
