import { expect, test } from 'bun:test'
import { isRegistered, redirectProblem } from '#features/oauth/redirects.ts'
import { oauthErrorOf, runForge } from './running.ts'

const forge = await runForge()
const register = (body: Record<string, unknown>, path = '/oauth/register') => forge.post(path, body)

/** Redirect URIs that would leak a code, execute something, or be ambiguous. */
const ATTACKS = [
  '',
  ' ',
  '/callback',
  'callback',
  '//evil.example/cb',
  '?x=1',
  'https:',
  'https://',
  'https:///cb',
  'https:/app.example/cb',
  'https:app.example/cb',
  'http://app.example/cb',
  'http://127.0.0.1.evil.example/cb',
  'http://localhost.evil.example/cb',
  'http://evil.example#localhost/',
  'http://localhost@evil.example/cb',
  'http://127.0.0.2/cb',
  'http://127.1/cb',
  'http://0x7f000001/cb',
  'http://2130706433/cb',
  'http://0177.0.0.1/cb',
  'http://0.0.0.0/cb',
  'http://[::]/cb',
  'http://[::ffff:127.0.0.1]/cb',
  'http://10.0.0.1/cb',
  'http://LOCALHOST/cb',
  'http://localhost./cb',
  'http://local\thost/cb',
  'http:/localhost/cb',
  'http:\\\\localhost\\cb',
  'https://app.example/cb#',
  'https://app.example/cb#fragment',
  'https://user@app.example/cb',
  'https://user:word@app.example/cb',
  'https://@evil.example/cb',
  'https://app.example:443/cb',
  'https://APP.example/cb',
  'https://app.example./cb',
  'https://app.example/a/../cb',
  'https://app.example/%2e%2e/cb',
  'https://app.example/./cb',
  'https://app.example\\@evil.example/cb',
  'https://app.example/c b',
  'https://app.example/cb\n',
  '\thttps://app.example/cb',
  'https://app.example/c\u0000b',
  'https://аpp.example/cb',
  'https://app.example/ä',
  'https://app.example/<script>',
  'https://app.example/cb?code=1',
  'https://app.example/cb?state=1',
  'https://app.example/cb?iss=https://evil.example',
  'https://app.example/cb?x=1&error=2',
  'javascript:alert(1)',
  'JavaScript:alert(1)',
  'java\nscript:alert(1)',
  'javascript://app.example/%0aalert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:msgbox',
  'file:///etc/passwd',
  'blob:https://app.example/1',
  'about:blank',
  'filesystem:https://app.example/1',
  'view-source:https://app.example/',
  'mailto:a@b.example',
  'ftp://app.example/cb',
  'ws://app.example/',
  'wss://app.example/',
  'abc:/cb',
  'a:b',
  `https://app.example/${'x'.repeat(600)}`,
  'urn',
  'urn:',
  'tel:1',
  'ms-msdt:/id',
  'MS-MSDT:/id',
  'ms-officecmd:x',
  'ms-word:ofe|u|https://evil.example',
  'ms-appinstaller:?source=https://evil.example',
  'ms-cxh-full://x',
  'microsoft-edge:https://evil.example',
  'microsoft.windows.camera:x',
  'search-ms:query=x',
  'search:x',
  'shell:startup',
  'hcp://x',
  'ie.http://app.example/',
  'vnd.ms.radio:x',
  'x-apple.systempreferences:com.apple',
  'itms-services://?action=download-manifest',
  'intent://x#Intent;end',
  'intent:x',
  'android-app://com.evil.app/',
  'chrome-extension://abc/x',
  'moz-extension://abc/x',
  'resource://gre/x',
  'telnet://evil.example',
  'sftp://evil.example/x',
  'jnlp://evil.example/x',
  'content://x/y',
]

test(`${ATTACKS.length} addresses that could hand a code to somebody else are refused`, async () => {
  expect(ATTACKS.length).toBeGreaterThanOrEqual(45)
  for (const uri of ATTACKS) {
    expect([uri, await oauthErrorOf(await register({ redirect_uris: [uri] }))]).toEqual([
      uri,
      [400, 'invalid_redirect_uri'],
    ])
    // A valid URI in the same list does not help.
    expect((await register({ redirect_uris: ['https://app.example/cb', uri] })).status).toBe(400)
    expect(isRegistered(uri, [uri])).toBe(false)
  }
})

const GOOD = [
  'https://app.example/cb',
  'https://app.example',
  'https://app.example/',
  'https://app.example:8443/cb?tenant=1',
  'http://localhost/cb',
  'http://localhost:3000/cb',
  'http://127.0.0.1:9/',
  'http://[::1]:5000/cb',
  'com.example.app:/oauth',
  'cursor://anysphere.cursor-retrieval/oauth/callback',
  'vscode://publisher.extension/cb',
  'myapp:callback',
  'vscode-insiders://publisher.extension/cb',
  'windsurf://oauth/cb',
  'com.microsoft.example:/cb',
]

test('addresses of websites, of programs on this machine and of programs with their own scheme are taken', async () => {
  expect(GOOD.map((uri) => [uri, redirectProblem(uri)])).toEqual(GOOD.map((uri) => [uri, null]))
  const response = await register({
    client_name: 'Everything',
    redirect_uris: GOOD.slice(0, 10),
    token_endpoint_auth_method: 'client_secret_basic',
    grant_types: ['implicit'],
    logo_uri: 'javascript:1',
  })
  expect(response.status).toBe(201)
  expect(response.headers.get('cache-control')).toBe('no-store')
  const body = (await response.json()) as Record<string, unknown>
  expect(body).toEqual({
    client_id: expect.any(String),
    client_id_issued_at: expect.any(Number),
    client_name: 'Everything',
    redirect_uris: GOOD.slice(0, 10),
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  })
  expect(String(body.client_id).length).toBeLessThan(4000)
})

test('a redirect URI must equal a registered one; only a loopback port may differ', () => {
  const registered = [
    'https://app.example/cb?a=1',
    'http://127.0.0.1/cb',
    'http://localhost:3000/one?x=2',
    'com.example.app:/cb',
  ]
  const matches = [
    'https://app.example/cb?a=1',
    'http://127.0.0.1/cb',
    'http://127.0.0.1:41234/cb',
    'http://localhost/one?x=2',
    'http://localhost:1/one?x=2',
    'com.example.app:/cb',
  ]
  const others = [
    'https://app.example/cb',
    'https://app.example/cb?a=1&b=2',
    'https://app.example/cb?a=2',
    'https://app.example:8443/cb?a=1',
    'https://app.example/CB?a=1',
    'https://app.example/cb/?a=1',
    'http://app.example/cb?a=1',
    'https://evil.example/cb?a=1',
    'https://app.example.evil.example/cb?a=1',
    'http://localhost/cb',
    'http://127.0.0.1/cb/',
    'http://127.0.0.1/cb?x=1',
    'http://127.0.0.1:99999/cb',
    'http://127.0.0.1:1@evil.example/cb',
    'http://[::1]/cb',
    'https://127.0.0.1/cb',
    'http://127.0.0.1:80.evil.example/cb',
    'com.example.app:/cb2',
    'com.example.app:/cb?x',
    'COM.example.app:/cb',
    'http://localhost:3000/one',
  ]
  for (const uri of matches) expect([uri, isRegistered(uri, registered)]).toEqual([uri, true])
  for (const uri of others) expect([uri, isRegistered(uri, registered)]).toEqual([uri, false])
})

test('nothing is stored, the same registration gives the same id, and each issuer its own', async () => {
  const body = { client_name: 'One', redirect_uris: ['http://localhost/cb'] }
  const id = async (path: string) =>
    ((await (await register(body, path)).json()) as { client_id: string }).client_id
  expect(await id('/oauth/register')).toBe(await id('/oauth/register'))
  expect(await id('/oauth/register')).not.toBe(await id('/api/oauth/register'))
  expect(forge.hearth.db.all('SELECT * FROM oauth_applications')).toEqual([])
  expect(forge.hearth.db.all("SELECT * FROM audit_log WHERE action LIKE 'application%'")).toEqual(
    [],
  )
})

test('names and lists are held to their limits', async () => {
  const uris = ['https://app.example/cb']
  expect(
    await oauthErrorOf(await register({ client_name: 'x'.repeat(65), redirect_uris: uris })),
  ).toEqual([400, 'invalid_client_metadata'])
  expect(await oauthErrorOf(await register({ client_name: 7, redirect_uris: uris }))).toEqual([
    400,
    'invalid_client_metadata',
  ])
  for (const redirect_uris of [
    undefined,
    null,
    [],
    'https://app.example/cb',
    {},
    [1],
    Array.from({ length: 11 }, (_, i) => `https://app.example/${i}`),
  ]) {
    expect(await oauthErrorOf(await register({ redirect_uris }))).toEqual([
      400,
      'invalid_redirect_uri',
    ])
  }
  const name = async (client_name: unknown) =>
    (
      (await (await register({ client_name, redirect_uris: uris })).json()) as {
        client_name: string
      }
    ).client_name
  expect(await name('x'.repeat(64))).toBe('x'.repeat(64))
  expect(await name('Good\u202eevil\u0000\nname')).toBe('Good evil name')
  expect(await name(' \u200b ')).toBe('Unnamed application')
  expect(await name(undefined)).toBe('Unnamed application')
})

test('what cannot be read is refused in the words of OAuth, other methods too', async () => {
  const raw = (body: string, type: string) =>
    fetch(`${forge.url}/oauth/register`, {
      method: 'POST',
      body,
      headers: { 'content-type': type },
    })
  expect(await oauthErrorOf(await raw('{', 'application/json'))).toEqual([400, 'invalid_request'])
  expect(await oauthErrorOf(await raw('[]', 'application/json'))).toEqual([400, 'invalid_request'])
  expect(await oauthErrorOf(await raw('<xml/>', 'text/xml'))).toEqual([400, 'invalid_request'])
  expect((await raw(`"${'x'.repeat(70_000)}"`, 'application/json')).status).toBe(413)
  expect((await forge.get('/oauth/register')).status).toBe(405)
  const preflight = await fetch(`${forge.url}/oauth/register`, { method: 'OPTIONS' })
  expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([
    204,
    '*',
  ])
})
