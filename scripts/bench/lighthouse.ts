/**
 * Lighthouse on the main pages of the executable: performance, accessibility and best practices, as
 * on a phone (and as on a desk with `--desktop true`). What is below 100 is told with its reason.
 * Fetches Lighthouse into a temporary directory unless `--lighthouse` names one that has it.
 */
import { CHROMIUM } from '../support/chromium.ts'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { claim, EXECUTABLE, requireBuilt, startForge } from '../support/forge.ts'
import { fetchTool } from '../support/npm.ts'
import { OptionError, runScript } from '../support/options.ts'
import { MAIN, OUTSIDE, pagesOf } from '../../test/tour/pages.ts'
import { tellStory } from '../../test/tour/story.ts'

const VERSION = '12.8.2'
const OPTIONS = {
  executable: { help: 'the forge', default: EXECUTABLE, kind: 'text' },
  lighthouse: { help: 'a directory with node_modules/lighthouse', default: '', kind: 'text' },
  chromium: {
    help: 'the browser',
    default: CHROMIUM,
    kind: 'text',
  },
  pages: { help: 'names of pages, with commas between', default: '', kind: 'text' },
  desktop: { help: 'as on a desk, not as on a phone', default: '', kind: 'flag' },
  runs: {
    help: 'the best of so many runs of a page counts, for a busy machine',
    default: '2',
    kind: 'count',
  },
} as const

type Audit = {
  title: string
  score: number | null
  displayValue?: string
  details?: { items?: unknown[] }
}
type Report = {
  categories: Record<string, { score: number | null; auditRefs: { id: string; weight: number }[] }>
  audits: Record<string, Audit>
  runtimeError?: { message: string }
}
const CATEGORIES = ['performance', 'accessibility', 'best-practices'] as const

const percent = (report: Report, category: string): number =>
  Math.round((report.categories[category]?.score ?? 0) * 100)
const sum = (report: Report): number =>
  CATEGORIES.reduce((total, category) => total + percent(report, category), 0)

/** Audits that took something from a category, with what they say. */
function faults(report: Report): string[] {
  return CATEGORIES.filter((category) => percent(report, category) < 100).flatMap((category) =>
    (report.categories[category]?.auditRefs ?? []).flatMap(({ id, weight }) => {
      const audit = report.audits[id]
      if (!audit || weight === 0 || audit.score === null || audit.score >= 0.995) return []
      return [
        `    ${category}: ${id} ${audit.displayValue ?? audit.title} ${JSON.stringify(audit.details?.items?.slice(0, 2) ?? []).slice(0, 300)}`,
      ]
    }),
  )
}

await runScript(
  'bun scripts/bench/lighthouse.ts',
  OPTIONS,
  async ({ executable, lighthouse, chromium, pages, desktop, runs }) => {
    const work = mkdtempSync(join(tmpdir(), 'hearth-lighthouse-'))
    try {
      const tool = join(
        lighthouse || (await fetchTool(work, `lighthouse@${VERSION}`)),
        'node_modules/lighthouse/cli/index.js',
      )
      if (!existsSync(tool)) throw new OptionError(`there is no ${tool}`)
      const forge = await startForge({
        executable: requireBuilt(executable),
        data: join(work, 'data'),
        log: join(work, 'log'),
      })
      try {
        const { token, cookie } = await claim(forge)
        const inside = pagesOf(await tellStory(forge.url, token))
        const known: Record<string, string> = { ...inside, ...OUTSIDE }
        const wanted =
          pages === '' ? [...MAIN, 'visitor-start', 'visitor-repo', 'sign-in'] : pages.split(',')
        const look = async (path: string, signed: boolean, again = 3): Promise<Report> => {
          const command = [
            'node',
            tool,
            `${forge.url}${path}`,
            '--quiet',
            '--output=json',
            `--only-categories=${CATEGORIES.join(',')}`,
            '--chrome-flags=--headless=new --no-sandbox --disable-gpu',
            ...(signed ? [`--extra-headers=${JSON.stringify({ Cookie: cookie })}`] : []),
            ...(desktop ? ['--preset=desktop'] : []),
          ]
          const child = Bun.spawn(command, {
            env: { PATH: process.env.PATH ?? '', HOME: work, CHROME_PATH: chromium },
            stdout: 'pipe',
            stderr: 'pipe',
          })
          const [out, error] = await Promise.all([
            new Response(child.stdout).text(),
            new Response(child.stderr).text(),
          ])
          if ((await child.exited) !== 0) {
            // On a busy machine the browser now and then records nothing at all.
            if (again > 0 && /NO_NAVSTART|NO_FCP|TRACING|PROTOCOL_TIMEOUT/.test(error))
              return look(path, signed, again - 1)
            throw new Error(`lighthouse on ${path}: ${error}`)
          }
          return JSON.parse(out) as Report
        }
        let bad = 0
        for (const name of wanted) {
          const path = known[name]
          if (path === undefined) throw new OptionError(`there is no page ${name}`)
          let best: Report | null = null
          for (let run = 0; run < Math.max(1, Number(runs)) && (!best || sum(best) < 300); run++) {
            const report = await look(path, name in inside)
            if (report.runtimeError) throw new Error(`${name}: ${report.runtimeError.message}`)
            if (!best || sum(report) > sum(best)) best = report
          }
          if (!best) continue
          const found = sum(best) < 300 ? faults(best) : []
          if (sum(best) < 300) bad++
          process.stdout.write(
            `${name.padEnd(20)} ${CATEGORIES.map((category) => `${category} ${String(best ? percent(best, category) : 0).padStart(3)}`).join('  ')}\n${found.map((line) => `${line}\n`).join('')}`,
          )
        }
        process.stdout.write(
          bad === 0
            ? `all ${wanted.length} pages have 100 in each\n`
            : `${bad} of ${wanted.length} pages are below 100\n`,
        )
        return bad === 0 ? 0 : 1
      } finally {
        await forge.kill()
      }
    } finally {
      rmSync(work, { recursive: true, force: true })
    }
  },
)
