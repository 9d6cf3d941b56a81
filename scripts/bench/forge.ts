/**
 * Measures the built executable: requests a second beside a bare route that answers the same bytes
 * and beside a bare insert, interleaved in one run; the time to the first answer; and resident
 * memory, with where it goes. Ratios mean more than rates, because both sides ran on the same
 * machine in the same minutes, and processor time more than both where others use it too.
 */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { footprint } from './forge/footprint.ts'
import { speed } from './forge/speed.ts'
import { startTimes } from './forge/start.ts'
import { EXECUTABLE, requireBuilt } from '../support/forge.ts'
import { OptionError, runScript, type Option } from '../support/options.ts'

const PARTS = ['start', 'memory', 'speed']

const OPTIONS = {
  rounds: {
    kind: 'count',
    default: '5',
    help: 'How often everything is measured; medians are shown.',
  },
  seconds: { kind: 'count', default: '3', help: 'How long one measurement takes.' },
  connections: { kind: 'count', default: '16', help: 'Clients at once for reads.' },
  writers: { kind: 'count', default: '32', help: 'Clients at once for writes.' },
  idle: { kind: 'count', default: '30', help: 'Seconds of rest before memory is read again.' },
  only: { kind: 'text', default: '', help: `One of ${PARTS.join(', ')}; all unless given.` },
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
} as const satisfies Record<string, Option>

await runScript('bun scripts/bench/forge.ts [options]', OPTIONS, async (options) => {
  const { only } = options
  if (only !== '' && !PARTS.includes(only))
    throw new OptionError(`--only takes ${PARTS.join(', ')}, not ${only}`)
  const built = requireBuilt(options.executable)
  const [rounds, idle] = [Number(options.rounds), Number(options.idle)]
  const [connections, writers] = [Number(options.connections), Number(options.writers)]
  const directory = mkdtempSync(join(tmpdir(), 'hearth-bench-'))
  // A build that goes on beside must not change what is measured.
  const executable = join(directory, 'hearth')
  copyFileSync(built, executable)
  const wanted = (part: string): boolean => only === '' || only === part
  const say = (text: string): void => void process.stdout.write(`${text}\n`)
  try {
    say(
      `${availableParallelism()} cores; ${rounds} rounds of ${options.seconds} s; ${connections} clients for reads, ${writers} for writes\n`,
    )
    if (wanted('start')) say(await startTimes(executable, directory, Math.max(3, rounds)))
    if (wanted('memory')) say(await footprint(executable, directory, idle))
    if (wanted('speed'))
      say(
        await speed(executable, directory, {
          rounds,
          seconds: Number(options.seconds),
          connections,
          writers,
          idle,
        }),
      )
    return 0
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})
