/**
 * Ten pages of the executable in German and Arabic, on a phone and on a desk: none is wider than its
 * window, and each has the language and direction of its reader. `--pictures DIR` keeps pictures.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CHROMIUM } from '../../scripts/support/chromium.ts'
import { chromium } from 'playwright-core'
import { claim, EXECUTABLE, requireBuilt, startForge } from '../../scripts/support/forge.ts'
import { runScript } from '../../scripts/support/options.ts'
import { cookiesOf } from '../tour/cookies.ts'
import { MORE_SETTINGS, tellEverything } from '../tour/more-pages.ts'

const TEN = [
  'start',
  'repo',
  'file',
  'issues',
  'issue',
  'pulls',
  'pull',
  'changes',
  'repo-settings',
  'appearance',
] as const
const WIDTHS = [390, 1280] as const
const DIRECTIONS = { de: 'ltr', ar: 'rtl' } as const
const OPTIONS = {
  executable: { help: 'the forge', default: EXECUTABLE, kind: 'text' },
  pictures: { help: 'a directory for pictures of the pages', default: '', kind: 'text' },
  all: { help: 'every page of the tour, not ten', default: '', kind: 'flag' },
} as const

await runScript('bun test/system/languages.ts', OPTIONS, async ({ executable, pictures, all }) => {
  const work = mkdtempSync(join(tmpdir(), 'hearth-languages-'))
  const data = join(work, 'data')
  const forge = await startForge({
    executable: requireBuilt(executable),
    data,
    log: join(work, 'log'),
    environment: MORE_SETTINGS,
  })
  // With the fonts of the machine: those of the page tests have no Arabic letters.
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu'],
  })
  const faults: string[] = []
  try {
    const { token, cookie } = await claim(forge)
    const { pages, stop } = await tellEverything({ url: forge.url, executable, data, work }, token)
    stop()
    if (pictures) mkdirSync(pictures, { recursive: true })
    for (const [locale, direction] of Object.entries(DIRECTIONS)) {
      const context = await browser.newContext()
      await context.addCookies(cookiesOf(`${cookie}; hearth-locale=${locale}`, forge.url))
      const page = await context.newPage()
      for (const name of all ? Object.keys(pages) : TEN)
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 900 })
          await page.goto(forge.url + (pages[name] ?? ''))
          const seen = await page.evaluate(() => ({
            width: document.documentElement.scrollWidth,
            lang: document.documentElement.lang,
            direction: getComputedStyle(document.body).direction,
          }))
          if (seen.width > width || seen.lang !== locale || seen.direction !== direction)
            faults.push(`${locale} ${name} at ${width}: ${JSON.stringify(seen)}`)
          if (pictures)
            await page.screenshot({ path: join(pictures, `${locale}-${name}-${width}.png`) })
        }
      await context.close()
    }
    process.stdout.write(`${faults.join('\n')}\n${faults.length} faults\n`)
    return faults.length === 0 ? 0 : 1
  } finally {
    await browser.close()
    await forge.kill()
    rmSync(work, { recursive: true, force: true })
  }
})
