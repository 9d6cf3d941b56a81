/**
 * No page has more than 100 KB of HTML, whatever texts people, agents, jobs and packages write. A
 * forge is filled with hundreds of everything and with very long texts in every place; then all pages
 * that link to each other are visited as their owner, some of each kind. The text in a field that
 * edits it counts for nothing, because the form has to send it whole; all that is around it counts.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  claim,
  EXECUTABLE,
  requireBuilt,
  startForge,
  type ForgeProcess,
} from '../../scripts/support/forge.ts'
import { runScript } from '../../scripts/support/options.ts'
import { MORE_SETTINGS, tellEverything } from '../tour/more-pages.ts'
import { crawl, type HeavyPage } from './page-sizes/crawl.ts'
import { fillLibrary } from './page-sizes/fill.ts'

const MAX_PAGE_BYTES = 100_000
const OPTIONS = {
  executable: { help: 'the forge', default: EXECUTABLE, kind: 'text' },
  each: { help: 'pages of each kind', default: '6', kind: 'count' },
  work: {
    help: 'a directory that keeps the filled forge for the next time',
    default: '',
    kind: 'text',
  },
} as const

const say = (line: string): void => void process.stdout.write(`${line}\n`)

const tell = ({ path, bytes, what, tooHeavy }: HeavyPage): void => {
  const others = tooHeavy > 1 ? ` and ${tooHeavy - 1} like it` : ''
  say(`${(bytes / 1000).toFixed(1).padStart(8)} KB  ${path.slice(0, 150)}${others}\n    ${what}`)
}

/** Who looks, and where the crawl begins. */
type Filled = { readonly cookie: string; readonly starts: readonly string[] }

async function fill(forge: ForgeProcess, executable: string, work: string): Promise<Filled> {
  const file = join(work, 'filled.json')
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Filled
  const { token, cookie } = await claim(forge)
  const hearth = { url: forge.url, executable, data: join(work, 'data'), work }
  const told = await tellEverything(hearth, token)
  told.stop()
  const library = await fillLibrary(hearth, token)
  const filled = { cookie, starts: [...library, ...Object.values(told.pages)] }
  writeFileSync(file, JSON.stringify(filled))
  return filled
}

await runScript(
  'bun test/system/page-sizes.ts',
  OPTIONS,
  async ({ executable, each, ...given }) => {
    const work = given.work || mkdtempSync(join(tmpdir(), 'hearth-sizes-'))
    mkdirSync(work, { recursive: true })
    const forge = await startForge({
      executable: requireBuilt(executable),
      data: join(work, 'data'),
      log: join(work, 'log'),
      environment: {
        ...MORE_SETTINGS,
        HEARTH_LIMITS_RATE: 'false',
        HEARTH_ACCOUNTS_SIGN_UP: 'open',
      },
    })
    try {
      const { cookie, starts } = await fill(forge, executable, work)
      const found = await crawl({
        url: forge.url,
        cookie,
        starts,
        maxBytes: MAX_PAGE_BYTES,
        perKind: Number(each),
      })
      const heavy = found.pages.filter(({ bytes }) => bytes > MAX_PAGE_BYTES)
      for (const line of found.broken) say(line)
      for (const page of heavy.length > 0 ? heavy : found.pages.slice(0, 1)) tell(page)
      say(
        `${found.visited} pages; ${heavy.length} kinds have pages above ${MAX_PAGE_BYTES / 1000} KB`,
      )
      return heavy.length + found.broken.length === 0 ? 0 : 1
    } finally {
      await forge.stop()
      if (given.work === '') rmSync(work, { recursive: true, force: true })
    }
  },
)
