/** Every page with a small story in it: reachable, without a violation that axe-core finds, in both schemes, and no wider than a phone. */
import { beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { fill } from '../../scripts/demo.ts'
import { startForge, visitor, type Forge } from './forge.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const PASSWORD = 'correct horse battery'

let forge: Forge
let page: Page
let problems: string[]

beforeAll(async () => {
  forge = await startForge()
  ;({ page, problems } = await visitor())
  await page.goto(forge.setup ?? '')
  await page.fill('[name=username]', 'ada')
  await page.fill('[name=email]', 'ada@example.com')
  await page.fill('[name=password]', PASSWORD)
  await page.click('main button')
  await page.goto(`${forge.url}/settings/tokens`)
  await page.fill('[name=name]', 'demo')
  await page.click('main form[action="/settings/tokens"] button[class*=primary]')
  await fill(forge.url, (await page.textContent('#token-secret'))?.trim() ?? '')
}, 60_000)

const REPO = '/bakery/oven'
const PAGES = [
  '/', '/explore', '/docs', '/settings/tokens', '/settings/invites', '/workspaces/new', '/new', '/bakery', '/bakery/-/members', '/bakery/-/settings', '/bakery/recipes',
  REPO, `${REPO}/tree/main/src`, `${REPO}/blob/main/src/oven.ts`, `${REPO}/blob/main/README.md`, `${REPO}/blame/main/src/oven.ts`, `${REPO}/commits/main`, `${REPO}/branches`, `${REPO}/tags`,
  `${REPO}/activity`, `${REPO}/settings`, `${REPO}/issues`, `${REPO}/issues?state=closed`, `${REPO}/issues/new`, `${REPO}/issues/1`, `${REPO}/issues/1/edit`, `${REPO}/pulls`, `${REPO}/pulls?state=all`,
  `${REPO}/pulls/new`, `${REPO}/pull/4`, `${REPO}/pull/5`, `${REPO}/pull/4/changes`, `${REPO}/pull/4/changes?view=split`, `${REPO}/pull/4/commits`, `${REPO}/pull/4/session`, `${REPO}/pull/4/checks`,
]

type Axe = { run(options: unknown): Promise<{ violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] }> }

/** What axe-core finds, in few words. Run through the developer tools, so the page's own policy need not allow it. */
async function violations(): Promise<string[]> {
  await page.evaluate(AXE)
  return page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: Axe }).axe.run({ resultTypes: ['violations'] })
    return violations.flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary?.split('\n')[1]?.trim() ?? ''}`))
  })
}

describe('every page', () => {
  for (const path of PAGES) {
    test(`${path} is there, accessible and fits a phone`, async () => {
      for (const [width, colorScheme] of [[1280, 'light'], [390, 'dark']] as const) {
        await page.setViewportSize({ width, height: 900 })
        await page.emulateMedia({ colorScheme })
        const response = await page.goto(`${forge.url}${path}`)
        expect([path, response?.status()]).toEqual([path, 200])
        expect([path, await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([path, width])
        expect(await violations()).toEqual([])
      }
      expect(problems).toEqual([])
    }, 60_000)
  }
})

test('every link of these pages leads somewhere', async () => {
  const seen = new Set<string>()
  for (const path of PAGES) {
    await page.goto(`${forge.url}${path}`)
    for (const href of await page.$$eval('a[href^="/"]', (links) => links.map((link) => link.getAttribute('href') ?? ''))) seen.add(href.split('#')[0] ?? '')
  }
  const cookies = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ')
  const dead: string[] = []
  for (const href of seen) {
    const response = await fetch(`${forge.url}${href}`, { headers: { cookie: cookies }, redirect: 'manual' })
    await response.arrayBuffer()
    if (response.status >= 400) dead.push(`${response.status} ${href}`)
  }
  expect(dead).toEqual([])
}, 120_000)

test('the address of a pull request’s diff and patch are what git takes', async () => {
  for (const [end, begin] of [['diff', 'diff --git'], ['patch', 'From ']] as const) {
    const response = await fetch(`${forge.url}${REPO}/pull/4.${end}`)
    expect([response.status, (await response.text()).startsWith(begin)]).toEqual([200, true])
  }
})
