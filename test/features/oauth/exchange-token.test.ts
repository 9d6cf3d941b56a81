import { expect, test } from 'bun:test'
import { MINUTE, DAY, SECOND } from '#lib/time.ts'
import { sweepApplications } from '#features/oauth/sweep.ts'
import { client, oauthErrorOf, pkce, runForge, type Tokens } from './running.ts'

const forge = await runForge()
await forge.user('ada')
await forge.user('bob')

const user = (token: string) => forge.get('/api/v1/user', { authorization: `Bearer ${token}` })
const sweep = () =>
  sweepApplications.run(
    { hearth: forge.hearth, signal: new AbortController().signal, attempt: 1, id: 'bgj_test' },
    undefined,
  )
const audited = (action: string) =>
  forge.hearth.db.all<{ target_name: string }>(
    'SELECT target_name FROM audit_log WHERE action = ?',
    action,
  ).length

test('a code yields working tokens with the requested scopes only', async () => {
  const app = await client(forge, { name: 'Narrow' })
  const answer = await app.decide('ada', 'approve', { scope: 'repo:read user:read' })
  expect(answer.get('state')).toBe('st&te')
  expect(answer.get('iss')).toBe(forge.url)
  const response = await app.exchange(answer.get('code') ?? '')
  expect(response.status).toBe(200)
  expect(response.headers.get('cache-control')).toBe('no-store')
  const tokens = (await response.json()) as Tokens
  expect(tokens).toEqual({
    access_token: expect.stringMatching(/^hthu_\w{46}$/),
    token_type: 'Bearer',
    expires_in: 2_592_000,
    refresh_token: expect.any(String),
    scope: 'repo:read user:read',
  })
  const me = (await (await user(tokens.access_token)).json()) as {
    username: string
    token: { scopes: string[] }
  }
  expect(me).toMatchObject({ username: 'ada' })
  const listed = (await (
    await forge.get('/api/user/tokens', { authorization: `Bearer ${tokens.access_token}` })
  ).json()) as { name: string; source: string; scopes: string[] }[]
  expect(listed[0]).toMatchObject({
    name: 'Narrow',
    source: 'oauth',
    scopes: ['repo:read', 'user:read'],
  })
  expect(
    (await forge.get('/api/user/emails', { authorization: `Bearer ${tokens.access_token}` }))
      .status,
  ).toBe(200)
  const refused = await forge.post(
    '/api/v1/workspaces',
    { slug: 'narrow' },
    { authorization: `Bearer ${tokens.access_token}` },
  )
  expect(refused.status).toBe(403)
})

test('without a scope the tokens have full rights; JSON and forms are taken alike, and HTTP Basic without a secret', async () => {
  const app = await client(forge)
  const tokens = await app.signIn('ada')
  expect(tokens.scope).toContain('user:write')
  const code = (await app.decide('ada')).get('code') ?? ''
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: app.redirect_uri,
    code_verifier: app.verifier,
  })
  const basic = (secret: string) => ({
    authorization: `Basic ${Buffer.from(`${encodeURIComponent(app.client_id)}:${secret}`).toString('base64')}`,
  })
  // Some libraries try a client secret first. That must not consume the code.
  expect(await oauthErrorOf(await forge.post('/oauth/token', form, basic('secret')))).toEqual([
    400,
    'invalid_client',
  ])
  expect((await forge.post('/oauth/token', form, basic(''))).status).toBe(200)
  const again = (await app.decide('ada')).get('code') ?? ''
  expect(
    (
      await forge.post(
        '/api/oauth/token',
        new URLSearchParams({
          grant_type: 'authorization_code',
          code: again,
          client_id: app.client_id,
          code_verifier: app.verifier,
        }),
      )
    ).status,
  ).toBe(200)
})

test('a failed check does not consume the code', async () => {
  const app = await client(forge)
  const other = await client(forge, { name: 'Other' })
  const code =
    (await app.decide('ada', 'approve', { resource: `${forge.url}/mcp` })).get('code') ?? ''
  const attempts: [Record<string, string>, string][] = [
    [{ code_verifier: '' }, 'invalid_request'],
    [{ code_verifier: pkce().verifier }, 'invalid_grant'],
    [{ code_verifier: app.challenge }, 'invalid_grant'],
    [{ redirect_uri: 'https://app.example/callback/' }, 'invalid_grant'],
    [{ redirect_uri: 'https://evil.example/' }, 'invalid_grant'],
    [{ client_id: other.client_id }, 'invalid_grant'],
    [{ client_id: '' }, 'invalid_client'],
    [{ client_id: 'nobody' }, 'invalid_client'],
    [{ client_id: `${app.client_id}x` }, 'invalid_client'],
    [{ client_id: 'https://app.example/client.json' }, 'invalid_grant'],
    [{ code: `${code}x` }, 'invalid_grant'],
    [{ code: '' }, 'invalid_request'],
    [{ grant_type: 'password' }, 'unsupported_grant_type'],
    [{ grant_type: 'client_credentials' }, 'unsupported_grant_type'],
    [{ grant_type: '' }, 'invalid_request'],
    [{ resource: 'https://evil.example/mcp' }, 'invalid_target'],
    [{ resource: `${forge.url}/api` }, 'invalid_target'],
  ]
  for (const [change, error] of attempts)
    expect([change, await oauthErrorOf(await app.exchange(code, change))]).toEqual([
      change,
      [400, error],
    ])
  const twice = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    client_id: app.client_id,
    code_verifier: app.verifier,
  })
  twice.append('code', 'another')
  expect(await oauthErrorOf(await forge.post('/oauth/token', twice))).toEqual([
    400,
    'invalid_request',
  ])
  expect((await app.exchange(code, { resource: `${forge.url}/mcp` })).status).toBe(200)
})

test('padded code challenges are accepted', async () => {
  const app = await client(forge)
  const padded = pkce(`${'v'.repeat(43)}=`)
  const code =
    (await app.decide('ada', 'approve', { code_challenge: padded.challenge })).get('code') ?? ''
  expect((await app.exchange(code, { code_verifier: padded.verifier })).status).toBe(200)
})

test('a code expires after five minutes', async () => {
  const app = await client(forge)
  const code = (await app.decide('ada')).get('code') ?? ''
  forge.clock.advance(5 * MINUTE)
  expect(await oauthErrorOf(await app.exchange(code))).toEqual([400, 'invalid_grant'])
})

test('a code that is used twice revokes its tokens', async () => {
  const app = await client(forge)
  const code = (await app.decide('ada')).get('code') ?? ''
  const tokens = (await (await app.exchange(code)).json()) as Tokens
  expect((await user(tokens.access_token)).status).toBe(200)
  // Another client gets an error and revokes nothing.
  const other = await client(forge, { name: 'Other' })
  expect(await oauthErrorOf(await app.exchange(code, { client_id: other.client_id }))).toEqual([
    400,
    'invalid_grant',
  ])
  expect((await user(tokens.access_token)).status).toBe(200)
  const before = audited('application.reuse_detected')
  expect(await oauthErrorOf(await app.exchange(code))).toEqual([400, 'invalid_grant'])
  expect((await user(tokens.access_token)).status).toBe(401)
  expect(await oauthErrorOf(await app.refresh(tokens.refresh_token))).toEqual([
    400,
    'invalid_grant',
  ])
  expect(audited('application.reuse_detected')).toBe(before + 1)
})

test('two exchanges of one code at the same moment: one wins', async () => {
  const app = await client(forge)
  const code = (await app.decide('ada')).get('code') ?? ''
  const statuses = (await Promise.all([app.exchange(code), app.exchange(code)]))
    .map(({ status }) => status)
    .sort()
  expect(statuses).toEqual([200, 400])
})

test('a refresh issues the next pair, and the previous access token expires within a minute', async () => {
  const app = await client(forge)
  const first = await app.signIn('ada', { scope: 'repo:read code:write' })
  const response = await app.refresh(first.refresh_token)
  expect(response.status).toBe(200)
  const second = (await response.json()) as Tokens
  expect(second.scope).toBe('repo:read code:write')
  expect(second.refresh_token).not.toBe(first.refresh_token)
  expect((await user(first.access_token)).status).toBe(200)
  forge.clock.advance(60 * SECOND)
  expect((await user(first.access_token)).status).toBe(401)
  expect((await user(second.access_token)).status).toBe(200)
  const narrower = (await (
    await app.refresh(second.refresh_token, { scope: 'code:read' })
  ).json()) as Tokens
  expect(narrower.scope).toBe('code:read')
  const wider = await app.refresh(narrower.refresh_token, { scope: 'code:write workflows:write' })
  expect(await oauthErrorOf(wider)).toEqual([400, 'invalid_scope'])
  expect(
    await oauthErrorOf(await app.refresh(narrower.refresh_token, { scope: 'nonsense' })),
  ).toEqual([400, 'invalid_scope'])
  expect((await app.refresh(narrower.refresh_token)).status).toBe(200)
})

test('one of several parallel refreshes succeeds, and nothing is revoked', async () => {
  const app = await client(forge)
  const { refresh_token } = await app.signIn('ada')
  const responses = await Promise.all(Array.from({ length: 5 }, () => app.refresh(refresh_token)))
  const winners = responses.filter(({ status }) => status === 200)
  expect(winners.length).toBe(1)
  for (const loser of responses.filter(({ status }) => status !== 200))
    expect(await oauthErrorOf(loser)).toEqual([400, 'invalid_grant'])
  forge.clock.advance(60 * SECOND)
  expect(await oauthErrorOf(await app.refresh(refresh_token))).toEqual([400, 'invalid_grant'])
  const won = (await winners[0]?.json()) as Tokens
  expect((await user(won.access_token)).status).toBe(200)
  expect((await app.refresh(won.refresh_token)).status).toBe(200)
})

test('a stolen refresh token ends the whole chain when it is used again', async () => {
  const app = await client(forge)
  const first = await app.signIn('ada')
  const second = (await (await app.refresh(first.refresh_token)).json()) as Tokens
  const third = (await (await app.refresh(second.refresh_token)).json()) as Tokens
  const untouched = await app.signIn('ada')
  forge.clock.advance(61 * SECOND)
  // Another client cannot refresh.
  const other = await client(forge, { name: 'Other' })
  expect(await oauthErrorOf(await other.refresh(first.refresh_token))).toEqual([
    400,
    'invalid_grant',
  ])
  expect((await user(third.access_token)).status).toBe(200)
  expect(await oauthErrorOf(await app.refresh(first.refresh_token))).toEqual([400, 'invalid_grant'])
  for (const { access_token } of [first, second, third])
    expect((await user(access_token)).status).toBe(401)
  for (const { refresh_token } of [second, third])
    expect(await oauthErrorOf(await app.refresh(refresh_token))).toEqual([400, 'invalid_grant'])
  // Another approval of the same application starts another chain.
  expect((await user(untouched.access_token)).status).toBe(200)
})

test('access tokens last 30 days and refresh tokens 180; the sweep keeps refreshable ones', async () => {
  const app = await client(forge)
  const tokens = await app.signIn('ada')
  forge.clock.advance(30 * DAY)
  expect((await user(tokens.access_token)).status).toBe(401)
  await sweep()
  const next = (await (await app.refresh(tokens.refresh_token)).json()) as Tokens
  expect((await user(next.access_token)).status).toBe(200)
  forge.clock.advance(180 * DAY)
  await sweep()
  expect(await oauthErrorOf(await app.refresh(next.refresh_token))).toEqual([400, 'invalid_grant'])
  expect(forge.hearth.db.all('SELECT * FROM oauth_grants')).toEqual([])
  expect(forge.hearth.db.all('SELECT * FROM oauth_applications')).toEqual([])
  expect(forge.hearth.db.all(`SELECT * FROM tokens WHERE source = 'oauth'`)).toEqual([])
})

test('an access token that is revoked in the settings takes its refresh token along', async () => {
  const app = await client(forge)
  const tokens = await app.signIn('bob')
  const row = forge.hearth.db.one<{ id: string }>(
    `SELECT id FROM tokens WHERE last_four = ? AND source = 'oauth'`,
    tokens.access_token.slice(-4),
  )
  const { revokeToken } = await import('#features/accounts/index.ts')
  await forge.call(revokeToken, await forge.user('bob'), { id: row?.id ?? '' })
  expect((await user(tokens.access_token)).status).toBe(401)
  expect(await oauthErrorOf(await app.refresh(tokens.refresh_token))).toEqual([
    400,
    'invalid_grant',
  ])
})

test('a suspended account gets no tokens', async () => {
  const app = await client(forge)
  const tokens = await app.signIn('bob')
  const code = (await app.decide('bob')).get('code') ?? ''
  forge.hearth.database.run(
    'UPDATE users SET suspended_at = ? WHERE id = ?',
    '2026-01-01T00:00:00.000Z',
    (await forge.user('bob')).id,
  )
  expect(await oauthErrorOf(await app.exchange(code))).toEqual([400, 'invalid_grant'])
  expect(await oauthErrorOf(await app.refresh(tokens.refresh_token))).toEqual([
    400,
    'invalid_grant',
  ])
})
