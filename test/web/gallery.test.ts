// The parts in a real browser: nothing blocked by the policy, nothing wider than a phone, and what
// the script adds.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { assets, contentSecurityPolicy } from '#web/assets.ts'
import { Gallery } from '#web/gallery.tsx'
import { renderPage } from '#web/jsx/html.ts'
import { jsx } from '#web/jsx/jsx-runtime.ts'
import { openContext } from '../journeys/browser.ts'

let server: ReturnType<typeof Bun.serve>

beforeAll(async () => {
  const body = renderPage(jsx(Gallery, {}))
  server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      const { pathname } = new URL(request.url)
      const asset = assets.get(pathname)
      if (asset)
        return new Response(asset.body, {
          headers: { 'content-type': asset.type, etag: asset.etag },
        })
      return new Response(body, {
        headers: {
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': contentSecurityPolicy,
        },
      })
    },
  })
}, 120_000)
afterAll(async () => {
  await server.stop(true)
})

const open = async (
  options: BrowserContextOptions = {},
): Promise<{ page: Page; complaints: string[]; close: () => Promise<void> }> => {
  const context = await openContext(options)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  await page.goto(server.url.href)
  return { page, complaints, close: () => context.close() }
}

describe('assets', () => {
  test('the script is one file under 20 KB compressed', () => {
    const script = [...assets.values()].find((asset) => asset.path.endsWith('.js'))
    expect(gzipSync(script?.body ?? '').length).toBeLessThan(20 * 1024)
  })
  test('the style sheet is one file under 20 KB compressed, with both schemes', () => {
    const style = [...assets.values()].find((asset) => asset.path.endsWith('.css'))
    expect(gzipSync(style?.body ?? '').length).toBeLessThan(20 * 1024)
    expect(style?.body).toContain('light-dark(')
    expect(style?.body).not.toContain('/*')
  })
  test('addresses contain a digest of the content', () => {
    for (const [path, asset] of assets) expect(path).toContain(asset.etag.replaceAll('"', ''))
  })
})

for (const width of [1280, 390, 320]) {
  for (const colorScheme of ['light', 'dark'] as const) {
    test(`${width} wide, ${colorScheme}: nothing sticks out, nothing is refused`, async () => {
      const { page, complaints, close } = await open({
        viewport: { width, height: 800 },
        colorScheme,
      })
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
      const dark = await page.evaluate(
        () => getComputedStyle(document.documentElement).backgroundColor,
      )
      expect(dark).toBe(colorScheme === 'dark' ? 'rgb(22, 20, 18)' : 'rgb(250, 248, 245)')
      // Menus stay inside the window when they are open.
      for (const menu of await page.locator('details[data-menu]:visible').all()) {
        await menu.locator('summary').click()
        await page.waitForFunction(() => {
          const panels = [
            ...document.querySelectorAll('details[data-menu][open] > .menu-panel'),
          ].map((panel) => panel.getBoundingClientRect())
          return (
            panels.length === 1 &&
            panels.every((panel) => panel.left >= 0 && panel.right <= innerWidth)
          )
        })
      }
      expect(complaints).toEqual([])
      await close()
    }, 120_000)
  }
}

describe('with the script', () => {
  let page: Page
  let close: () => Promise<void>
  beforeAll(async () => {
    ;({ page, close } = await open({
      viewport: { width: 1280, height: 800 },
      permissions: ['clipboard-read', 'clipboard-write'],
    }))
  })
  afterAll(() => close())

  test('the key / moves to the search field, but not while typing', async () => {
    await page.keyboard.press('/')
    expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('q')
    await page.keyboard.type('a/b')
    expect(await page.locator('input[name=q]').inputValue()).toBe('a/b')
    await page.locator('.page-head h1').click()
  })
  test('two keys in a row open a tab', async () => {
    await page.keyboard.press('g')
    await page.keyboard.press('i')
    await page.waitForURL('**/#issues')
  })
  test('the key ? lists the shortcuts, and Escape closes the list', async () => {
    await page.keyboard.press('?')
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    expect(await dialog.textContent()).toContain('Issues')
    await page.keyboard.press('Escape')
    expect(await dialog.count()).toBe(0)
  })
  test('the copy button copies the value', async () => {
    await page.getByRole('button', { name: 'Copy the secret' }).click()
    await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toStartWith('hrt_')
  })
  test('a menu closes on a click outside or on Escape, and returns the focus', async () => {
    const menu = page.locator('details.viewer-menu')
    await menu.locator('summary').click()
    expect(await menu.getAttribute('open')).toBe('')
    await page.keyboard.press('Escape')
    expect(await menu.getAttribute('open')).toBeNull()
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe(
      'Menu of ada',
    )
    await menu.locator('summary').click()
    await page.locator('.page-head h1').click()
    expect(await menu.getAttribute('open')).toBeNull()
  })
  test('a click selects a line, and shift a range', async () => {
    const number = { position: { x: 20, y: 8 } }
    await page.locator('#L4').first().click(number)
    expect(new URL(page.url()).hash).toBe('#L4')
    await page
      .locator('#L7')
      .first()
      .click({ ...number, modifiers: ['Shift'] })
    expect(new URL(page.url()).hash).toBe('#L4-L7')
    expect(await page.locator('.code .lit').count()).toBe(4)
  })
  test('copied code has all lines and no numbers', async () => {
    const text = await page.evaluate(() => {
      const range = document.createRange()
      const lines = document.querySelector('.code .lines')
      if (lines) range.selectNodeContents(lines)
      const selection = getSelection()
      selection?.removeAllRanges()
      selection?.addRange(range)
      document.execCommand('copy')
      return navigator.clipboard.readText()
    })
    expect(
      text
        .split('\n')
        .slice(0, 5)
        .map((line) => line.replace(/^\t/, '')),
    ).toEqual([
      '//! Holds the remaining time of a bake.',
      'use std::time::{Duration, Instant};',
      '',
      '/// A timer that can be held while the door is open.',
      'pub struct Timer {',
    ])
  })
  test('a form is sent once', async () => {
    const sent = await page.evaluate(async () => {
      const went: boolean[] = []
      const button = document.querySelector<HTMLButtonElement>('form[action="#star"] button')
      // After the script's own listener: whether the form would go, and then it stays, so that the
      // page does.
      addEventListener('submit', (event) => {
        went.push(!event.defaultPrevented)
        event.preventDefault()
      })
      for (let times = 0; times < 3; times++) {
        button?.click()
        await new Promise((resolve) => setTimeout(resolve))
      }
      return { went, disabled: button?.getAttribute('aria-disabled') }
    })
    expect(sent).toEqual({ went: [true, false, false], disabled: 'true' })
  })
})

test('without the script the page is complete, and buttons that need it are hidden', async () => {
  const { page, complaints, close } = await open({
    javaScriptEnabled: false,
    viewport: { width: 1280, height: 800 },
  })
  expect(await page.locator('.js-only:visible').count()).toBe(0)
  expect(await page.locator('#token-secret').isVisible()).toBe(true)
  await page.locator('details.viewer-menu > summary').click()
  expect(await page.getByRole('button', { name: 'Sign out' }).isVisible()).toBe(true)
  expect(complaints).toEqual([])
  await close()
}, 120_000)
