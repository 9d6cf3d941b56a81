/**
 * Forty callers, people, agents and automats, through REST, tools and git, in four repositories of
 * one forge that is killed and stopped under them: with and without approvals, checks and a merge
 * queue, with rules, suggestions, reverts and a real receiver of webhooks. In the end the disk is
 * held against all that was acknowledged and against what must always be true. Prints how long
 * reads took under that load and without it; the ratio means something on a machine with nothing
 * else to do. Exits with 1 when anything is wrong.
 */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { EXECUTABLE, requireBuilt } from '../../scripts/support/forge.ts'
import { runScript, type Option } from '../../scripts/support/options.ts'
import { inWords, simulate } from './simulate/run.ts'

const OPTIONS = {
  seconds: { kind: 'count', default: '600', help: 'How long they work.' },
  seed: {
    kind: 'count',
    default: '',
    help: 'Repeats the choices of an earlier run; not how the machine schedules them.',
  },
  executable: {
    kind: 'text',
    default: EXECUTABLE,
    help: 'The built executable, of the same source as this script.',
  },
  keep: { kind: 'flag', default: '', help: 'Keeps the directory also when nothing is wrong.' },
} as const satisfies Record<string, Option>

const ms = (time: number): string => `${time.toFixed(1)} ms`

if (import.meta.main) {
  await runScript('bun test/system/simulate.ts [options]', OPTIONS, async (options) => {
    const say = (line: string): void => void process.stdout.write(`${line}\n`)
    const seed =
      options.seed === '' ? Math.floor(Math.random() * 1_000_000_000) : Number(options.seed)
    const directory = mkdtempSync(join(tmpdir(), 'hearth-simulation-'))
    // A build that goes on beside must not change what is running.
    const executable = join(directory, 'hearth')
    copyFileSync(requireBuilt(options.executable), executable)
    const report = await simulate({
      executable,
      minutes: Number(options.seconds) / 60,
      seed,
      say,
      directory,
    })
    const {
      reads: { idle, load },
      restart,
      ends,
      deliveries,
      problems,
    } = report
    say(`promised and looked for: ${inWords(report.counts)}`)
    say(
      `${ends.killed} kills, ${ends.stopped} stops, listening again after ${ms(restart.median)} (most ${ms(restart.most)})`,
    )
    say(
      `${report.merged} merged, ${report.landed} of them by the queue, ${report.moves} moves of main looked at; ${report.events} events, ${deliveries.calls} deliveries, ${deliveries.refused} refused at first`,
    )
    say(
      `reads without load: ${idle.count}, p50 ${ms(idle.p50)}, p99 ${ms(idle.p99)}; under load: ${load.count}, p50 ${ms(load.p50)}, p99 ${ms(load.p99)}`,
    )
    say(
      `p99 under load is ${(load.p99 / idle.p99).toFixed(2)} times that without (load of the machine ${loadavg()[0]?.toFixed(1)}); slowest: ${[
        ...report.slowest,
      ]
        .sort(([, a], [, b]) => b - a)
        .slice(0, 5)
        .map(([name, time]) => `${name} ${ms(time)}`)
        .join(', ')}`,
    )
    say(`${problems.length} problems`)
    for (const problem of problems.slice(0, 40)) say(`  ${problem}`)
    if (problems.length > 0 || options.keep === 'true') say(`everything is kept in ${directory}`)
    else rmSync(directory, { recursive: true, force: true })
    return problems.length === 0 ? 0 : 1
  })
}
