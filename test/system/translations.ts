/**
 * Every page of the executable in English with brackets around each translated text (`en-XA`): what
 * stands outside of brackets and comes from no user is counted by page, with the first of each.
 * `--all` prints every text.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { claim, EXECUTABLE, startForge } from '../../scripts/support/forge.ts'
import { runScript } from '../../scripts/support/options.ts'
import { untranslatedOf, type PageText } from '../tour/page-texts.ts'
import { MORE_SETTINGS, tellEverything } from '../tour/more-pages.ts'
import { OUTSIDE } from '../tour/pages.ts'

const OPTIONS = {
  executable: { help: 'the forge', default: EXECUTABLE, kind: 'text' },
  all: { help: 'every text, not only the first ones', default: '', kind: 'flag' },
} as const

/** Without `--all`: this many pages, those with the most texts first, and texts of each. */
const SHOWN = { pages: 15, texts: 3, length: 70 }

/** One line for a page with its count, and below it its texts with their places. */
function table(found: ReadonlyMap<string, readonly PageText[]>, all: boolean): string {
  const rows = [...found].sort(([, a], [, b]) => b.length - a.length)
  const lines = rows
    .slice(0, all ? rows.length : SHOWN.pages)
    .flatMap(([page, texts]) => [
      `${String(texts.length).padStart(5)}  ${page}`,
      ...texts
        .slice(0, all ? texts.length : SHOWN.texts)
        .map(({ where, text }) => `       ${where}: ${all ? text : text.slice(0, SHOWN.length)}`),
    ])
  const left = all ? 0 : Math.max(0, rows.length - SHOWN.pages)
  return [...lines, ...(left > 0 ? [`and ${left} more pages; --all prints every text`] : [])]
    .map((line) => `${line}\n`)
    .join('')
}

await runScript('bun test/system/translations.ts', OPTIONS, async ({ executable, all }) => {
  const work = mkdtempSync(join(tmpdir(), 'hearth-texts-'))
  const data = join(work, 'data')
  const log = join(work, 'log')
  const forge = await startForge({ executable, data, log, environment: MORE_SETTINGS })
  try {
    const { token, cookie } = await claim(forge)
    const told = await tellEverything({ url: forge.url, executable, data, work }, token)
    told.stop()
    const places = [
      ...Object.entries(told.pages).map(([name, path]) => ({ name, path, cookie: `${cookie}; ` })),
      ...Object.entries(OUTSIDE).map(([name, path]) => ({ name, path, cookie: '' })),
    ]
    // A text counts for the first page that shows it.
    const known = new Set<string>()
    const found = new Map<string, PageText[]>()
    for (const { name, path, cookie } of places) {
      const page = await fetch(forge.url + path, {
        headers: { cookie: `${cookie}hearth-locale=en-XA` },
      })
      const fresh: PageText[] = []
      for (const one of await untranslatedOf(await page.text())) {
        if (known.has(one.text)) continue
        known.add(one.text)
        fresh.push(one)
      }
      if (fresh.length > 0) found.set(name, fresh)
    }
    process.stdout.write(
      `${places.length} pages, ${known.size} texts without a translation\n${table(found, all !== '')}`,
    )
    return known.size === 0 ? 0 : 1
  } finally {
    await forge.kill()
    rmSync(work, { recursive: true, force: true })
  }
})
