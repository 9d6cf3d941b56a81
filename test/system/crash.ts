/**
 * Proves that what the forge acknowledged is there after a crash. `--how kill` ends the process at
 * random moments; `--how power` cuts the power as well: everything that was never synced is lost.
 * Prints the seed, which decides about the moments and the clients' choices (not about how the
 * machine schedules them).
 */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { whyNoPowerCut } from './crash/machine.ts'
import { inWords, runCrashes, type CrashOptions, type CrashReport } from './crash/run.ts'
import { EXECUTABLE, requireBuilt } from '../../scripts/support/forge.ts'
import { OptionError, runScript, type Option } from '../../scripts/support/options.ts'

export { runCrashes, whyNoPowerCut, type CrashOptions, type CrashReport }

const OPTIONS = {
  how: { kind: 'text', default: 'both', help: 'What is done to it: kill, power or both.' },
  kills: { kind: 'count', default: '200', help: 'Rounds of kill -9.' },
  cuts: { kind: 'count', default: '30', help: 'Rounds of power cuts.' },
  seed: { kind: 'count', default: '', help: 'Repeats the choices of an earlier run.' },
  contributors: { kind: 'count', default: '4', help: 'Clients that work at once.' },
  racers: { kind: 'count', default: '2', help: 'Clients that push to the same refs at once.' },
  length: {
    kind: 'count',
    default: '2000',
    help: 'Milliseconds of a round at most; more where the machine is slow.',
  },
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
} as const satisfies Record<string, Option>

function tell(
  how: string,
  {
    rounds,
    whileStarting,
    maintained,
    races,
    imported,
    acknowledged,
    least,
    restart,
    problems,
    directory,
  }: CrashReport,
): boolean {
  process.stdout.write(
    `${how}: ${rounds} rounds, ${whileStarting} more cuts during a start, ${maintained} stores packed together meanwhile; ` +
      `${races.moved} moves of refs that several push to, ${races.refused} refused; ${imported} imports; ` +
      `acknowledged: ${inWords(acknowledged)} (at least ${least} by each client); ` +
      `listening again after ${Math.round(restart.median)} ms (most ${Math.round(restart.most)} ms); ${problems.length} problems\n`,
  )
  for (const problem of problems.slice(0, 30)) process.stdout.write(`  ${problem}\n`)
  if (problems.length > 0) process.stdout.write(`everything is kept in ${directory}\n`)
  return problems.length === 0
}

if (import.meta.main) {
  await runScript('bun test/system/crash.ts [options]', OPTIONS, async (options) => {
    if (!['kill', 'power', 'both'].includes(options.how))
      throw new OptionError(`--how takes kill, power or both, not ${options.how}`)
    const seed =
      options.seed === '' ? Math.floor(Math.random() * 1_000_000_000) : Number(options.seed)
    const built = requireBuilt(options.executable)
    // A build that goes on beside must not change what is running.
    const directory = mkdtempSync(join(tmpdir(), 'hearth-crash-'))
    const executable = join(directory, 'hearth')
    copyFileSync(built, executable)
    process.stdout.write(`seed ${seed}\n`)
    const say = (line: string): void => void process.stdout.write(`${line}\n`)
    const common = {
      executable,
      seed,
      contributors: Number(options.contributors),
      racers: Number(options.racers),
      length: [300, Math.max(301, Number(options.length))] as const,
      say,
    }
    let good = true
    try {
      if (options.how !== 'power')
        good =
          tell(
            'kill',
            await runCrashes({ ...common, how: 'kill', rounds: Number(options.kills) }),
          ) && good
      if (options.how !== 'kill') {
        const why = await whyNoPowerCut(directory)
        if (why !== null) process.stdout.write(`power cuts left out: ${why}\n`)
        else
          good =
            tell(
              'power',
              await runCrashes({ ...common, how: 'power', rounds: Number(options.cuts) }),
            ) && good
      }
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
    return good ? 0 : 1
  })
}
