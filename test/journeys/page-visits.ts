/** Visits the pages of a forge with something of everything in it, and checks each. */
import { expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { MAIN, pagesOf } from '../tour/pages.ts'
import { tellStory } from '../tour/story.ts'
import { startForge, visitor, type Forge } from './forge.ts'
import { changesSince, steady, takePicture } from './kept-pictures.ts'
import { FLAT, rulerFont } from './ruler.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const PASSWORD = 'correct horse battery'
const FLAT_FONT = Buffer.from(rulerFont(FLAT)).toString('base64')

export type Tour = {
  readonly forge: Forge
  readonly page: Page
  /** Errors in the scripts of visited pages, and refused requests. */
  readonly problems: string[]
  /** Addresses by the names of pages. */
  readonly inside: Readonly<Record<string, string>>
  /** Addresses of the forge that the visited pages link to. */
  readonly links: Set<string>
}

/** Starts a forge with something of everything in it, and signs its owner in. */
export async function startTour(): Promise<Tour> {
  const forge = await startForge()
  const { page, problems } = await visitor()
  await page.goto(forge.setup ?? '')
  await page.fill('[name=username]', 'ada')
  await page.fill('[name=email]', 'ada@example.com')
  await page.fill('[name=password]', PASSWORD)
  await page.click('main button')
  await page.goto(`${forge.url}/settings/tokens`)
  await page.fill('[name=name]', 'demo')
  await page.click('main form[action="/settings/tokens"] button[class*=primary]')
  const token = (await page.textContent('#token-secret'))?.trim() ?? ''
  const inside = pagesOf(await tellStory(forge.url, token))
  return { forge, page, problems, inside, links: new Set() }
}

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

/**
 * Forms without a button that sends them (WCAG technique H32), and links whose only name is a title, which
 * is not read everywhere (H30). axe-core asks for neither.
 */
const unnamedControls = (of: Page): Promise<string[]> =>
  of.evaluate(() =>
    [
      ...[...document.forms].filter((form) =>
        [...form.elements].every(
          (field) => !(field instanceof HTMLButtonElement) || field.type !== 'submit',
        ),
      ),
      ...[...document.querySelectorAll('a[href]:not([aria-label])')].filter(
        (link) =>
          link.textContent.trim() === '' && link.querySelector('[aria-label], [alt]') === null,
      ),
    ].map(({ outerHTML }) => outerHTML.slice(0, 200)),
  )

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
 * Pages of which no picture is kept: how the machine and its disk fare, in which order jobs that ran beside
 * each other ended, and in which commits of about one second stand; how far the numbers of a
 * repository have been counted; how long a job took. The code editor lays out its lines in its own time.
 */
export const UNKEPT = new Set([
  'admin',
  'admin-jobs',
  'admin-backups',
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
 * The least shift of three loads. A browser that draws between two parts of the page as they are
 * read counts buttons at the right as moved; what the page itself moves, it moves each time.
 */
async function leastShift(at: Page): Promise<number> {
  let least = await layoutShift(at)
  for (let load = 1; load < 3 && least > 0; load++) {
    await at.reload()
    least = Math.min(least, await layoutShift(at))
  }
  return least
}

/**
 * One visit for all that is asked of a page: as on a desk in light, as on a phone in dark, then its
 * two pictures on the way back.
 */
export async function look(
  { forge, links }: Pick<Tour, 'forge' | 'links'>,
  at: Page,
  name: string,
  path: string,
  status = 200,
): Promise<void> {
  const fits = async (width: number): Promise<void> =>
    expect([path, await at.evaluate(() => document.documentElement.scrollWidth)]).toEqual([
      path,
      width,
    ])
  const check = async (width: number, only: readonly string[] = []): Promise<void> => {
    await fits(width)
    expect(await violations(at, only)).toEqual([])
  }
  const open = async (): Promise<void> => {
    await see(at, 1280, 'light')
    const response = await at.goto(`${forge.url}${path}`)
    expect([path, response?.status()]).toEqual([path, status])
  }
  await open()
  if (MAIN.some((one) => one === name)) expect([path, await leastShift(at)]).toEqual([path, 0])
  for (const href of await at.$$eval('a[href^="/"]', (all) =>
    all.map((link) => link.getAttribute('href') ?? ''),
  ))
    links.add(href.split('#')[0] ?? '')
  const many = LARGE[name]
  const removeMany = async (): Promise<void> => {
    if (many !== undefined)
      await at.evaluate(
        (parts) => document.querySelectorAll(parts).forEach((part) => part.remove()),
        many,
      )
  }
  if (many !== undefined) {
    await see(at, 390, 'dark')
    await fits(390)
    await see(at, 1280, 'light')
  }
  await removeMany()
  expect(await unnamedControls(at)).toEqual([])
  await at.evaluate(AXE)
  await check(1280)
  await see(at, 390, 'dark')
  await check(390, LAYOUT_RULES)
  // Neither the width of a page nor the size of a target may depend on the font of the machine.
  await setFlatFont(at)
  await check(390, ['target-size'])
  await restoreFont(at)
  if (UNKEPT.has(name)) return
  const changes = async (): Promise<string[]> => {
    await steady(at, forge.directory)
    const phone = await takePicture(at)
    await see(at, 1280, 'light')
    return await changesSince(at, name, await takePicture(at), phone)
  }
  if ((await changes()).length === 0) return
  // What looks different is loaded and looked at again: the browser may not have drawn all of it, or
  // the page may have been drawn anew between its steadying and its picture. What the browser has
  // drawn wrongly once it may keep until the page is left.
  await open()
  await removeMany()
  await see(at, 390, 'dark')
  expect(await changes()).toEqual([])
}

/** Links of visited pages that lead nowhere, with their status. */
export async function deadLinks({ forge, page, links }: Tour): Promise<string[]> {
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
  return dead
}
