/** A page of Chromium in which a user of a running forge is signed in. */
import { afterAll } from 'bun:test'
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
