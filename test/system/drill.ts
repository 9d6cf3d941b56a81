/**
 * Proves that a lost disk is no lost forge. A forge under load is backed up again and again,
 * killed, and its directory destroyed; what is restored must hold every change that was
 * acknowledged before the backup began, and every repository must satisfy git.
 */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runDrill, type DrillReport } from './drill/run.ts'
import { EXECUTABLE, requireBuilt } from '../../scripts/support/forge.ts'
import { runScript, type Option } from '../../scripts/support/options.ts'

export { runDrill, type DrillReport }

const OPTIONS = {
  rounds: { kind: 'count', default: '10', help: 'How often the directory is lost.' },
  backups: {
    kind: 'count',
    default: '3',
    help: 'Backups in each round; the last one is restored.',
  },
  seed: { kind: 'count', default: '', help: 'Repeats the choices of an earlier run.' },
  contributors: { kind: 'count', default: '4', help: 'Clients that work at once.' },
  encrypted: { kind: 'flag', default: '', help: 'Encrypts the backups.' },
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
} as const satisfies Record<string, Option>

if (import.meta.main) {
  await runScript('bun test/system/drill.ts [options]', OPTIONS, async (options) => {
    const seed =
      options.seed === '' ? Math.floor(Math.random() * 1_000_000_000) : Number(options.seed)
    const directory = mkdtempSync(join(tmpdir(), 'hearth-drill-'))
    // A build that goes on beside must not change what is running.
    const executable = join(directory, 'hearth')
    copyFileSync(requireBuilt(options.executable), executable)
    process.stdout.write(`seed ${seed}\n`)
    const report = await runDrill({
      executable,
      seed,
      directory,
      rounds: Number(options.rounds),
      backups: Number(options.backups),
      contributors: Number(options.contributors),
      encrypted: options.encrypted === 'true',
      say: (line) => void process.stdout.write(`${line}\n`),
    })
    const { rounds, problems, checked, repositories, backups, seconds } = report
    process.stdout.write(
      `${rounds} directories lost and restored; ${backups} backups under load, ${seconds.backup.toFixed(1)} s each, ${seconds.restore.toFixed(1)} s to restore; ` +
        `${checked} acknowledged changes looked for, ${repositories} repositories exported and checked; ${problems.length} problems\n`,
    )
    for (const problem of problems.slice(0, 30)) process.stdout.write(`  ${problem}\n`)
    if (problems.length > 0) process.stdout.write(`everything is kept in ${directory}\n`)
    else rmSync(directory, { recursive: true, force: true })
    return problems.length === 0 ? 0 : 1
  })
}
