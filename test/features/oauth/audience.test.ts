/** Audiences of tokens: the tool server refuses tokens for another resource (RFC 8707). */
import { expect, test } from 'bun:test'
import { client, oauthErrorOf, runForge, type Tokens } from './running.ts'

const forge = await runForge()
await forge.user('ada')
const app = await client(forge)

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const rest = async (token: string) => (await forge.get('/api/v1/user', bearer(token))).status
const tools = (token: string) =>
  forge.post(
    '/mcp',
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'whoami', arguments: {} } },
    { ...bearer(token), accept: 'application/json, text/event-stream' },
  )
const audiences = () =>
  forge.hearth.db
    .all<{ audience: string | null }>('SELECT audience FROM tokens ORDER BY id DESC LIMIT 1')
    .map(({ audience }) => audience)[0]

test('a token for the REST API does not work at the tool server', async () => {
  const { access_token } = await app.signIn('ada', { resource: `${forge.url}/api` })
  expect(audiences()).toBe('api')
  expect(await rest(access_token)).toBe(200)
  const refused = await tools(access_token)
  expect(refused.status).toBe(401)
  expect(refused.headers.get('www-authenticate')).toContain('error="invalid_token"')
  expect(((await refused.json()) as { error: { message: string } }).error.message).toContain(
    'REST API',
  )
})

test('tokens for the tool server or the whole site work at the tool server', async () => {
  for (const [resource, audience] of [
    [`${forge.url}/mcp`, 'mcp'],
    [`${forge.url}/mcp/x/core`, 'mcp'],
    [forge.url, null],
    [null, null],
  ] as const) {
    const { access_token } = await app.signIn('ada', { resource })
    expect([resource, audiences()]).toEqual([resource, audience])
    expect([resource, (await tools(access_token)).status]).toEqual([resource, 200])
    expect([resource, await rest(access_token)]).toEqual([resource, 200])
  }
})

test('a refresh keeps what was approved, and cannot ask for something else', async () => {
  const first = await app.signIn('ada', { resource: `${forge.url}/api` })
  for (const resource of [`${forge.url}/mcp`, 'https://evil.example/', `${forge.url}/api#x`]) {
    expect(await oauthErrorOf(await app.refresh(first.refresh_token, { resource }))).toEqual([
      400,
      'invalid_target',
    ])
  }
  const second = (await (await app.refresh(first.refresh_token)).json()) as Tokens
  expect(audiences()).toBe('api')
  expect((await tools(second.access_token)).status).toBe(401)
  expect((await app.refresh(second.refresh_token, { resource: `${forge.url}/api` })).status).toBe(
    200,
  )
})

test('what was approved for everything may be narrowed when the code or a refresh token is exchanged', async () => {
  const code = (await app.decide('ada')).get('code') ?? ''
  const tokens = (await (
    await app.exchange(code, { resource: `${forge.url}/api` })
  ).json()) as Tokens
  expect([audiences(), (await tools(tokens.access_token)).status]).toEqual(['api', 401])
  const next = (await (
    await app.refresh(tokens.refresh_token, { resource: `${forge.url}/mcp` })
  ).json()) as Tokens
  expect([audiences(), (await tools(next.access_token)).status]).toEqual(['mcp', 200])
})

test('several resources in one request are refused', async () => {
  const code = (await app.decide('ada')).get('code') ?? ''
  const both = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    client_id: app.client_id,
    code_verifier: app.verifier,
    resource: `${forge.url}/api`,
  })
  both.append('resource', `${forge.url}/mcp`)
  expect(await oauthErrorOf(await forge.post('/oauth/token', both))).toEqual([
    400,
    'invalid_target',
  ])
  expect((await app.exchange(code)).status).toBe(200)
})

test('a token inherits the audience of the token that creates it', async () => {
  const { access_token } = await app.signIn('ada', { resource: `${forge.url}/api` })
  const made = await forge.post(
    '/api/user/tokens',
    { name: 'made', scopes: ['user:read'] },
    bearer(access_token),
  )
  expect(made.status).toBe(201)
  const { secret } = (await made.json()) as { secret: string }
  expect([await rest(secret), (await tools(secret)).status]).toEqual([200, 401])
})
