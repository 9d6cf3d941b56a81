/** A page of Chromium in which a user of a running forge is signed in. */
import { afterAll } from 'bun:test'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import type { Running } from '../../../features/oauth/running.ts'
import { openContext } from '../../../journeys/browser.ts'

export async function browserPage(
  forge: Running,
  username: string,
  options: { javaScriptEnabled?: boolean } = {},
): Promise<{ page: Page; problems: string[] }> {
  // Registers the cookie of this user.
  await forge.browser(username)
  const context = await openContext({ ...options, baseURL: forge.url })
  afterAll(() => context.close())
  await context.addCookies([{ name: 'hearth', value: `${username}-cookie`, url: forge.url }])
  const page = await context.newPage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status of (4\d\d)/.test(message.text()))
      problems.push(message.text())
  })
  return { page, problems }
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

type Axe = { run(of: unknown, options: unknown): Promise<{ violations: AxeViolation[] }> }
type AxeViolation = { id: string; nodes: { html: string; failureSummary?: string }[] }

/**
 * What is wrong with the open page as on a desk in light and as on a phone in dark: what axe-core
 * finds in one part, and whether it is wider than the window.
 */
export async function findFaults(page: Page, within = 'html'): Promise<string[]> {
  const faults: string[] = []
  await page.evaluate(AXE)
  for (const [width, colorScheme] of [
    [390, 'dark'],
    [1280, 'light'],
  ] as const) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const wide = await page.evaluate(() => document.documentElement.scrollWidth)
    if (wide > width) faults.push(`at ${width} pixels it is ${wide} wide`)
    const found = await page.evaluate(async (within) => {
      const { axe } = globalThis as unknown as { axe: Axe }
      const { violations } = await axe.run(document.querySelector(within), {
        resultTypes: ['violations'],
        rules: { 'target-size': { enabled: true } },
      })
      return violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
      )
    }, within)
    faults.push(...found.map((fault) => `${width}: ${fault}`))
  }
  return faults
}
