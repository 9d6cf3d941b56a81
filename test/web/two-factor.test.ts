/** Two-factor sign-in as a browser without a script goes through it. */
import { expect, test } from 'bun:test'
import { Secret, TOTP } from 'otpauth'
import { MINUTE } from '#lib/time.ts'
import { PASSWORD, withPassword } from '../features/accounts/with-password.ts'
import { makeWorld } from '../world.ts'
import { browser, serveSite } from './visitor.ts'

const world = await makeWorld({ site_url: 'http://hearth.test' })
const site = serveSite(world)
await withPassword(world, 'ada')

test('a second factor is set up, required at the next sign-in, and turned off with the password', async () => {
  const visitor = browser(site)
  await visitor.submit('/login', '/login', { login: 'ada', password: PASSWORD })
  const started = await visitor.submit(
    '/settings/security',
    '/settings/security/two-factor/start',
    {},
  )
  expect(started.location).toBe('/settings/security/two-factor')
  const setup = await visitor.get('/settings/security/two-factor')
  const [, uri = ''] = /href="(otpauth:\/\/[^"]+)"/.exec(setup.text) ?? []
  const secret = new URL(uri.replaceAll('&amp;', '&')).searchParams.get('secret') ?? ''
  expect(setup.text).toContain(`value="${secret}"`)
  expect(setup.text).toMatch(/<svg class="qr"/)
  const code = () =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: world.clock.now() })
  const wrong = await visitor.submit(
    '/settings/security/two-factor',
    '/settings/security/two-factor',
    { code: '12' },
  )
  expect([wrong.status, wrong.text.includes('This code is wrong')]).toEqual([422, true])
  const codes = await visitor.submit(
    '/settings/security/two-factor',
    '/settings/security/two-factor',
    { code: code() },
  )
  const recovery =
    /id="recovery-codes"[^>]*>\s*([^<]+)</.exec(codes.text)?.[1]?.trim().split('\n') ?? []
  expect(recovery).toHaveLength(10)
  expect((await visitor.get('/settings/security')).text).not.toContain(recovery[0] ?? 'missing')
  expect((await visitor.get('/settings/security/two-factor')).location).toBe('/settings/security')

  world.clock.advance(MINUTE)
  const next = browser(site)
  const half = await next.submit('/login?next=/settings/emails', '/login', {
    login: 'ada',
    password: PASSWORD,
    next: '/settings/emails',
  })
  expect(half.location).toBe('/login?next=%2Fsettings%2Femails')
  expect(next.jar.has('hearth')).toBe(false)
  // Half way in is not in.
  expect((await next.get('/settings/emails')).status).toBe(302)
  const asked = await next.get('/login?next=%2Fsettings%2Femails')
  expect([/name="code"/.test(asked.text), /name="password"/.test(asked.text)]).toEqual([
    true,
    false,
  ])
  const bad = await next.submit('/login', '/login', { code: '000000', next: '/settings/emails' })
  expect([bad.status, /name="code"/.test(bad.text)]).toEqual([422, true])
  const done = await next.submit('/login', '/login', { code: code(), next: '/settings/emails' })
  expect([done.status, done.location]).toEqual([303, '/settings/emails'])
  expect([next.jar.has('hearth'), next.jar.has('hearth-pending')]).toEqual([true, false])

  // All three fields at once do as well.
  world.clock.advance(MINUTE)
  const script = browser(site)
  expect(
    (await script.submit('/login', '/login', { login: 'ada', password: PASSWORD, code: code() }))
      .location,
  ).toBe('/')
  expect(script.jar.has('hearth')).toBe(true)

  expect(
    (
      await script.submit('/settings/security', '/settings/security/two-factor/remove', {
        password: 'wrong',
      })
    ).status,
  ).toBe(422)
  expect(
    (
      await script.submit('/settings/security', '/settings/security/two-factor/remove', {
        password: PASSWORD,
      })
    ).status,
  ).toBe(303)
  const plain = browser(site)
  expect(
    (await plain.submit('/login', '/login', { login: 'ada', password: PASSWORD })).location,
  ).toBe('/')
}, 120_000)
