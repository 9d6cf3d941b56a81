/**
 * Runs of workflows as ratios, both sides in turn in one run: a push that starts nothing beside the
 * same executable built without workflows (processor time of the forge), and jobs, steps and lines
 * of logs beside bash alone.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ratio, table } from './forge/table.ts'
import { Site } from './runs/site.ts'
import { EXECUTABLE, requireBuilt, ROOT } from '../support/forge.ts'
import { runScript, type Option } from '../support/options.ts'

const OPTIONS = {
  rounds: { kind: 'count', default: '9', help: 'How often everything is measured.' },
  pushes: { kind: 'count', default: '40', help: 'Pushes of a round.' },
  lines: { kind: 'count', default: '200000', help: 'Lines of the long log.' },
  only: { kind: 'text', default: '', help: 'push or jobs; both unless given.' },
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
} as const satisfies Record<string, Option>

const WARM_UP_PUSHES = 40
const JOBS = 100
const STEPS = 50

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

async function buildWithout(outfile: string): Promise<void> {
  const entry = 'scripts/bench/runs/without-workflows.ts'
  const built = Bun.spawn(
    [process.execPath, 'scripts/build.ts', '--entry', entry, '--outfile', outfile],
    { cwd: ROOT, stdout: 'ignore', stderr: 'inherit' },
  )
  if ((await built.exited) !== 0) throw new Error('it could not be built without workflows')
}

/** Milliseconds of processor time of a push: one push to each side in turn. */
async function comparePushes(
  sides: readonly [Site, Site],
  rounds: number,
  pushes: number,
): Promise<string> {
  for (let n = 0; n < WARM_UP_PUSHES; n++) for (const side of sides) await side.push()
  const used: [number, number][] = []
  for (let round = 0; round < rounds; round++) {
    const before = sides.map(({ cpuSeconds }) => cpuSeconds)
    for (let n = 0; n < pushes; n++)
      for (const side of n % 2 === 0 ? sides : sides.toReversed()) await side.push()
    const of = (at: 0 | 1): number => ((sides[at].cpuSeconds - (before[at] ?? 0)) * 1_000) / pushes
    used.push([of(0), of(1)])
  }
  const ratios = used.map(([a, b]) => a / b).toSorted((a, b) => a - b)
  return table(
    ['A push that starts nothing', 'ms', 'without workflows', 'ratio', 'from', 'to'],
    [
      [
        'processor time of the forge',
        median(used.map(([a]) => a)).toFixed(1),
        median(used.map(([, b]) => b)).toFixed(1),
        ratio(median(ratios)),
        ratio(ratios[0] ?? 0),
        ratio(ratios.at(-1) ?? 0),
      ],
    ],
  )
}

const workflow = (job: string): string => `name: Bench\non: push\njobs:\n  bench:\n${job}`
const ON = '    runs-on: ubuntu-latest\n'

/** Milliseconds of a program alone. */
async function alone(...command: readonly string[]): Promise<number> {
  const began = performance.now()
  const child = Bun.spawn([...command], { stdout: 'ignore', stderr: 'ignore' })
  if ((await child.exited) !== 0) throw new Error(`${command[0]} failed`)
  return performance.now() - began
}

const msOf = (job: { started_at: string | null; finished_at: string | null }): number =>
  Date.parse(job.finished_at ?? '') - Date.parse(job.started_at ?? '')

/** Each measure with what bash alone takes for the same. */
async function measureJobs(site: Site, rounds: number, lines: number): Promise<string> {
  const print = `seq 1 ${lines} | sed 's/$/ of a long log that a build of something large prints/'`
  const step = '      - run: "true"\n'
  const matrix = `[${Array.from({ length: JOBS }, (_, n) => n).join(', ')}]`
  const measures: [string, () => Promise<number>, () => Promise<number>][] = [
    [
      'one job of one step, pushed to ended',
      async () => (await site.run(workflow(`${ON}    steps:\n${step}`))).ms,
      () => alone('bash', '-c', 'true'),
    ],
    [
      `a further step (${STEPS} of them)`,
      async () => {
        const { jobs } = await site.run(workflow(`${ON}    steps:\n${step.repeat(STEPS)}`))
        return jobs[0] ? msOf(jobs[0]) / STEPS : 0
      },
      async () =>
        (await alone('bash', '-c', `for i in $(seq ${STEPS}); do bash -c true; done`)) / STEPS,
    ],
    [
      `${JOBS} jobs of one step`,
      async () =>
        (
          await site.run(
            workflow(`${ON}    strategy: { matrix: { n: ${matrix} } }\n    steps:\n${step}`),
          )
        ).ms,
      () => alone('bash', '-c', `for i in $(seq ${JOBS}); do bash -c true; done`),
    ],
    [
      `a log of ${lines} lines`,
      async () => {
        const text = `      - run: ${JSON.stringify(print)}\n`
        const { jobs } = await site.run(workflow(`${ON}    steps:\n${text}`))
        return jobs[0] ? msOf(jobs[0]) : 0
      },
      () => alone('bash', '-c', `${print} > /dev/null`),
    ],
  ]
  const taken = measures.map(() => ({ here: [] as number[], bash: [] as number[] }))
  // The first run reads the schema of workflow files.
  await measures[0]?.[1]()
  for (let round = 0; round < rounds; round++)
    for (const [at, [, here, bash]] of measures.entries()) {
      taken[at]?.here.push(await here())
      taken[at]?.bash.push(await bash())
    }
  return table(
    ['Behind walls', 'ms', 'bash alone', 'ratio'],
    measures.map(([name], at) => {
      const [a, b] = [median(taken[at]?.here ?? []), median(taken[at]?.bash ?? [])]
      return [name, a.toFixed(1), b.toFixed(1), ratio(a / b)]
    }),
  )
}

await runScript('bun scripts/bench/runs.ts [options]', OPTIONS, async (options) => {
  const executable = requireBuilt(options.executable)
  const directory = mkdtempSync(join(tmpdir(), 'hearth-bench-runs-'))
  const [rounds, sites] = [Number(options.rounds), [] as Site[]]
  const open = async (program: string, name: string): Promise<Site> => {
    const site = await Site.open(program, join(directory, name))
    sites.push(site)
    return site
  }
  try {
    if (options.only !== 'jobs') {
      const without = join(directory, 'without')
      await buildWithout(without)
      const sides = [await open(executable, 'a'), await open(without, 'b')] as const
      process.stdout.write(`${await comparePushes(sides, rounds, Number(options.pushes))}\n`)
    }
    if (options.only !== 'push') {
      const site = await open(executable, 'c')
      process.stdout.write(
        `${await measureJobs(site, Math.min(rounds, 5), Number(options.lines))}\n`,
      )
    }
    return 0
  } finally {
    for (const site of sites) await site.stop()
    rmSync(directory, { recursive: true, force: true })
  }
})
