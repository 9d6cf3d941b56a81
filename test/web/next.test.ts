import { expect, test } from 'bun:test'
import { safeRedirectPath } from '#web/site.ts'
import { client, runForge } from '../features/oauth/running.ts'

test('the next page is an address of this site', () => {
  for (const next of [
    '/',
    '/device?code=BCDF-GHJK',
    `/oauth/authorize?client_id=${'x'.repeat(4000)}`,
  ])
    expect(safeRedirectPath(next)).toBe(next)
  for (const next of [
    '',
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\tevil',
    '/x y',
    'javascript:alert(1)',
    `/${'x'.repeat(20_000)}`,
  ])
    expect(safeRedirectPath(next)).toBeNull()
})

test('registration continues to the device or application that it came from', async () => {
  const forge = await runForge({ sign_up: 'open' })
  await forge.user('ada')
  const app = await client(forge)
  for (const wanted of ['/device?code=BCDF-GHJK', app.query()]) {
    const browser = await forge.browser(null)
    const { location } = await browser.open(wanted)
    const linkTo = (html: string, path: string) =>
      new RegExp(`href="(${path}\\?next=[^"]*)"`).exec(html)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const register = linkTo((await browser.open(location)).html, '/register')
    const { html } = await browser.open(register)
    const username = `new-${wanted.length}`
    const done = await browser.press(html, '/register', {
      username,
      email: `${username}@example.com`,
      password: 'correct horse battery',
    })
    expect(done.status).toBe(303)
    // Who registers is signed in, and goes on to what was wanted.
    const { html: registered } = await browser.open(done.location)
    const link = registered.split('<a ').find((part) => part.split('</a>')[0]?.includes('Continue'))
    const back = /href="([^"]*)"/.exec(link ?? '')?.[1]?.replaceAll('&amp;', '&')
    expect(back).toBe(wanted)
  }
})
