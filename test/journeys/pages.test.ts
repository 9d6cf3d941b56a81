/**
 * Every page of a forge with something of everything in it, signed in and not: it is there,
 * axe-core finds no violation in either scheme, it is no wider than a phone, every link leads
 * somewhere, and it looks as it did.
 */
import { beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { siteMap } from '#web/index.ts'
import { fileAt, MAIN, NAMES, OUTSIDE, pagesOf } from '../tour/pages.ts'
import { BRANCH, tellStory } from '../tour/story.ts'
import { startForge, visitor, type Forge } from './forge.ts'
import { changesSince, leftover, steady, takePicture } from './kept-pictures.ts'
import { FLAT, rulerFont } from './ruler.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const PASSWORD = 'correct horse battery'
const REPO = '/bakery/oven'
const FLAT_FONT = Buffer.from(rulerFont(FLAT)).toString('base64')

let forge: Forge
let page: Page
let problems: string[]
let inside: Readonly<Record<string, string>>
const links = new Set<string>()

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
  const token = (await page.textContent('#token-secret'))?.trim() ?? ''
  inside = pagesOf(await tellStory(forge.url, token))
}, 120_000)

type Axe = {
  run(
    context: unknown,
    options: unknown,
  ): Promise<{ violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] }>
}

/**
 * What axe-core finds, in few words. Run through the developer tools, so the page's own policy need
 * not allow it.
 */
const violations = (of: Page, only: readonly string[] = []): Promise<string[]> =>
  of.evaluate(async (only) => {
    const { violations } = await (globalThis as unknown as { axe: Axe }).axe.run(document, {
      resultTypes: ['violations'],
      rules: { 'target-size': { enabled: true } },
      ...(only.length === 0 ? {} : { runOnly: only }),
    })
    return violations.flatMap(({ id, nodes }) =>
      nodes
        .slice(0, 3)
        .map(
          ({ html, failureSummary }) =>
            `${id}: ${html.slice(0, 200)} ${failureSummary?.split('\n')[1]?.trim() ?? ''}`,
        ),
    )
  }, only)

/** Rules whose results depend on the width or the colours of a page, not only on its elements. */
const LAYOUT_RULES = [
  'color-contrast',
  'link-in-text-block',
  'scrollable-region-focusable',
  'target-size',
] as const

type FontWindow = { removeFont?: () => void }

/** Lays the page out in the flat font. `restoreFont` gives it its own font back. */
const setFlatFont = (at: Page): Promise<void> =>
  at.evaluate(async (font) => {
    const face = new FontFace(
      'Flat ruler',
      Uint8Array.from(atob(font), (c) => c.charCodeAt(0)),
    )
    document.fonts.add(await face.load())
    const sheet = new CSSStyleSheet()
    sheet.replaceSync("*, ::before, ::after { font-family: 'Flat ruler' !important }")
    document.adoptedStyleSheets.push(sheet)
    Object.assign(globalThis, {
      removeFont: () => {
        document.adoptedStyleSheets.splice(document.adoptedStyleSheets.indexOf(sheet), 1)
        document.fonts.delete(face)
      },
    } satisfies FontWindow)
  }, FLAT_FONT)

const restoreFont = (at: Page): Promise<void> =>
  at.evaluate(() => (globalThis as FontWindow).removeFont?.())

/**
 * Pages with hundreds of parts of one kind, of which axe-core, which reads every element of a page
 * many times, is shown the first ones.
 */
const LARGE: Readonly<Record<string, string>> = {
  docs: '.doc-names li ~ li ~ li',
  'docs-part': '.doc-fold ~ .doc-fold ~ .doc-fold',
  'docs-records': '.doc-fold ~ .doc-fold ~ .doc-fold',
  'many-lines': '.code-block ~ .code-block',
}

/**
 * Pages of which no picture is kept: how the machine fares, in which order jobs that ran beside
 * each other ended, and in which commits of about one second stand; how far the numbers of a
 * repository have been counted; how long a job took. The code editor lays out its lines in its own time.
 */
const UNKEPT = new Set([
  'admin',
  'admin-jobs',
  'hook',
  'activity',
  'workspace-activity',
  'commits',
  'edit',
  'new-file',
  'insights',
  'docs-records',
  'runs',
  'run',
  'job',
  'workflow',
])

async function see(at: Page, width: number, colorScheme: 'light' | 'dark'): Promise<void> {
  await at.setViewportSize({ width, height: 900 })
  // Without motion, so that no colour is read on its way to another.
  await at.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
}

/** How far the parts of the page moved while it loaded (Layout Instability API). */
const layoutShift = (at: Page): Promise<number> =>
  at.evaluate(
    () =>
      new Promise<number>((resolve) => {
        new PerformanceObserver((list) =>
          resolve(
            list.getEntries().reduce((sum, entry) => sum + Number(Reflect.get(entry, 'value')), 0),
          ),
        ).observe({ type: 'layout-shift', buffered: true })
        // Entries of what was drawn come before the frame after it.
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(0)))
      }),
  )

/**
 * One visit for all that is asked of a page: as on a desk in light, as on a phone in dark, then its
 * two pictures on the way back.
 */
async function look(at: Page, name: string, path: string, status = 200): Promise<void> {
  const fits = async (width: number): Promise<void> =>
    expect([path, await at.evaluate(() => document.documentElement.scrollWidth)]).toEqual([
      path,
      width,
    ])
  const check = async (width: number, only: readonly string[] = []): Promise<void> => {
    await fits(width)
    expect(await violations(at, only)).toEqual([])
  }
  await see(at, 1280, 'light')
  const response = await at.goto(`${forge.url}${path}`)
  expect([path, response?.status()]).toEqual([path, status])
  if (MAIN.some((one) => one === name)) expect([path, await layoutShift(at)]).toEqual([path, 0])
  for (const href of await at.$$eval('a[href^="/"]', (all) =>
    all.map((link) => link.getAttribute('href') ?? ''),
  ))
    links.add(href.split('#')[0] ?? '')
  const many = LARGE[name]
  if (many !== undefined) {
    await see(at, 390, 'dark')
    await fits(390)
    await see(at, 1280, 'light')
    await at.evaluate(
      (parts) => document.querySelectorAll(parts).forEach((part) => part.remove()),
      many,
    )
  }
  await at.evaluate(AXE)
  await check(1280)
  await see(at, 390, 'dark')
  await check(390, LAYOUT_RULES)
  // Neither the width of a page nor the size of a target may depend on the font of the machine.
  await setFlatFont(at)
  await check(390, ['target-size'])
  await restoreFont(at)
  if (UNKEPT.has(name)) return
  await steady(at)
  const phone = await takePicture(at)
  await see(at, 1280, 'light')
  expect(await changesSince(at, name, await takePicture(at), phone)).toEqual([])
}

describe('every page', () => {
  for (const name of NAMES) {
    test(`${name} is there, accessible, fits a phone and looks as it did`, async () => {
      await look(page, name, inside[name] ?? '')
      expect(problems).toEqual([])
    }, 120_000)
  }
})

/** Pages that no address of the tour is for, and why. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  '/setup': 'there is an account already; every journey begins there',
  '/settings': 'leads on',
  '/-/gallery': 'for development; test/web/gallery.test.ts',
  '/login/sso/:provider': 'leads on',
  '/login/sso/:provider/callback': 'leads on',
  '/settings/security/two-factor': 'journeys/sign-in.test.ts',
  '/oauth/authorize': 'test/web/sign-on.test.ts',
  '/invite/:id': 'needs a letter',
  '/notifications/unsubscribe/:token': 'needs a letter',
  '/:workspace/:repo/wiki/_change/:revision/*slug': 'test/web/pages/wiki.test.ts',
  '/:workspace/:repo/issues/new/choose': 'leads on; test/web/pages/issues/new.test.ts',
  '/:workspace/:repo/releases/latest': 'leads on',
  '/:workspace/:repo/releases/:id': 'leads on',
  '/:workspace/-/hooks/:id': 'as of a repository',
  '/:workspace/-/hooks/:id/deliveries/:delivery': 'as of a repository',
  '/:workspace/-/rulesets/:id': 'as of a repository',
  '/:workspace/:repo/settings/hooks/:id/deliveries/:delivery': 'journeys/webhooks.test.ts',
}

test('no page of the site is left out', () => {
  const visited = [...Object.values(inside), ...Object.values(OUTSIDE)].map(
    (path) => new URL(path, forge.url).pathname,
  )
  const ofFork = (path: string): boolean => path.includes('/pull/:fork/')
  // The pages of the guide are alike; `/docs/operate` is visited.
  const ofGuide = (path: string): boolean => path.startsWith('/docs/')
  const left = siteMap(
    { development: true },
    { docs: () => Promise.reject(new Error('not asked')) as never },
  )
    .pages.map(({ path }) => path)
    .filter((path) => !ofFork(path) && !ofGuide(path) && !(path in ELSEWHERE))
    .filter(
      (path) =>
        !visited.some((one) =>
          new RegExp(
            `^${path
              .replace(/\.\w+$/, '\\$&')
              .replace(/:\w+/g, '[^/]+')
              .replace(/\*\w+/g, '.+')}$`,
          ).test(one),
        ),
    )
  expect(left).toEqual([])
})

test('a commit with every kind of change shows each', async () => {
  await page.goto(`${forge.url}${inside.commit}`)
  expect(await page.locator('main .diff-file').count()).toBe(6)
})

test('so is every page for those without an account', async () => {
  const outside = await visitor()
  for (const [name, path] of Object.entries(OUTSIDE)) await look(outside.page, name, path)
  expect(outside.problems).toEqual([])
}, 120_000)

test('so is what is shown in place of a page that is not there', async () => {
  await look(page, 'nowhere', '/nowhere/at/all', 404)
}, 120_000)

test('every link of these pages leads somewhere', async () => {
  expect(links.size).toBeGreaterThan(200)
  const cookies = (await page.context().cookies())
    .map(({ name, value }) => `${name}=${value}`)
    .join('; ')
  const dead: string[] = []
  const left = [...links]
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      for (let href = left.pop(); href !== undefined; href = left.pop()) {
        const response = await fetch(`${forge.url}${href}`, {
          headers: { cookie: cookies },
          redirect: 'manual',
        })
        await response.body?.cancel()
        if (response.status >= 400) dead.push(`${response.status} ${href}`)
      }
    }),
  )
  expect(dead).toEqual([])
}, 120_000)

test('no picture is kept of a page that is no more', () => {
  const known = [...NAMES, ...Object.keys(OUTSIDE), 'nowhere']
  expect(leftover(new Set(known.filter((name) => !UNKEPT.has(name))))).toEqual([])
})

test('a refused form keeps what was typed, and asking for its address again leads to its page', async () => {
  const name = 'Not A Name'
  await page.goto(`${forge.url}/bakery/-/new-team`)
  await page.fill('[name=name]', name)
  await page.fill('[name=slug]', name)
  await page.click('main form[action$="/new-team"] button[class*=primary]')
  expect([
    await page.inputValue('[name=name]'),
    await page.inputValue('[name=slug]'),
    await page.locator('[aria-invalid=true]').count(),
  ]).toEqual([name, name, 1])

  // A name that is typed and is not there is told beside its field as well.
  await page.goto(`${forge.url}/bakery/-/teams/bakers`)
  await page.fill('input[name=repo]:not([type=hidden])', 'bakery/nothing')
  await page.click('form[action$="/repos"] button:has-text("Give")')
  expect([
    await page.inputValue('input[name=repo]:not([type=hidden])'),
    await page.textContent('main .field-error'),
  ]).toEqual(['bakery/nothing', 'there is no repository bakery/nothing'])

  const answer = await page.goto(`${forge.url}${REPO}/pull/4/reviews`)
  expect([answer?.status(), new URL(page.url()).pathname]).toEqual([200, `${REPO}/pull/4`])
})

test('the switch of branches leads to the nearest folder when the other branch has no such file', async () => {
  await page.goto(`${forge.url}${fileAt('empty.txt')}`)
  await page.click('.code-bar .menu summary')
  await page.click(`.code-bar .menu a:has-text("${BRANCH}")`)
  expect(new URL(page.url()).pathname).toBe(`/bakery/odd/tree/${BRANCH}`)
  expect((await page.goto(`${forge.url}${fileAt('empty.txt', 'blob', BRANCH)}`))?.status()).toBe(
    404,
  )
})

test('a comment is changed in its place and deleted by its author', async () => {
  await page.goto(`${forge.url}${REPO}/issues/2`)
  await page.fill('#field-body-new', 'First words')
  await page.click('form[action$="/comments"] button[class*=primary]')
  await page.click('.comment-menu summary')
  await page.click('.comment-menu a:has-text("Edit")')
  await page.fill('[name=text]', 'Second words')
  await page.click('form[action$="/comments/edit"] button[class*=primary]')
  expect(await page.textContent('.timeline')).toContain('Second words')
  await page.click('.comment-menu summary')
  await page.click('.comment-menu button:has-text("Delete")')
  expect(await page.textContent('.timeline')).not.toContain('Second words')
})

test('the address of a pull request’s diff and patch are what git takes', async () => {
  for (const [end, begin] of [
    ['diff', 'diff --git'],
    ['patch', 'From '],
  ] as const) {
    const response = await fetch(`${forge.url}${REPO}/pull/4.${end}`)
    expect([response.status, (await response.text()).startsWith(begin)]).toEqual([200, true])
  }
})
