/**
 * Proves that refs are linearizable: many clients push to the same few refs at once, one or several
 * in a push, atomic or not, making, moving and deleting them, while the forge is killed under them.
 * What they did and saw must be possible one push at a time.
 */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inWords, runRace } from './race/run.ts'
import { EXECUTABLE, requireBuilt } from '../../scripts/support/forge.ts'
import { runScript, type Option } from '../../scripts/support/options.ts'

const OPTIONS = {
  racers: { kind: 'count', default: '8', help: 'Clients.' },
  refs: { kind: 'count', default: '4', help: 'Refs that all of them move.' },
  lives: {
    kind: 'count',
    default: '20',
    help: 'Lives of the forge; each but the last ends by kill -9.',
  },
  length: { kind: 'count', default: '2000', help: 'Milliseconds of a life.' },
  seed: {
    kind: 'count',
    default: '',
    help: 'Repeats the choices of an earlier run; not how the machine schedules them.',
  },
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
} as const satisfies Record<string, Option>

await runScript('bun test/system/git-race.ts [options]', OPTIONS, async (options) => {
  const seed =
    options.seed === '' ? Math.floor(Math.random() * 1_000_000_000) : Number(options.seed)
  const directory = mkdtempSync(join(tmpdir(), 'hearth-race-of-'))
  // A build that goes on beside must not change what is running.
  const executable = join(directory, 'hearth')
  copyFileSync(requireBuilt(options.executable), executable)
  process.stdout.write(`seed ${seed}\n`)
  try {
    const report = await runRace({
      executable,
      seed,
      racers: Number(options.racers),
      refs: Number(options.refs),
      lives: Number(options.lives),
      length: Number(options.length),
      say: (line) => void process.stdout.write(`${line}\n`),
    })
    const { problems, steps } = report
    process.stdout.write(
      `${inWords(report)}; an order was found in ${steps} steps; ${problems.length} problems\n`,
    )
    for (const problem of problems) process.stdout.write(`  ${problem.slice(0, 4000)}\n`)
    return problems.length === 0 ? 0 : 1
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})
