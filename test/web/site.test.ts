import { expect, test } from 'bun:test'
import { csrfToken, isCsrfToken, readCookie, setCookie } from '#web/cookies.ts'
import { findFlash } from '#web/flashes.ts'
import { Fields, safeRedirectPath } from '#web/site.ts'

test('signing in redirects only to addresses of this site', () => {
  for (const next of ['/acme/site', '/acme/site?state=closed#x', '/'])
    expect(safeRedirectPath(next)).toBe(next)
  for (const next of [
    '//evil.test',
    '/\\evil.test',
    'https://evil.test',
    'javascript:alert(1)',
    '/\tevil',
    '/ a',
    '',
    null,
    undefined,
    '/a\\b',
    `/${'a'.repeat(13_000)}`,
    '/\u0000/evil.test',
    '/\u00e4',
  ])
    expect(safeRedirectPath(next)).toBeNull()
})

test('a CSRF token is valid with one cookie only', () => {
  const token = csrfToken('secret')
  expect(isCsrfToken('secret', token)).toBe(true)
  for (const [secret, wrong] of [
    ['other', token],
    ['secret', ''],
    ['secret', token.slice(1)],
    ['secret', `${token}x`],
  ] as const)
    expect(isCsrfToken(secret, wrong)).toBe(false)
})

test('cookies are HttpOnly, SameSite and, over https, Secure', () => {
  expect(setCookie(true, 'hearth', 's', 60)).toBe(
    '__Host-hearth=s; Path=/; Max-Age=60; HttpOnly; SameSite=Lax; Secure',
  )
  expect(setCookie(false, 'hearth', 's', 60)).toBe(
    'hearth=s; Path=/; Max-Age=60; HttpOnly; SameSite=Lax',
  )
  const request = new Request('http://x/', {
    headers: { cookie: 'a=1; hearth=plain; __Host-hearth=safe' },
  })
  expect(readCookie(request, true, 'hearth')).toBe('safe')
  expect(readCookie(request, false, 'hearth')).toBe('plain')
})

test('a flash cookie can only choose a text of the site', () => {
  expect(findFlash('merged')?.text).toBe('Merged.')
  for (const word of ['<b>', 'toString', '__proto__', '', null]) expect(findFlash(word)).toBeNull()
})

test('fields have several values and lines, without empty ones', () => {
  const fields = new Fields(
    new Map([
      ['a', ['1', '2']],
      ['lines', [' x \n\n y']],
      ['empty', ['  ']],
      ['tick', ['on']],
    ]),
  )
  expect([
    fields.text('a'),
    fields.all('a'),
    fields.list('lines'),
    fields.optional('empty'),
    fields.ticked('tick'),
    fields.ticked('none'),
  ]).toEqual(['2', ['1', '2'], ['x', 'y'], undefined, true, false])
})
