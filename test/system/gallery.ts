/**
 * Pictures of every page and state of the executable, to be looked at: as on a desk and on a phone, light and
 * dark, and without a script. `--pictures DIR` is where they go; `sheets` below it has several pages a picture.
 * axe-core looks at each as well.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Browser, type Page } from 'playwright-core'
import { CHROMIUM } from '../../scripts/support/chromium.ts'
import { claim, EXECUTABLE, requireBuilt, startForge } from '../../scripts/support/forge.ts'
import { OptionError, runScript } from '../../scripts/support/options.ts'
import { cookiesOf } from '../tour/cookies.ts'
import { MORE_SETTINGS, tellEverything } from '../tour/more-pages.ts'
import { OUTSIDE } from '../tour/pages.ts'
import { asker } from '../tour/story.ts'

const OPTIONS = {
  executable: { help: 'the forge', default: EXECUTABLE, kind: 'text' },
  pictures: { help: 'a directory for the pictures', default: '', kind: 'text' },
  only: { help: 'the beginnings of names of pages, with commas', default: '', kind: 'text' },
  locale: { help: 'the language of the pages', default: 'en', kind: 'text' },
} as const

/**
 * A page is shown up to `maxHeight`. The sheets are as wide as tools show pictures without making them smaller, and
 * text stays legible on them.
 */
const VIEWS = [
  { name: 'desk-light', width: 1280, maxHeight: 1500, scheme: 'light', perRow: 2, perSheet: 4 },
  { name: 'desk-dark', width: 1280, maxHeight: 1200, scheme: 'dark', perRow: 3, perSheet: 9 },
  { name: 'phone-light', width: 390, maxHeight: 2400, scheme: 'light', perRow: 6, perSheet: 6 },
  { name: 'phone-dark', width: 390, maxHeight: 1200, scheme: 'dark', perRow: 6, perSheet: 12 },
] as const
const SHEET_WIDTH = 1560
type View = (typeof VIEWS)[number]

/** Joins pictures to sheets, with the name of each page above it. */
async function writeSheets(browser: Browser, folder: string, view: View, names: readonly string[]) {
  const page = await browser.newPage({ viewport: { width: SHEET_WIDTH, height: 800 } })
  for (let from = 0; from < names.length; from += view.perSheet) {
    const cells = names
      .slice(from, from + view.perSheet)
      .map(
        (name) =>
          `<figure><figcaption>${name}</figcaption><img src="${name}-${view.name}.png"></figure>`,
      )
    const path = join(folder, `sheet-${view.name}.html`)
    writeFileSync(
      path,
      `<style>body{display:grid;grid-template-columns:repeat(${view.perRow},1fr);gap:8px;margin:8px;align-items:start;background:#888;font:bold 15px sans-serif}figure{margin:0}img{width:100%}</style>${cells.join('')}`,
    )
    await page.goto(`file://${path}`, { waitUntil: 'load' })
    await page.screenshot({
      path: join(
        folder,
        'sheets',
        `${view.name}-${String(from / view.perSheet).padStart(2, '0')}.png`,
      ),
      fullPage: true,
    })
    rmSync(path)
  }
  await page.close()
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
type Axe = {
  run(
    context: unknown,
    options: unknown,
  ): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>
}

/** Lets axe-core run on a page that was loaded without scripts: its promises need them. The page stays as it is. */
async function allowScripts(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  for (const value of [true, false])
    await session.send('Emulation.setScriptExecutionDisabled', { value })
}

/** What axe-core finds. It runs through the developer tools. */
async function violationsOf(page: Page): Promise<string[]> {
  await allowScripts(page)
  await page.evaluate(AXE)
  return page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: Axe }).axe.run(document, {
      resultTypes: ['violations'],
      rules: { 'target-size': { enabled: true } },
    })
    return violations.flatMap(({ id, nodes }) =>
      nodes.slice(0, 3).map(({ html }) => `${id}: ${html.slice(0, 200)}`),
    )
  })
}

/** Takes the pictures of a page. Gives what axe-core finds as on a desk in light and on a phone in dark. */
async function takeAll(
  page: Page,
  folder: string,
  name: string,
  address: string,
): Promise<string[]> {
  const found: string[] = []
  for (const view of VIEWS) {
    await page.emulateMedia({ colorScheme: view.scheme, reducedMotion: 'reduce' })
    await page.setViewportSize({ width: view.width, height: 900 })
    // Loaded at its width, because the script puts the current tab into view.
    if (view.scheme === 'light') await page.goto(address, { waitUntil: 'load' })
    const height = await page.evaluate(() => document.documentElement.scrollHeight)
    await page.screenshot({
      path: join(folder, `${name}-${view.name}.png`),
      fullPage: true,
      clip: { x: 0, y: 0, width: view.width, height: Math.min(height, view.maxHeight) },
    })
    if (CHECKED.has(view.name) && !LARGE.has(name))
      found.push(...(await violationsOf(page)).map((text) => `${name}, ${view.name}: ${text}`))
  }
  return found
}

const CHECKED: ReadonlySet<string> = new Set(['desk-light', 'phone-dark'])
/** Pages with hundreds of equal parts, which axe-core reads for minutes. `test/journeys` checks a part of them. */
const LARGE: ReadonlySet<string> = new Set(['docs', 'docs-part', 'docs-records', 'many-lines'])

type Place = {
  readonly name: string
  readonly path: string
  readonly cookie: string
  readonly javaScriptEnabled: boolean
}

/** Pages that a script makes livelier, to be seen as they are without one. */
const WITHOUT_SCRIPT = [
  'repo',
  'file',
  'edit',
  'issues',
  'new-issue',
  'issue',
  'pull',
  'changes',
  'checks',
  'conflicts',
  'project-board',
  'new-release',
  'notifications',
]

const ARCHIVED = {
  'archived-repo': '/bakery/attic',
  'archived-issues': '/bakery/attic/issues',
  'archived-settings': '/bakery/attic/settings',
}

async function archiveRepo(url: string, token: string): Promise<void> {
  const ask = asker(url, token)
  await ask('POST', '/repos', { workspace: 'bakery', name: 'attic', private: false })
  await ask('POST', '/repos/bakery/attic/archive', {})
}

/** Every page and state, each with who looks at it. */
function placesOf(
  inside: Readonly<Record<string, string>>,
  owner: string,
  locale: string,
): Place[] {
  const language = `hearth-locale=${locale}`
  const as = (cookie: string, pages: Readonly<Record<string, string>>, prefix = ''): Place[] =>
    Object.entries(pages).map(([name, path]) => ({
      name: prefix + name,
      path,
      cookie,
      javaScriptEnabled: prefix === '',
    }))
  const signedIn = `${owner}; ${language}`
  const plain = Object.fromEntries(WITHOUT_SCRIPT.map((name) => [name, inside[name] ?? '/']))
  return [
    ...as(signedIn, { ...inside, ...ARCHIVED, nowhere: '/nowhere/at/all' }),
    ...as(language, {
      ...OUTSIDE,
      denied: '/bakery/recipes',
      'denied-settings': '/bakery/oven/settings',
    }),
    ...as(signedIn, plain, 'no-script-'),
  ]
}

await runScript('bun test/system/gallery.ts', OPTIONS, async (options) => {
  const { executable, pictures, only, locale } = options
  if (pictures === '') throw new OptionError('--pictures names a directory')
  const work = mkdtempSync(join(tmpdir(), 'hearth-gallery-'))
  mkdirSync(join(pictures, 'sheets'), { recursive: true })
  const data = join(work, 'data')
  const forge = await startForge({
    executable: requireBuilt(executable),
    data,
    log: join(work, 'log'),
    environment: MORE_SETTINGS,
  })
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu'],
  })
  try {
    const { token, cookie } = await claim(forge)
    const { pages, stop } = await tellEverything({ url: forge.url, executable, data, work }, token)
    stop()
    const places = placesOf(pages, cookie, locale).filter(({ name }) =>
      only.split(',').some((beginning) => name.startsWith(beginning)),
    )
    await archiveRepo(forge.url, token)
    const findings: string[] = []
    for (const place of places) {
      const context = await browser.newContext({ javaScriptEnabled: place.javaScriptEnabled })
      await context.addCookies(cookiesOf(place.cookie, forge.url))
      const page = await context.newPage()
      findings.push(...(await takeAll(page, pictures, place.name, forge.url + place.path)))
      await context.close()
    }
    for (const view of VIEWS)
      await writeSheets(
        browser,
        pictures,
        view,
        places.map(({ name }) => name),
      )
    for (const finding of findings) process.stdout.write(`${finding}\n`)
    process.stdout.write(
      `${places.length} pages in ${pictures}, ${findings.length} findings of axe-core\n`,
    )
    return findings.length === 0 ? 0 : 1
  } finally {
    await browser.close()
    await forge.kill()
    rmSync(work, { recursive: true, force: true })
  }
})
