/** The theme and the colours of changes, chosen without a script, with and without an account. */
import { expect, test } from 'bun:test'
import { whoami } from '#features/workspaces/index.ts'
import { PASSWORD, withPassword } from '../features/accounts/with-password.ts'
import { runForge } from '../features/oauth/running.ts'

const AT = '/settings/appearance'
const forge = await runForge()
const ada = await forge.user('ada')
const htmlTag = (html: string): string => /<html[^>]*>/.exec(html)?.[0] ?? ''

for (const name of ['ada', null]) {
  test(`${name ?? 'a visitor'} chooses a theme and colours, which last on every page`, async () => {
    const browser = await forge.browser(name)
    const first = await browser.open('/explore')
    expect(htmlTag(first.html)).toBe('<html lang="en">')
    expect(first.html).toContain(`href="${AT}"`)
    const page = await browser.open(AT)
    const sent = await browser.press(page.html, AT, { theme: 'dark', diff_colours: 'distinct' })
    expect([sent.status, sent.location]).toEqual([303, AT])
    const dark = await browser.open('/explore')
    expect(htmlTag(dark.html)).toBe('<html lang="en" data-theme="dark" data-diff="distinct">')
    expect(dark.html).toContain('<meta name="color-scheme" content="dark">')
    const again = await browser.open(AT)
    expect(again.html).toMatch(/value="dark"[^>]* checked/)
    await browser.press(again.html, AT, { theme: '<script>', diff_colours: 'rainbow' })
    expect(htmlTag((await browser.open('/explore')).html)).toBe('<html lang="en">')
  })
}

test('the form needs its token, and a forged cookie changes nothing', async () => {
  const browser = await forge.browser(null)
  const page = await browser.open(AT)
  const barred = await browser.press(page.html, AT, { theme: 'dark', csrf: 'x' })
  expect([barred.status, htmlTag((await browser.open('/explore')).html)]).toEqual([
    403,
    '<html lang="en">',
  ])
  const forged = await fetch(`${forge.url}/explore`, {
    headers: { cookie: 'hearth-appearance="><script>.x' },
  })
  expect(htmlTag(await forged.text())).toBe('<html lang="en">')
})

test('time zone and language are chosen from lists, and a stored value of neither stays', async () => {
  const browser = await forge.browser('ada')
  const page = await browser.open('/settings/profile')
  expect(page.html).toContain('<option value="Europe/Berlin">Europe/Berlin</option>')
  expect(page.html).toContain('<option value="de">Deutsch</option>')
  await browser.press(page.html, '/settings/profile', { time_zone: 'Asia/Tokyo', language: 'gsw' })
  const saved = await browser.open('/settings/profile')
  expect(saved.html).toContain('<option value="Asia/Tokyo" selected>')
  expect(saved.html).toContain('<option value="gsw" selected>gsw</option>')
  expect(await forge.call(whoami, ada, {})).toMatchObject({
    time_zone: 'Asia/Tokyo',
    language: 'gsw',
  })
})

test('a select is required only where it begins with an empty choice', async () => {
  const browser = await forge.browser('ada')
  for (const path of ['/new', '/settings/profile', '/settings/tokens']) {
    const { html } = await browser.open(path)
    for (const [select] of html.matchAll(/<select[^>]* required[\s\S]*?<\/option>/g))
      expect([path, select]).toEqual([path, expect.stringContaining('<option value=""')])
  }
})

test('theme and language of an account hold in the next browser that signs in', async () => {
  const eve = await withPassword(forge, 'eve')
  const browser = await forge.browser(null)
  const first = await browser.open('/login')
  await browser.press(first.html, '/login', { login: 'eve', password: PASSWORD })
  const page = await browser.open(AT)
  await browser.press(page.html, AT, { theme: 'dark', locale: 'de', diff_colours: 'usual' })
  expect(await forge.call(whoami, eve, {})).toMatchObject({ theme: 'dark', locale: 'de' })
  const other = await forge.browser(null)
  const login = await other.open('/login')
  expect(htmlTag(login.html)).toBe('<html lang="en">')
  await other.press(login.html, '/login', { login: 'eve', password: PASSWORD })
  expect(htmlTag((await other.open('/explore')).html)).toBe('<html lang="de" data-theme="dark">')
  // Nothing chosen follows the browser again.
  const again = await other.open(AT)
  await other.press(again.html, AT, { theme: 'system', locale: '', diff_colours: 'usual' })
  expect(htmlTag((await other.open('/explore')).html)).toBe('<html lang="en">')
  expect(await forge.call(whoami, eve, {})).toMatchObject({ theme: 'system', locale: null })
})
