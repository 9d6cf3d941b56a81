/** Passkeys in a real browser, whose authenticator is Chromium's own virtual one. */
import { expect, test } from 'bun:test'
import { openContext } from '../journeys/browser.ts'
import { PASSWORD, withPassword } from '../features/accounts/with-password.ts'
import { makeWorld } from '../world.ts'
import { listen, serveSite } from './visitor.ts'

// Browsers make no passkeys for an address in digits.
const listening = listen()
const url = `http://localhost:${listening.server.port}`
const world = await makeWorld({ site_url: url })
serveSite(world, listening)
await withPassword(world, 'ada')

test('a passkey from the settings signs in alone and as the second factor', async () => {
  const context = await openContext()
  const page = await context.newPage()
  const broken: string[] = []
  page.on('pageerror', (error) => broken.push(String(error)))
  const devices = await context.newCDPSession(page)
  await devices.send('WebAuthn.enable')
  const { authenticatorId } = await devices.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  const signIn = async () => {
    await page.goto(`${url}/login?next=/settings/security`)
    await page.fill('[name=login]', 'ada')
    await page.fill('[name=password]', PASSWORD)
    await page.click('form:has([name=login]) button')
  }
  await signIn()
  await page.fill('#passkey-name', 'This laptop')
  await page.click('form[data-passkey=create] button')
  await page.waitForSelector('#recovery-codes')
  expect((await page.textContent('#recovery-codes'))?.trim().split('\n')).toHaveLength(10)
  await page.goto(`${url}/settings/security`)
  expect(await page.textContent('ul[aria-label="Your passkeys"]')).toContain('This laptop')

  // A second passkey on the same device is not made, and the page says why.
  await page.click('form[data-passkey=create] button')
  await page.getByText('This device has a passkey for your account already.').waitFor()
  expect(await page.locator('ul[aria-label="Your passkeys"] > *').count()).toBe(1)
  expect(await page.isVisible('.no-passkeys')).toBe(false)

  await context.clearCookies()
  await page.goto(`${url}/login?next=/settings/sessions`)
  await page.click('form[action="/login/passkey"] button')
  await page.waitForURL(`${url}/settings/sessions`)
  expect(await page.textContent('main')).toContain('with a passkey')

  await context.clearCookies()
  await signIn()
  expect(await page.textContent('h1')).toBe('Second factor')
  await page.click('form[data-passkey=get] button')
  await page.waitForURL(`${url}/settings/security`)

  // A device that does not know its person: the page says so and stays as it was.
  await context.clearCookies()
  await devices.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
  await page.goto(`${url}/login`)
  await page.click('form[action="/login/passkey"] button')
  await page.waitForSelector('[data-passkey-error]:visible')
  expect(page.url()).toBe(`${url}/login`)
  expect(broken).toEqual([])
  await context.close()
}, 120_000)

test('without a script the forms for passkeys are hidden, and the rest works', async () => {
  const context = await openContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(`${url}/login`)
  expect(await page.isVisible('form[action="/login/passkey"]')).toBe(false)
  await page.fill('[name=login]', 'ada')
  await page.fill('[name=password]', PASSWORD)
  await page.click('form:has([name=login]) button')
  expect(await page.textContent('h1')).toBe('Second factor')
  expect(await page.isVisible('[name=code]')).toBe(true)
  expect(await page.isVisible('.no-passkeys')).toBe(true)
  await context.close()
}, 120_000)
