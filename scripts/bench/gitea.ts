/**
 * Hearth beside Gitea on the same repository, issues and pull requests, in turns in one run: pages,
 * REST, git, start and memory. Prints the processor time of the whole process tree and the time that
 * the client waits, each of Hearth divided by the same of Gitea. Gitea is a program that was built
 * from its module (`scripts/support/gitea.ts`).
 */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { median } from './forge/wrk.ts'
import { fillBoth } from './gitea/content.ts'
import { type Row, rowsOf } from './gitea/rows.ts'
import { type Side, startGiteaSide, startHearthSide } from './gitea/sides.ts'
import { cpuOf, residentOf } from './git/processes.ts'
import { writeGuide } from './git/report.ts'
import { copyOf } from './git/repositories.ts'
import { EXECUTABLE, requireBuilt, ROOT } from '../support/forge.ts'
import { git } from '../support/git.ts'
import { runScript, type Option } from '../support/options.ts'

const OPTIONS = {
  gitea: { kind: 'text', default: 'gitea', help: 'The program of Gitea.' },
  source: { kind: 'text', default: '.', help: 'The folder of its module, with its templates.' },
  repo: { kind: 'text', default: ROOT, help: 'The repository, which has folders.' },
  rounds: { kind: 'count', default: '5', help: 'How often everything is measured.' },
  only: {
    kind: 'text',
    default: '',
    help: 'Only rows whose name holds one of these, with commas.',
  },
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
  'write-guide': { kind: 'flag', default: '', help: 'Writes the table into the guide.' },
} as const satisfies Record<string, Option>

/** What a forge does after its answer counts as well. */
const SETTLE_MS = 300
/** After a start, and after load, before memory is read. */
const IDLE_MS = 15_000

type Taken = { readonly cpu: number; readonly wall: number; readonly failed: number }

async function measure(side: Side, row: Row, round: number): Promise<Taken> {
  const { count, atOnce = 1 } = row
  await row.before?.(side, round)
  let next = round * count
  const end = next + count
  const used = cpuOf(side.pid)
  const startedAt = performance.now()
  let failed = 0
  const client = async (): Promise<void> => {
    while (next < end)
      try {
        await row.run(side, next++, round)
      } catch (error) {
        if (row.mayFail !== true) throw error
        failed++
      }
  }
  await Promise.all(Array.from({ length: atOnce }, client))
  const wall = (performance.now() - startedAt) / 1000
  await Bun.sleep(SETTLE_MS)
  return { wall: wall / count, cpu: (cpuOf(side.pid) - used) / count, failed }
}

const time = (seconds: number): string =>
  seconds < 0.01
    ? `${(seconds * 1000).toFixed(1)} ms`
    : seconds < 1
      ? `${(seconds * 1000).toFixed(0)} ms`
      : `${seconds.toFixed(2)} s`

const cell = (ours: number, theirs: number): string =>
  `${(ours / theirs).toFixed(2)} (${time(ours)} / ${time(theirs)})`

/** One line of the table: the medians of all rounds but the first, which warms up. */
async function race(sides: readonly [Side, Side], row: Row, rounds: number): Promise<string> {
  const taken: [Taken[], Taken[]] = [[], []]
  for (let round = 0; round <= rounds; round++)
    for (const at of [0, 1] as const) {
      const one = await measure(sides[at], row, round)
      if (round > 0) taken[at].push(one)
    }
  const middle = (at: 0 | 1, of: (one: Taken) => number): number => median(taken[at].map(of))
  const cpu = cell(
    middle(0, ({ cpu }) => cpu),
    middle(1, ({ cpu }) => cpu),
  )
  const wall = cell(
    middle(0, ({ wall }) => wall),
    middle(1, ({ wall }) => wall),
  )
  const failures = ([0, 1] as const).flatMap((at) => {
    const failed = taken[at].reduce((sum, one) => sum + one.failed, 0)
    return failed === 0 ? [] : [`${failed} of ${rounds * row.count} failed on ${sides[at].name}`]
  })
  const name = [row.name, ...failures].join('; ')
  return `| ${name} | ${cpu} | ${wall} |`
}

function memoryLine(name: string, [ours, theirs]: readonly [number, number]): string {
  return `| ${name} | ${(ours / theirs).toFixed(2)} (${ours.toFixed(0)} MiB / ${theirs.toFixed(0)} MiB) | |`
}

async function makeBare(source: string, directory: string): Promise<string> {
  const bare = join(directory, 'repository.git')
  await copyOf(resolve(source), bare)
  const branch = (await git(bare, 'symbolic-ref', '--short', 'HEAD')).trim()
  if (branch !== 'main') await git(bare, 'branch', '-f', 'main', branch)
  return bare
}

await runScript('bun scripts/bench/gitea.ts [options]', OPTIONS, async (options) => {
  const directory = mkdtempSync(join(tmpdir(), 'hearth-bench-gitea-'))
  chmodSync(directory, 0o755)
  const scratch = join(directory, 'scratch')
  mkdirSync(scratch)
  const sides: Side[] = []
  const lines: string[] = []
  const say = (line: string): void => {
    lines.push(line)
    process.stdout.write(`${line}\n`)
  }
  try {
    const hearth = await startHearthSide(
      requireBuilt(options.executable),
      join(directory, 'hearth'),
    )
    sides.push(hearth)
    const gitea = await startGiteaSide(options.gitea, options.source, join(directory, 'gitea'))
    sides.push(gitea)
    const both = [hearth, gitea] as const
    const memory = (): [number, number] => [residentOf(hearth.pid), residentOf(gitea.pid)]
    say('| | Processor time | Waiting |')
    say('| --- | --- | --- |')
    say(
      `| Start to the first answer | | ${cell(hearth.startedMs / 1000, gitea.startedMs / 1000)} |`,
    )
    await Bun.sleep(IDLE_MS)
    say(memoryLine('Memory after the start', memory()))
    const content = await fillBoth(both, await makeBare(options.repo, directory), scratch)
    const wanted = options.only.toLowerCase().split(',')
    for (const row of rowsOf(content))
      if (wanted.some((part) => row.name.toLowerCase().includes(part)))
        say(await race(both, row, Math.max(1, Number(options.rounds))))
    say(memoryLine('Memory right after all of this', memory()))
    await Bun.sleep(4 * IDLE_MS)
    say(memoryLine('Memory a minute later', memory()))
    process.stderr.write(`load of the machine: ${loadavg().map(Math.round).join(', ')}\n`)
    if (options['write-guide'] !== '') writeGuide(lines.join('\n'), 'bench-gitea')
    return 0
  } finally {
    for (const side of sides) await side.stop()
    rmSync(directory, { recursive: true, force: true })
  }
})
