import { expect, test } from 'bun:test'
import { decideAuthorization } from '#features/oauth/decide-authorization.ts'
import { refusal, withToken } from '../../world.ts'
import { client, runForge, type Tokens } from './running.ts'

const forge = await runForge()
const ada = await forge.user('ada')
const grants = () => forge.hearth.db.all('SELECT * FROM oauth_grants').length

test('a denied request creates no grant', async () => {
  const app = await client(forge)
  const answer = await app.decide('ada', 'deny')
  expect([answer.get('error'), answer.get('state'), answer.get('iss'), answer.get('code')]).toEqual(
    ['access_denied', 'st&te', forge.url, null],
  )
  expect(grants()).toBe(0)
})

test('what was unticked is not given, and nothing can be added', async () => {
  const app = await client(forge)
  const answer = await app.decide(
    'ada',
    'approve',
    { scope: 'repo:read code:write issues:write' },
    { scopes: ['repo:read', 'code:read'] },
  )
  const tokens = (await (await app.exchange(answer.get('code') ?? '')).json()) as Tokens
  expect(tokens.scope).toBe('repo:read code:read')
  const browser = await forge.browser('ada')
  const { html } = await browser.open(app.query({ scope: 'repo:read' }))
  const before = grants()
  const more = await browser.press(html, '/oauth/authorize', {
    decision: 'approve',
    scopes: ['repo:read', 'user:write'],
  })
  expect(more.status).toBe(422)
  const none = await browser.press(html, '/oauth/authorize', { decision: 'approve', scopes: null })
  expect(none.status).toBe(422)
  expect(none.html).toContain('Tick at least one')
  expect(grants()).toBe(before)
})

test('the form is held to the same rules as the page, whatever it is made to hold', async () => {
  const app = await client(forge)
  const browser = await forge.browser('ada')
  const { html } = await browser.open(app.query())
  const before = grants()
  for (const change of <Record<string, string>[]>[
    { redirect_uri: 'https://evil.example/' },
    { client_id: `${app.client_id}x` },
    { client_id: 'https://127.0.0.1/client.json' },
  ]) {
    const { status, location } = await browser.press(html, '/oauth/authorize', {
      decision: 'approve',
      ...change,
    })
    expect([change, status, location]).toEqual([change, 400, ''])
  }
  const downgraded = await browser.press(html, '/oauth/authorize', {
    decision: 'approve',
    code_challenge: null,
  })
  expect(new URL(downgraded.location).searchParams.get('error')).toBe('invalid_request')
  expect(grants()).toBe(before)
})

test('cross-site forms and tokens cannot approve', async () => {
  const app = await client(forge)
  const browser = await forge.browser('ada')
  const { html } = await browser.open(app.query())
  const before = grants()
  expect(
    (await browser.press(html, '/oauth/authorize', { decision: 'approve', csrf: 'guess' })).status,
  ).toBe(403)
  expect(
    (await browser.press(html, '/oauth/authorize', { decision: 'approve', csrf: null })).status,
  ).toBe(403)
  // A consent page that was shown to another user.
  expect(
    (await (await forge.browser('bob')).press(html, '/oauth/authorize', { decision: 'approve' }))
      .status,
  ).toBe(403)
  const parameters = {
    client_id: app.client_id,
    redirect_uri: app.redirect_uri,
    response_type: 'code',
    code_challenge: app.challenge,
    code_challenge_method: 'S256',
  }
  const refused = await refusal(
    forge.call(decideAuthorization, withToken(ada, { scopes: ['user:write'] }), {
      ...parameters,
      decision: 'approve',
    }),
  )
  expect([refused.code, refused.reason]).toEqual(['forbidden', 'person_required'])
  expect(grants()).toBe(before)
})

test('an approval is in the audit log with who, what and from where, without the code', async () => {
  const app = await client(forge, { name: 'Audited' })
  const answer = await app.decide('ada', 'approve', { scope: 'code:read' })
  const rows = forge.hearth.db.all<{
    actor_id: string
    data: string
    ip: string
    target_name: string
  }>(`SELECT * FROM audit_log WHERE action = 'application.approved' ORDER BY id DESC`)
  expect(rows[0]).toMatchObject({ actor_id: ada.id, ip: '127.0.0.1', target_name: 'Audited' })
  expect(JSON.parse(rows[0]?.data ?? '')).toEqual({
    after: { scopes: ['code:read'], host: 'app.example', url: null },
  })
  await app.exchange(answer.get('code') ?? '')
  const everything =
    JSON.stringify(forge.hearth.db.all('SELECT * FROM audit_log')) +
    JSON.stringify(forge.hearth.db.all('SELECT * FROM oauth_grants'))
  expect(everything).not.toContain(answer.get('code') ?? 'none')
})
