import { expect, test } from 'bun:test'
import { DAY, MINUTE } from '#lib/time.ts'
import { sweepDevices } from '#features/devices/sweep.ts'
import { runForge } from '../oauth/running.ts'

const forge = await runForge()
await forge.user('ada')
await forge.user('fresh', { verified: false })

type Code = { device_code: string; user_code: string; verification_uri_complete: string }
type Answer = { status: string; token?: string; username?: string; verified?: boolean }
const begin = async (body: Record<string, unknown> = {}) =>
  (await (
    await forge.post(
      '/api/v1/device/code',
      { client_name: 'Laptop', ...body },
      { 'user-agent': 'hearth-test/1' },
    )
  ).json()) as Code
const poll = async (device_code: string) =>
  (await (await forge.post('/api/v1/device/token', { device_code })).json()) as Answer
const decide = async (
  username: string,
  code: Code,
  decision: 'approve' | 'deny',
  fields: Record<string, string | string[] | null> = {},
) => {
  const browser = await forge.browser(username)
  const { html } = await browser.open(code.verification_uri_complete)
  return browser.press(html, '/device', { decision, ...fields })
}
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

test('after approval in the browser the next poll returns the token, once', async () => {
  const code = await begin()
  expect(await poll(code.device_code)).toEqual({ status: 'pending' })
  // Polling faster than the interval is allowed.
  expect(await poll(code.device_code)).toEqual({ status: 'pending' })
  const browser = await forge.browser('ada')
  const page = await browser.open(code.verification_uri_complete)
  expect(page.html).toContain('Laptop')
  expect(page.html).toContain(code.user_code)
  expect(page.html).toContain('127.0.0.1')
  expect(page.html).toContain('hearth-test/1')
  const done = await browser.press(page.html, '/device', { decision: 'approve' })
  expect([done.status, done.html.includes('Device authorized')]).toEqual([200, true])
  const answer = await poll(code.device_code)
  expect(answer).toEqual({
    status: 'approved',
    token: expect.stringMatching(/^hthu_\w{46}$/),
    username: 'ada',
    verified: true,
  })
  expect(await poll(code.device_code)).toEqual({ status: 'expired' })
  const tokens = (await (
    await forge.get('/api/user/tokens', bearer(answer.token ?? ''))
  ).json()) as { name: string; source: string; scopes: unknown }[]
  expect(tokens[0]).toMatchObject({ name: 'Laptop', source: 'device', scopes: null })
  expect((await browser.open('/settings/tokens')).html).toContain('Laptop')
  const [approved] = forge.hearth.db.all<{ data: string; target_name: string }>(
    `SELECT * FROM audit_log WHERE action = 'device.approved'`,
  )
  expect(approved?.target_name).toBe('Laptop')
})

test('one of several concurrent polls gets the token', async () => {
  const code = await begin()
  await decide('ada', code, 'approve')
  const answers = await Promise.all(Array.from({ length: 4 }, () => poll(code.device_code)))
  expect(answers.filter(({ token }) => token !== undefined).length).toBe(1)
})

test('a denied request returns no token and cannot be approved later', async () => {
  const code = await begin()
  const browser = await forge.browser('ada')
  const { html } = await browser.open(code.verification_uri_complete)
  expect((await browser.press(html, '/device', { decision: 'deny' })).html).toContain(
    'Access denied',
  )
  expect(await poll(code.device_code)).toEqual({ status: 'denied' })
  expect((await browser.press(html, '/device', { decision: 'approve' })).status).toBe(422)
  expect(await poll(code.device_code)).toEqual({ status: 'denied' })
})

test('a code expires after 15 minutes and is deleted a day later', async () => {
  const [waiting, approved] = [await begin(), await begin()]
  await decide('ada', approved, 'approve')
  forge.clock.advance(15 * MINUTE)
  expect(await poll(waiting.device_code)).toEqual({ status: 'expired' })
  expect(await poll(approved.device_code)).toEqual({ status: 'expired' })
  expect(
    (await (await forge.browser('ada')).open(waiting.verification_uri_complete)).html,
  ).not.toContain('name="decision"')
  forge.clock.advance(DAY)
  await sweepDevices.run(
    { hearth: forge.hearth, signal: new AbortController().signal, attempt: 1, id: 'bgj_test' },
    undefined,
  )
  expect(
    (await forge.post('/api/v1/device/token', { device_code: waiting.device_code })).status,
  ).toBe(404)
})

test('an unknown code is 404, none is 422', async () => {
  expect((await forge.post('/api/v1/device/token', { device_code: 'unknown' })).status).toBe(404)
  expect((await forge.post('/api/v1/device/token', {})).status).toBe(422)
})

test('the scope that was asked narrows, the person may reduce it further and cannot be made to add', async () => {
  const code = await begin({ scope: 'repo:read code:write' })
  expect(
    (await decide('ada', code, 'approve', { scopes: ['repo:read', 'user:write'] })).status,
  ).toBe(422)
  expect((await decide('ada', code, 'approve', { scopes: null })).status).toBe(422)
  expect(await poll(code.device_code)).toEqual({ status: 'pending' })
  expect((await decide('ada', code, 'approve', { scopes: ['code:read'] })).status).toBe(200)
  const { token = '' } = await poll(code.device_code)
  expect((await forge.get('/api/v1/user', bearer(token))).status).toBe(200)
  const row = forge.hearth.db.one<{ scopes: string }>(
    'SELECT scopes FROM tokens WHERE last_four = ?',
    token.slice(-4),
  )
  expect(row?.scopes).toBe('["code:read"]')
  const full = await begin()
  await decide('ada', full, 'approve', { scopes: ['issues:write'] })
  const narrowed = (await poll(full.device_code)).token ?? ''
  expect((await forge.get('/api/user/tokens', bearer(narrowed))).status).toBe(403)
})

test('an account without a confirmed address may approve, and the tool is told', async () => {
  const code = await begin()
  await decide('fresh', code, 'approve')
  expect(await poll(code.device_code)).toMatchObject({
    status: 'approved',
    username: 'fresh',
    verified: false,
  })
})

test('a device token expires a year after its last use', async () => {
  const code = await begin()
  await decide('ada', code, 'approve')
  const { token = '' } = await poll(code.device_code)
  const end = () =>
    forge.hearth.db.one<{ expires_at: string }>(
      'SELECT expires_at FROM tokens WHERE last_four = ?',
      token.slice(-4),
    )?.expires_at ?? ''
  const first = end()
  forge.clock.advance(300 * DAY)
  expect((await forge.get('/api/v1/user', bearer(token))).status).toBe(200)
  await forge.write(() => {})
  expect(Date.parse(end()) - Date.parse(first)).toBe(300 * DAY)
  forge.clock.advance(366 * DAY)
  expect((await forge.get('/api/v1/user', bearer(token))).status).toBe(401)
})

test('an account that is suspended after it approved gets no token', async () => {
  const code = await begin()
  await decide('ada', code, 'approve')
  forge.hearth.database.run(
    'UPDATE users SET suspended_at = ? WHERE id = ?',
    '2026-01-01T00:00:00.000Z',
    (await forge.user('ada')).id,
  )
  expect(await poll(code.device_code)).toEqual({ status: 'denied' })
})
