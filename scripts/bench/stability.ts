/**
 * Whether a forge stays as it is: idle, under a steady load, and at rest again, with what it holds
 * of the machine looked at every few seconds. Memory, file descriptors, threads and files below
 * `tmp` must not grow with the time; the database, repositories and the log grow with what is
 * written, so these are shown for each write. The load runs workflows, publishes packages and has a
 * webhook for everything. Settings in the environment hold for the forge, so that it can make its
 * backups in a bucket meanwhile: `HEARTH_BACKUPS_TO=s3://bucket/folder HEARTH_BACKUPS_EVERY=10m`.
 * Exits with 1 when something grows that should not.
 */
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { SteadyLoad } from './forge/steady-load.ts'
import { SERVICE_ENVIRONMENT, Services } from './forge/services.ts'
import { makeSetting, type Setting } from './forge/setting.ts'
import { table } from './forge/table.ts'
import { slopeAnHour, vitalsOf, type Vitals } from './forge/vitals.ts'
import { median } from './forge/wrk.ts'
import { EXECUTABLE, requireBuilt } from '../support/forge.ts'
import { runScript, type Option } from '../support/options.ts'

const OPTIONS = {
  minutes: {
    kind: 'count',
    default: '60',
    help: 'How long in all: a fifth idle, three fifths under load, a fifth at rest.',
  },
  idle: { kind: 'count', default: '0', help: 'Minutes idle instead of a fifth.' },
  load: { kind: 'count', default: '0', help: 'Minutes under load instead of three fifths.' },
  rest: { kind: 'count', default: '0', help: 'Minutes at rest instead of a fifth.' },
  pace: {
    kind: 'count',
    default: '4',
    help: 'Rounds a second under load; a round is four to ten requests.',
  },
  budget: {
    kind: 'count',
    default: '48',
    help: 'MiB for what the git engine keeps in memory: small, so that it is full early and what grows then is something else. 0 is as it comes.',
  },
  every: { kind: 'count', default: '5', help: 'Seconds between two looks.' },
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
  samples: { kind: 'text', default: '', help: 'A file for all samples, as lines of JSON.' },
} as const satisfies Record<string, Option>

type Phase = { readonly name: string; readonly samples: Vitals[] }

/**
 * Memory goes up and down with collections of garbage; what counts is whether its floor in the last
 * third of the load lies above that in the middle one.
 */
const MOST_GROWTH = 0.2
/** MiB. Its file keeps the size that it once had; what counts is whether it goes on growing. */
const MOST_LOG_GROWTH = 16
/** Connections that are just open, and files that are just read. */
const SPARE_FDS = 24

const middle = (samples: readonly Vitals[], of: (one: Vitals) => number): number =>
  samples.length === 0 ? 0 : median(samples.map(of))
const part = <T>(items: readonly T[], from: number, to: number): T[] =>
  items.slice(Math.floor(items.length * from), Math.ceil(items.length * to))

/** What grew that should not have; empty when nothing did. */
export function growthOf(
  load: readonly Vitals[],
  idle: readonly Vitals[],
  rest: readonly Vitals[],
): string[] {
  const wrong: string[] = []
  const floor = (samples: readonly Vitals[]): number => Math.min(...samples.map(({ own }) => own))
  const [before, after] = [floor(part(load, 1 / 3, 2 / 3)), floor(part(load, 2 / 3, 1))]
  if (after > before * (1 + MOST_GROWTH))
    wrong.push(
      `the floor of memory under load grew from ${before.toFixed(1)} to ${after.toFixed(1)} MiB between the middle third and the last`,
    )
  const last = rest.at(-1)
  const first = idle.at(-1)
  if (!last || !first) return [...wrong, 'there are no samples']
  if (last.fds > first.fds + SPARE_FDS)
    wrong.push(`${last.fds} file descriptors at rest, ${first.fds} before the load`)
  if (last.threads > first.threads + 4)
    wrong.push(`${last.threads} threads at rest, ${first.threads} before the load`)
  if (last.tmp_files > first.tmp_files)
    wrong.push(`${last.tmp_files} files below tmp at rest, ${first.tmp_files} before the load`)
  const [log, longer] = [
    Math.max(...part(load, 1 / 3, 2 / 3).map(({ wal }) => wal)),
    Math.max(...part(load, 2 / 3, 1).map(({ wal }) => wal)),
  ]
  if (longer > log + MOST_LOG_GROWTH)
    wrong.push(
      `the write-ahead log grew from ${log.toFixed(1)} to ${longer.toFixed(1)} MiB between the middle third and the last`,
    )
  return wrong
}

const settingsOf = (environment: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      name.startsWith('HEARTH_') && value !== undefined ? [[name, value]] : [],
    ),
  )

/** How many backups there are now. */
async function countBackups({ forge, token }: Pick<Setting, 'forge' | 'token'>): Promise<number> {
  const response = await fetch(`${forge.url}/api/v1/admin/backups`, {
    headers: { authorization: `Bearer ${token}` },
  })
  if (!response.ok) throw new Error(`the list of backups answered ${response.status}`)
  return ((await response.json()) as unknown[]).length
}

function report(phases: readonly Phase[]): string {
  const rows = phases.map(({ name, samples }) => {
    const [first, last] = [samples[0], samples.at(-1)]
    if (!first || !last) return [name]
    const minutes = (last.at - first.at) / 60_000
    const most = (of: (one: Vitals) => number): string => Math.max(...samples.map(of)).toFixed(0)
    return [
      name,
      minutes.toFixed(1),
      middle(samples, ({ resident }) => resident).toFixed(1),
      most(({ resident }) => resident),
      middle(samples, ({ own }) => own).toFixed(1),
      middle(samples, ({ heap }) => heap).toFixed(1),
      slopeAnHour(part(samples, 1 / 3, 1), ({ own }) => own).toFixed(1),
      ((100 * (last.cpu - first.cpu)) / (minutes * 60)).toFixed(2),
      `${first.fds} ${most(({ fds }) => fds)} ${last.fds}`,
      `${first.threads} ${last.threads}`,
      `${first.tmp_files} ${most(({ tmp_files }) => tmp_files)} ${last.tmp_files}`,
      most(({ wal }) => wal),
      `${first.database.toFixed(1)} ${last.database.toFixed(1)}`,
      `${first.repos.toFixed(1)} ${last.repos.toFixed(1)}`,
      `${first.repo_files} ${last.repo_files}`,
      `${first.other.toFixed(1)} ${last.other.toFixed(1)}`,
    ]
  })
  return table(
    [
      '',
      'minutes',
      'resident',
      'most',
      'own',
      'heap',
      'own +/h',
      'cpu %',
      'fds',
      'threads',
      'tmp files',
      'wal',
      'database',
      'repos',
      'its files',
      'rest of data',
    ],
    rows,
  )
}

if (import.meta.main) {
  await runScript('bun scripts/bench/stability.ts [options]', OPTIONS, async (options) => {
    const say = (text: string): void => void process.stdout.write(`${text}\n`)
    const directory = mkdtempSync(join(tmpdir(), 'hearth-stability-'))
    const executable = join(directory, 'hearth')
    copyFileSync(requireBuilt(options.executable), executable)
    const lengthMs = (minutes: string, fifths: number): number =>
      (Number(minutes) || (fifths * Number(options.minutes)) / 5) * 60_000
    const { forge, ...rest } = await makeSetting(executable, join(directory, 'forge'), {
      ...SERVICE_ENVIRONMENT,
      ...settingsOf(process.env),
      ...(options.budget === '0' ? {} : { HEARTH_GIT_MEMORY_BUDGET: `${options.budget}MiB` }),
    })
    const services = await Services.start({ forge, ...rest })
    const [data, log] = [join(directory, 'forge', 'data'), join(directory, 'forge', 'serve.log')]
    const phases: Phase[] = []
    const look = async (): Promise<Vitals> => {
      const metrics = await (
        await fetch(`${forge.url}/metrics`, { headers: { authorization: `Bearer ${rest.token}` } })
      ).text()
      return vitalsOf(forge.pid, data, log, metrics)
    }
    const watch = async (name: string, length: number): Promise<void> => {
      const phase: Phase = { name, samples: [] }
      phases.push(phase)
      const until = performance.now() + length
      do {
        phase.samples.push(await look())
        await Bun.sleep(
          Math.min(Number(options.every) * 1000, Math.max(1, until - performance.now())),
        )
      } while (performance.now() < until)
      phase.samples.push(await look())
      if (options.samples !== '')
        writeFileSync(
          options.samples,
          phases
            .flatMap((one) =>
              one.samples.map((sample) => `${JSON.stringify({ phase: one.name, ...sample })}\n`),
            )
            .join(''),
        )
    }
    try {
      say(
        `${availableParallelism()} cores, load of the machine ${loadavg()[0]?.toFixed(1)}; sizes in MiB; of three numbers the first, the most and the last`,
      )
      await watch('idle', lengthMs(options.idle, 1))
      const load = new SteadyLoad({ forge, ...rest }, join(directory, 'clones'), services)
      const work = load.run(Number(options.pace))
      await watch('load', lengthMs(options.load, 3))
      load.end()
      await work
      await watch('rest', lengthMs(options.rest, 1))
      say(report(phases))
      const { requests, writes, clones, merges, failures } = load.counts
      const [idle, loaded, rested] = phases.map(({ samples }) => samples)
      const [first, last] = [loaded?.[0], loaded?.at(-1)]
      if (first && last && writes > 0) {
        const kib = (of: (one: Vitals) => number, by: number): string =>
          ((1024 * (of(last) - of(first))) / by).toFixed(2)
        say(
          `${requests} requests, ${writes} writes, ${merges} merges, ${clones} clones; KiB of database a write ${kib(({ database }) => database, writes)}, of log a request ${kib((one) => one.log, requests)}, of repositories a merge ${kib(({ repos }) => repos, Math.max(1, merges))}`,
        )
      }
      const { deliveries, runs, packages } = services.counts
      const backups = await countBackups({ forge, token: rest.token })
      say(
        `${runs} runs of workflows, ${packages} packages, ${deliveries} deliveries of webhooks, ${backups} backups`,
      )
      for (const [what, count] of failures) say(`failed ${count} times: ${what}`)
      const wrong = growthOf(loaded ?? [], idle ?? [], rested ?? [])
      for (const line of wrong) say(`grows: ${line}`)
      if (failures.size === 0 && wrong.length === 0) say('nothing grows that should not')
      return failures.size === 0 && wrong.length === 0 ? 0 : 1
    } finally {
      await services.stop()
      await forge.stop()
      rmSync(directory, { recursive: true, force: true })
    }
  })
}
