/** What strangers try at the sign-in and at those who are signed in. */
import { describe, expect, test } from 'bun:test'
import { Secret, TOTP } from 'otpauth'
import { enableTwoFactor } from '#features/accounts/two-factor/enable-two-factor.ts'
import { getTwoFactorSetup } from '#features/accounts/two-factor/get-two-factor-setup.ts'
import { startTwoFactor } from '#features/accounts/two-factor/start-two-factor.ts'
import { MINUTE } from '#lib/time.ts'
import { mailedToken } from '../features/accounts/mailbox.ts'
import { PASSWORD, withPassword } from '../features/accounts/with-password.ts'
import { makeWorld } from '../world.ts'
import { browser, serveSite } from './visitor.ts'

const world = await makeWorld({ site_url: 'http://hearth.test', sign_up: 'open' })
const site = serveSite(world)
const ada = await withPassword(world, 'ada')

const signedIn = async (login = 'ada') => {
  const visitor = browser(site)
  const { status, location } = await visitor.submit('/login', '/login', {
    login,
    password: PASSWORD,
  })
  expect([status, location]).toEqual([303, '/'])
  return visitor
}
const count = (table: string): number =>
  world.hearth.db.one<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)?.n ?? 0
/** A page without what differs between two visits in any case. */
const plain = (text: string): string =>
  text.replace(/value="[^"]*"/g, '').replace(/data-options="[^"]*"/g, '')

describe('the existence of accounts', () => {
  test('is not visible in any text', async () => {
    const ask = async (page: string, fields: Record<string, string>) => {
      const { status, location, text, headers } = await browser(site).submit(page, page, fields)
      return JSON.stringify([
        status,
        location,
        plain(text),
        headers.getSetCookie().map((cookie) => cookie.replace(/=[^;]*/, '')),
      ])
    }
    const wrong = await Promise.all(
      [
        ['ada', 'wrong'],
        ['nobody', 'wrong'],
        ['ada@example.com', 'wrong'],
        ['nobody@example.com', 'wrong'],
      ].map(([login = '', password = '']) => ask('/login', { login, password })),
    )
    expect(new Set(wrong).size).toBe(1)
    expect(wrong[0]).toContain('The name or the password is wrong')
    const forgot = await Promise.all(
      ['ada@example.com', 'nobody@example.com'].map((email) => ask('/forgot', { email })),
    )
    expect(new Set(forgot).size).toBe(1)
    const register = await Promise.all(
      [
        ['one', 'ada@example.com'],
        ['two', 'new@example.com'],
      ].map(([username = '', email = '']) =>
        ask('/register', { username, email, password: 'a long password' }),
      ),
    )
    expect(new Set(register).size).toBe(1)
  }, 120_000)

  test('is not visible in the time of a response', async () => {
    // Each name is tried once, so that no try waits for one before it. Processor time of all threads
    // is measured, because other programs change how long a response takes.
    const times: Record<string, number[]> = { known: [], unknown: [] }
    const names = Array.from({ length: 9 }, (_, index) => index)
    for (const index of names) await withPassword(world, `known-${index}`)
    for (const index of names) {
      for (const kind of index % 2 === 0 ? ['known', 'unknown'] : ['unknown', 'known']) {
        const visitor = browser(site)
        const csrf = await visitor.token('/login')
        const before = process.cpuUsage()
        await visitor.post('/login', { csrf, login: `${kind}-${index}`, password: 'wrong' })
        const { user, system } = process.cpuUsage(before)
        times[kind]?.push(user + system)
      }
    }
    const median = (values: number[] = []): number =>
      values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
    const ratio = median(times.known) / median(times.unknown)
    // Without the work for unknown names it is about thirty.
    expect(ratio).toBeGreaterThan(1 / 3)
    expect(ratio).toBeLessThan(3)
  }, 120_000)
})

test('session fixation: cookies from before the sign-in are not valid after it', async () => {
  const planted = 'x'.repeat(43)
  const visitor = browser(
    site,
    new Map([
      ['hearth', planted],
      ['hearth-visitor', 'planted-visitor'],
      ['hearth-pending', planted],
    ]),
  )
  const before = await visitor.token('/login')
  const { status } = await visitor.submit('/login', '/login', { login: 'ada', password: PASSWORD })
  expect(status).toBe(303)
  const secret = visitor.jar.get('hearth') ?? ''
  expect(secret).not.toBe(planted)
  expect(secret).toHaveLength(43)
  expect(world.hearth.callers.bySignIn(planted)).toBeNull()
  expect(world.hearth.callers.bySignIn('planted-visitor')).toBeNull()
  // The token of forms is another too: one that was learnt before is of no use.
  expect((await visitor.post('/settings/sessions/others', { csrf: before })).status).toBe(403)
  // Signing in again in the same browser gives another secret, and signing out ends it here, not
  // only in the browser.
  expect((await visitor.submit('/settings/profile', '/logout', {})).status).toBe(303)
  expect(world.hearth.callers.bySignIn(secret)).toBeNull()
})

test('cross-site request forgery: no form of the site takes a missing token, a foreign one, or one from another site', async () => {
  const [victim, attacker] = [
    await signedIn(),
    await signedIn((await withPassword(world, 'mallory')).username),
  ]
  const foreign = await attacker.token('/settings/profile')
  const own = await victim.token('/settings/profile')
  const before = [count('tokens'), count('emails'), count('events'), count('sign_ins')]
  // Those whose address is a secret itself take posts of mail programs.
  const forms = site.map.forms
    .filter(({ isAuthorizedByAddress: proven }) => !proven)
    .map(({ path, sendsFile, maxUploadBytes: mostBytes = 0 }) => ({
      path: path.replace(/:\w+|\*\w+/g, 'x'),
      sendsFile: sendsFile || mostBytes > 0,
    }))
  expect(forms.length).toBeGreaterThan(40)
  expect(forms.some(({ sendsFile }) => sendsFile)).toBe(true)
  for (const { path, sendsFile } of forms) {
    const post = sendsFile ? victim.postWithFile : victim.post
    const answers = [
      await post(path, { name: 'evil', email: 'evil@example.com' }),
      await post(path, { csrf: foreign, name: 'evil', email: 'evil@example.com' }),
      await post(
        path,
        { csrf: own, name: 'evil', email: 'evil@example.com' },
        { headers: { 'sec-fetch-site': 'cross-site' } },
      ),
      await post(
        path,
        { csrf: own, name: 'evil', email: 'evil@example.com' },
        { headers: { 'sec-fetch-site': 'same-site' } },
      ),
    ]
    expect([path, ...answers.map(({ status }) => status)]).toEqual([path, 403, 403, 403, 403])
  }
  expect([count('tokens'), count('emails'), count('events'), count('sign_ins')]).toEqual(before)
  // A visitor without any cookie cannot send a form either, so that nobody is signed in to
  // another's account unawares.
  expect(
    (await browser(site).post('/login', { csrf: own, login: 'mallory', password: PASSWORD }))
      .status,
  ).toBe(403)
}, 120_000)

test('open redirect: signing in leads to this site only', async () => {
  const evil = [
    'https://evil.test',
    '//evil.test',
    '/\\evil.test',
    '\\\\evil.test',
    '/\t/evil.test',
    '/%0d%0aLocation:https://evil.test',
    'javascript:alert(1)',
    'http:evil.test',
    '///evil.test',
    ' https://evil.test',
    '/..//evil.test',
    'https:\\\\evil.test',
    '/\u0000/evil.test',
    '@evil.test',
    'evil.test',
  ]
  const visitor = await signedIn()
  const host = new URL(site.url).host
  const leadsTo = (location: string | null): string =>
    new URL(location ?? '', `${site.url}/login`).host
  for (const next of evil) {
    const anonymous = browser(site)
    const csrf = await anonymous.token(`/login?next=${encodeURIComponent(next)}`)
    const { status, location } = await anonymous.post('/login', {
      csrf,
      login: 'ada',
      password: PASSWORD,
      next,
    })
    expect([next, status, leadsTo(location)]).toEqual([next, 303, host])
    const there = await visitor.get(`/login?next=${encodeURIComponent(next)}`)
    expect([next, there.status, leadsTo(there.location)]).toEqual([next, 302, host])
  }
  expect((await visitor.get('/login?next=/settings/emails')).location).toBe('/settings/emails')
}, 120_000)

test('clickjacking: no page can be framed, whoever asks and whatever the answer is', async () => {
  const visitor = await signedIn()
  for (const who of [browser(site), visitor]) {
    for (const path of site.map.pages.map((page) => page.path.replace(/:\w+|\*\w+/g, 'x'))) {
      const { status, headers } = await who.get(path)
      if (status >= 300 && status < 400) continue
      expect([
        path,
        headers.get('content-security-policy')?.includes("frame-ancestors 'none'"),
        headers.get('x-content-type-options'),
      ]).toEqual([path, true, 'nosniff'])
    }
  }
}, 120_000)

test('no secret reaches a log', async () => {
  const bea = await withPassword(world, 'bea')
  await world.call(startTwoFactor, bea, {})
  const setup = await world.call(getTwoFactorSetup, bea, {})
  const code = () =>
    new TOTP({ secret: Secret.fromBase32(setup?.secret ?? '') }).generate({
      timestamp: world.clock.now(),
    })
  const { recovery_codes } = await world.call(enableTwoFactor, bea, { code: code() })
  world.clock.advance(MINUTE)

  const secrets: string[] = [
    PASSWORD,
    'a wrong password',
    ...(recovery_codes ?? []),
    setup?.secret ?? '',
  ]
  const visitor = browser(site)
  await visitor.submit('/login', '/login', { login: 'bea', password: 'a wrong password' })
  await visitor.submit('/login', '/login', { login: 'bea', password: PASSWORD })
  const pending = visitor.jar.get('hearth-pending') ?? ''
  expect(world.hearth.callers.bySignIn(pending)).toBeNull()
  const right = code()
  expect((await visitor.submit('/login', '/login', { code: '000000' })).status).toBe(422)
  expect((await visitor.submit('/login', '/login', { code: right })).status).toBe(303)
  secrets.push(pending, visitor.jar.get('hearth') ?? '', right)

  const made = await visitor.submit('/settings/tokens', '/settings/tokens', {
    name: 'ci',
    expires: '30',
  })
  const token = /id="token-secret"[^>]*>\s*(hthu_\w{46})/.exec(made.text)?.[1] ?? ''
  expect(token).toStartWith('hthu_')
  secrets.push(token)
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(site.url + path, { headers, redirect: 'manual' }).then(({ status }) => status)
  expect(await get('/api/v1/user', { authorization: `Bearer ${token}` })).toBe(200)
  expect(await get(`/api/v1/user?access_token=${token}`)).toBe(401)
  expect(await get(`/api/v1/user?x=${token}`)).toBe(401)
  await get(`/api/v1/repos/${token}/x`)
  await get('/acme/site.git/info/refs?service=git-upload-pack', {
    authorization: `Basic ${btoa(`x:${token}`)}`,
  })
  await visitor.submit('/forgot', '/forgot', { email: 'bea@example.com' })
  const link = await mailedToken(world, 'bea@example.com')
  secrets.push(link)
  expect(await get(`/reset?token=${link}`)).toBe(200)
  await get(`/confirm?token=${link}`)
  await get(`/setup?code=${link}`)
  await get(`/login/sso/corp/callback?code=${link}&state=${link}`)
  await visitor.submit(`/reset?token=${link}`, '/reset', {
    token: link,
    password: 'the next password',
  })
  secrets.push('the next password')

  const logged = site.lines.join('')
  expect(logged).toContain('"path":"/login"')
  const found = secrets.filter(
    (secret) =>
      secret === '' || logged.includes(secret) || logged.includes(encodeURIComponent(secret)),
  )
  expect(found).toEqual([])
}, 120_000)

test('sign-in cookies are HttpOnly and SameSite', async () => {
  const visitor = browser(site)
  const { headers } = await visitor.submit('/login', '/login', { login: 'ada', password: PASSWORD })
  const cookie = headers.getSetCookie().find((one) => one.startsWith('hearth=')) ?? ''
  expect(cookie).toContain('; HttpOnly')
  expect(cookie).toContain('; SameSite=Lax')
  expect(cookie).not.toContain('Domain=')
  expect(ada.username).toBe('ada')
})
