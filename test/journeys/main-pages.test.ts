/**
 * The most used pages in Chromium: the names that a screen reader tells, in the tree that the
 * browser makes for it; what moves while a page loads; and what a page weighs.
 */
import { beforeAll, expect, test } from 'bun:test'
import type { CDPSession, Page } from 'playwright-core'
import { startTour, type Tour } from './page-visits.ts'
import { tabAround } from './tab-stops.ts'

/** The names of the most used pages, as in `test/tour/pages.ts`. */
const MAIN_PAGES = [
  'start',
  'repo',
  'file',
  'issues',
  'new-issue',
  'issue',
  'pulls',
  'pull',
  'changes',
  'search',
  'notifications',
  'project-board',
]

/** Pages of runs, packages, findings, agents, mirrors and models, and the status with the standby. */
const FURTHER_PAGES = [
  'admin',
  'admin-agents',
  'runs',
  'run',
  'job',
  'workflow',
  'packages',
  'package',
  'upstreams',
  'workspace-security',
  'code-alert',
  'secrets',
  'dependency-alerts',
  'session',
  'agents',
  'mirrors',
  'workspace-models',
  'model-usage',
]

let tour: Tour
let tools: CDPSession
beforeAll(async () => {
  tour = await startTour()
  tools = await tour.page.context().newCDPSession(tour.page)
  await tools.send('Accessibility.enable')
}, 120_000)

type Node = { role: string; name: string; level: number | null; place: string }

/** The accessibility tree of the open page, as a list. */
async function accessibilityTree(): Promise<Node[]> {
  const { nodes } = await tools.send('Accessibility.getFullAXTree')
  const byId = new Map(nodes.map((node) => [node.nodeId, node]))
  return nodes
    .filter(({ ignored }) => !ignored)
    .map((node) => {
      const parent = node.parentId === undefined ? undefined : byId.get(node.parentId)
      return {
        role: String(node.role?.value ?? ''),
        name: String(node.name?.value ?? '').trim(),
        level: Number(node.properties?.find(({ name }) => name === 'level')?.value.value) || null,
        place: `below ${String(parent?.role?.value)} ${JSON.stringify(parent?.name?.value)}`,
      }
    })
}

/** Roles whose elements a screen reader tells by their names. */
const NAMED = new Set(
  `button checkbox combobox dialog DisclosureTriangle heading image img link listbox menuitem
   option radio searchbox slider spinbutton switch tab table textbox`.split(/\s+/),
)
const LANDMARKS = new Set([
  'banner',
  'complementary',
  'contentinfo',
  'main',
  'navigation',
  'region',
])

const repeated = (values: readonly string[]): string[] =>
  values.filter((value, at) => values.indexOf(value) !== at)

/** Layout shifts since the page was opened, as the browser counts them. */
const layoutShift = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      new Promise<number>((tell) => {
        let sum = 0
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries())
            sum += (entry as unknown as { value: number }).value
        }).observe({ type: 'layout-shift', buffered: true })
        // Two frames: what is buffered has been told, and the last layout has been painted.
        requestAnimationFrame(() => requestAnimationFrame(() => tell(sum)))
      }),
  )

/**
 * The smallest shift of three loads. On a busy machine the browser may paint while it still parses
 * the header; what a page itself moves, it moves each time.
 */
async function leastShift(path: string): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let load = 0; load < 3 && least > 0; load++) {
    await tour.page.goto(tour.forge.url + path, { waitUntil: 'networkidle' })
    least = Math.min(least, await layoutShift(tour.page))
  }
  return least
}

for (const name of [...MAIN_PAGES, ...FURTHER_PAGES]) {
  test(`${name}: everything has a name, headings go down by one, landmarks differ`, async () => {
    await tour.page.goto(tour.forge.url + (tour.inside[name] ?? ''))
    const tree = await accessibilityTree()
    // A table of a document has its name on the group around it, which scrolls.
    const isNamed = ({ role, name, place }: Node): boolean =>
      !NAMED.has(role) || name !== '' || (role === 'table' && place === 'below group "Table"')
    expect(tree.filter((node) => !isNamed(node))).toEqual([])
    const headings = tree.filter(({ role }) => role === 'heading')
    // A document on the page may begin with a title of its own.
    expect(await tour.page.locator('h1:not(.md h1)').count()).toBe(1)
    const levels = headings.map(({ level }) => level ?? 0)
    expect(levels.filter((level, at) => level > (levels[at - 1] ?? level) + 1)).toEqual([])
    const landmarks = tree.filter(({ role }) => LANDMARKS.has(role))
    expect(landmarks.filter(({ role }) => role === 'main').length).toBe(1)
    expect(repeated(landmarks.map(({ role, name }) => `${role} ${name}`))).toEqual([])
    expect(tour.problems).toEqual([])
  }, 60_000)
}

for (const name of FURTHER_PAGES)
  test(`${name}: Tab reaches everything, once around, and each stop is seen`, async () => {
    await tour.page.goto(tour.forge.url + (tour.inside[name] ?? ''))
    expect(await tabAround(tour.page)).toEqual({ unseen: [], missed: [] })
  }, 120_000)

for (const name of MAIN_PAGES) {
  test(`${name}: nothing moves while it loads, at both widths`, async () => {
    for (const width of [1280, 390]) {
      await tour.page.setViewportSize({ width, height: 800 })
      expect([width, await leastShift(tour.inside[name] ?? '')]).toEqual([width, 0])
    }
    await tour.page.setViewportSize({ width: 1280, height: 800 })
  }, 60_000)

  test(`${name}: less than 100 KB of HTML, and less than 40 KB of scripts`, async () => {
    const scripts = new Map<string, Promise<number>>()
    const listen = (response: Awaited<ReturnType<Page['waitForResponse']>>): void => {
      if (response.request().resourceType() === 'script')
        scripts.set(
          response.url(),
          response
            .request()
            .sizes()
            .then(({ responseBodySize }) => responseBodySize),
        )
    }
    tour.page.on('response', listen)
    const page = await tour.page.goto(tour.forge.url + (tour.inside[name] ?? ''), {
      waitUntil: 'networkidle',
    })
    tour.page.off('response', listen)
    const sizes = await Promise.all(scripts.values())
    expect((await page?.body())?.length).toBeLessThan(100_000)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(40_000)
  }, 60_000)
}

test('no page of the API reference has more than 100 KB', async () => {
  const overview = await (await fetch(`${tour.forge.url}/docs`)).text()
  const parts = [...new Set(overview.match(/\/docs\/reference\/[a-z0-9-]+/g))]
  expect(parts.length).toBeGreaterThan(15)
  for (const path of ['/docs', ...parts]) {
    const page = await fetch(tour.forge.url + path)
    expect([path, page.status]).toEqual([path, 200])
    expect([path, (await page.arrayBuffer()).byteLength < 100_000]).toEqual([path, true])
  }
})
