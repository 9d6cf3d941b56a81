/**
 * What looking for secrets costs, in processor time: the scan of pushes of 1, 10 and 100 commits
 * beside gitleaks on the same commits, and a push with push protection beside one without, each in
 * turn. The ratio of scans is the median of the ratios of rounds; that of pushes is the ratio of the
 * sums, because the processor clock counts in steps of 10 ms, which a small push takes few of. The
 * repositories are real ones. The scan runs in one process whose expressions are compiled, as in a
 * forge; gitleaks is a process for each push, as its users run it.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { createGit } from '#git'
import { commitsOf, compareScan, type Round } from './findings/scan.ts'
import { comparePushes } from './findings/pushes.ts'
import { table } from './forge/table.ts'
import { EXECUTABLE, requireBuilt } from '../support/forge.ts'
import { OptionError, runScript, type Option } from '../support/options.ts'

const OPTIONS = {
  repos: { kind: 'text', default: '', help: 'Bare repositories, between commas.' },
  gitleaks: { kind: 'text', default: 'gitleaks', help: 'Its program.' },
  rounds: {
    kind: 'count',
    default: '7',
    help: 'Pushes of 100 commits; twice as many of 10 and five times as many of one.',
  },
  only: { kind: 'text', default: '', help: 'scan or push; both unless given.' },
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
} as const satisfies Record<string, Option>

const SIZES = [100, 10, 1]
/** The scan takes a third of the time of gitleaks, and a push at most a tenth more than without. */
const GOALS = { scan: 3, push: 1.1 }

const say = (text: string): void => void process.stdout.write(`${text}\n`)
const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/** `acme+site/repo` and `site.git` are called site. */
const nameOf = (path: string): string =>
  basename(path.replace(/\/(?:repo|\.git|repo\.git)\/?$/, '')).replace(/^.*\+|\.git$/g, '')

/** One line of a table: medians of both sides, and their ratio. */
const lineOf = (name: string, size: number, rounds: readonly Round[], ratio: number): string[] => [
  name,
  String(size),
  median(rounds.map(({ ours }) => ours)).toFixed(1),
  median(rounds.map(({ other }) => other)).toFixed(1),
  ratio.toFixed(2),
]

async function measureScans(
  repos: readonly string[],
  options: { readonly gitleaks: string; readonly rounds: number; readonly scratch: string },
): Promise<boolean> {
  const lines: string[][] = []
  let isReached = true
  for (const repo of repos) {
    const engine = createGit({
      root: dirname(repo),
      tmp: join(options.scratch, 'tmp'),
      sharedRoot: true,
      workers: 1,
    })
    const commits = await commitsOf(repo, (options.rounds + 1) * 111 + 200)
    let from = 0
    for (const size of SIZES) {
      const rounds: Round[] = []
      // The first round compiles the expressions.
      for (let round = size === SIZES[0] ? -1 : 0; round < options.rounds; round++) {
        const [tip = '', hide = ''] = [commits[from], commits[from + size]]
        from += size
        const one = await compareScan(engine, repo, { tip, hide }, options)
        if (round >= 0) rounds.push(one)
      }
      const ratio = median(rounds.map(({ ours, other }) => other / ours))
      isReached &&= ratio >= GOALS.scan
      lines.push(lineOf(nameOf(repo), size, rounds, ratio))
    }
    await engine.close()
  }
  say(table(['Scan of a push of', 'commits', 'ms', 'gitleaks ms', 'times less'], lines))
  return isReached
}

async function measurePushes(
  repos: readonly string[],
  options: { readonly executable: string; readonly rounds: number; readonly scratch: string },
): Promise<boolean> {
  const lines: string[][] = []
  let isReached = true
  for (const repo of repos) {
    const name = nameOf(repo)
    for (const { size, rounds } of await comparePushes(repo, { ...options, name, sizes: SIZES })) {
      const sum = (side: keyof Round): number => rounds.reduce((all, one) => all + one[side], 0)
      const ratio = sum('ours') / sum('other')
      isReached &&= ratio <= GOALS.push
      lines.push(lineOf(name, size, rounds, ratio))
    }
  }
  say(table(['A push of', 'commits', 'ms', 'without scanning ms', 'ratio'], lines))
  return isReached
}

await runScript(
  'bun scripts/bench/findings.ts --repos DIR,DIR [options]',
  OPTIONS,
  async (given) => {
    const repos = given.repos.split(',').flatMap((path) => (path === '' ? [] : [resolve(path)]))
    if (repos.length === 0) throw new OptionError('--repos is required')
    const scratch = mkdtempSync(join(tmpdir(), 'hearth-bench-findings-'))
    chmodSync(scratch, 0o755)
    const rounds = Math.max(1, Number(given.rounds))
    try {
      let isReached = true
      if (given.only !== 'push')
        isReached = await measureScans(repos, { gitleaks: given.gitleaks, rounds, scratch })
      if (given.only !== 'scan') {
        const executable = requireBuilt(resolve(given.executable))
        isReached = (await measurePushes(repos, { executable, rounds, scratch })) && isReached
      }
      return isReached ? 0 : 1
    } finally {
      rmSync(scratch, { recursive: true, force: true })
    }
  },
)
