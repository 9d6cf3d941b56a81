/** A site that sends no mail: nobody is told to wait for one, and administrators hand links on. */
import { expect, test } from 'bun:test'
import { createAccountLink } from '#features/accounts/index.ts'
import { runForge } from '../../features/oauth/running.ts'

const register = async (forge: Awaited<ReturnType<typeof runForge>>) => {
  const browser = await forge.browser(null)
  const page = await browser.open('/register')
  const sent = await browser.press(page.html, '/register', {
    username: 'newcomer',
    email: 'newcomer@example.com',
    password: 'a long enough password',
  })
  return { browser, sent }
}

test('who registers is signed in, asks an administrator, and is signed in when confirmed', async () => {
  const forge = await runForge({ sign_up: 'open' })
  await forge.user('root', { site_admin: true })
  const { browser, sent } = await register(forge)
  expect([sent.status, sent.location]).toEqual([303, '/registered'])
  const registered = await browser.open('/registered')
  expect(registered.html).toContain('Ask an administrator for your confirmation link')
  expect(registered.html).not.toMatch(/check your mail|we sent a link/i)
  const home = await browser.open('/')
  expect(home.html).toContain('ask an administrator for the link that confirms')
  expect(home.html).not.toMatch(/we sent a link|send it again/i)

  const admin = await forge.browser('root')
  const users = await admin.open('/admin/users?state=unconfirmed')
  expect(users.html).toContain('Create confirmation link')
  const made = await admin.press(users.html, '/admin/users/link', { kind: 'confirm' })
  const link = /id="token-secret"[^>]*>\s*([^<\s]+)/.exec(made.html)?.[1] ?? ''
  expect([made.status, new URL(link).pathname]).toEqual([200, '/confirm'])
  expect((await admin.open('/admin/users')).html).not.toContain(link)

  const { pathname, search } = new URL(link)
  const confirm = await browser.open(pathname + search)
  const confirmed = await browser.press(confirm.html, '/confirm', {})
  expect([confirmed.status, confirmed.location]).toEqual([303, '/'])
  expect((await browser.open('/settings/emails')).status).toBe(200)
})

test('a confirmation link that is opened in another browser confirms, and leads to the sign-in', async () => {
  const forge = await runForge({ sign_up: 'open' })
  const root = await forge.user('root', { site_admin: true })
  await register(forge)
  const { url } = await forge.call(createAccountLink, root, {
    username: 'newcomer',
    kind: 'confirm',
  })
  const { pathname, search } = new URL(url)
  const other = await forge.browser(null)
  const page = await other.open(pathname + search)
  const sent = await other.press(page.html, '/confirm', {})
  expect([sent.status, sent.location]).toEqual([303, '/login'])
  const again = await other.press(page.html, '/confirm', {})
  expect(again.status).toBe(422)
  expect(again.html).toContain('This link was used already or is too old')
  expect(again.html).toMatch(/href="\/settings\/emails".*Get a new link.*href="\/login"/s)
  expect(again.html).not.toContain('action="/confirm"')
  const signIn = await other.open('/login')
  expect(signIn.html).toContain('Your address is confirmed. Sign in to continue.')
  const done = await other.press(signIn.html, '/login', {
    login: 'newcomer',
    password: 'a long enough password',
  })
  expect([done.status, done.location]).toEqual([303, '/'])
  expect((await other.open('/settings/emails')).html).not.toContain('not confirmed')
})

test('forgotten passwords lead to an administrator, too', async () => {
  const forge = await runForge()
  const page = await (await forge.browser(null)).open('/forgot')
  expect(page.html).toContain('Ask an administrator')
  expect(page.html).not.toContain('action="/forgot"')
})

test('a site that sends mail says so, and offers administrators no links', async () => {
  const forge = await runForge({
    sign_up: 'open',
    mail: { url: 'smtp://127.0.0.1:1', from: 'a@example.com' },
  })
  await forge.user('root', { site_admin: true })
  const { browser } = await register(forge)
  expect((await browser.open('/registered')).html).toContain('We sent a link to your address')
  expect((await browser.open('/')).html).toContain('We sent a link to')
  expect((await browser.open('/forgot')).html).toContain('action="/forgot"')
  const users = await (await forge.browser('root')).open('/admin/users?state=unconfirmed')
  expect([users.html.includes('newcomer'), users.html.includes('Create confirmation')]).toEqual([
    true,
    false,
  ])
})
