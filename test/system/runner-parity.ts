/**
 * One workflow on a real runner (Gitea's or Forgejo's, `--runner PATH`) and in the process of the built
 * executable: a matrix with artifacts, caches, secrets, ID tokens, outputs and failures gives the same
 * conclusions, steps, lines, artifacts and caches, and a cancel ends both in time.
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { claim, EXECUTABLE, OWNER, requireBuilt, startForge } from '../../scripts/support/forge.ts'
import { runScript, type Option } from '../../scripts/support/options.ts'
import { RunnerProgram } from '../../scripts/support/runner-program.ts'
import { installPackages } from './actions-clients/packages.ts'
import { FILES, ONE_SECRET, SLOW } from './runner-parity/files.ts'
import { Repository, type Outcome } from './runner-parity/repository.ts'

const OPTIONS = {
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
  runner: { kind: 'text', default: '', help: 'The program of the runner.' },
  packages: { kind: 'text', default: '', help: 'Where packages of npm are installed.' },
} as const satisfies Record<string, Option>

let failures = 0
function check(what: string, isRight: boolean, said = ''): void {
  if (!isRight) failures++
  process.stdout.write(`${isRight ? 'ok  ' : 'FAIL'} ${what}\n`)
  if (!isRight) process.stdout.write(`${said.slice(0, 4_000).replace(/^/gm, '       ')}\n`)
}

/** Registers the runner for a repository and starts it. */
async function startRunner(
  program: string,
  directory: string,
  repository: Repository,
): Promise<RunnerProgram> {
  const { token } = await repository.rest('POST', '/actions/runners', { name: 'real' })
  const folder = join(directory, 'runner')
  const runner = new RunnerProgram({ program, folder, label: 'far', capacity: 2 })
  await runner.register(repository.url, String(token))
  runner.start()
  return runner
}

function compare(far: Outcome, near: Outcome): void {
  for (const part of ['conclusions', 'steps', 'lines', 'artifacts', 'caches'] as const) {
    const [a, b] = [JSON.stringify(far[part], null, 1), JSON.stringify(near[part], null, 1)]
    check(`the same ${part}`, a === b && a.length > 10, `runner ${a}\nprocess ${b}`)
  }
  if (failures > 0) process.stdout.write(`${far.text}\n---\n${near.text}\n`)
  const isHidden = !far.text.includes(ONE_SECRET) && !near.text.includes(ONE_SECRET)
  check('no log shows the secret', isHidden)
  check('both verify their ID token', far.text.includes('RESULT subject repo:'), far.text)
}

await runScript('bun test/system/runner-parity.ts --runner PATH', OPTIONS, async (options) => {
  const directory = mkdtempSync(join(tmpdir(), 'runner-parity-'))
  // The users of jobs read it, and their own /tmp and /var/tmp lie over those of the machine.
  const shared = mkdtempSync('/srv/runner-parity-')
  chmodSync(shared, 0o755)
  const packages = await installPackages(options.packages || join(shared, 'packages'))
  const forge = await startForge({
    executable: requireBuilt(options.executable),
    data: join(directory, 'data'),
    log: join(directory, 'log'),
    environment: {
      PATH: process.env.PATH ?? '',
      HEARTH_JOBS_NETWORK: 'machine',
      HEARTH_CHECKS_READABLE: packages,
    },
  })
  const { token } = await claim(forge)
  const make = (name: string): Promise<Repository> =>
    Repository.create(forge.url, token, OWNER.workspace, name, directory)
  const [far, near] = [await make('far'), await make('near')]
  const runner = await startRunner(resolve(options.runner), directory, far)
  try {
    const outcomes: Outcome[] = []
    for (const [repository, label] of [
      [far, 'far'],
      [near, 'ubuntu-latest'],
    ] as const) {
      await repository.push(FILES(label, packages))
      outcomes.push(await repository.outcome())
    }
    const [a, b] = outcomes
    if (a && b) compare(a, b)
    for (const [repository, label] of [
      [far, 'far'],
      [near, 'ubuntu-latest'],
    ] as const) {
      await repository.push(SLOW(label))
      const seconds = await repository.cancelRunning()
      check(`a cancel ends a job with ${label} in ${seconds} s`, seconds <= 12)
    }
  } finally {
    await runner.stop()
    await forge.stop()
    rmSync(shared, { recursive: true, force: true })
  }
  const log = readFileSync(join(directory, 'log'), 'utf8').split('\n')
  const errors = log.filter((line) => line.includes('"level":"error"'))
  check('the log has no error', errors.length === 0, errors.join('\n'))
  if (failures === 0) rmSync(directory, { recursive: true, force: true })
  else process.stdout.write(`everything is kept in ${directory}\n`)
  process.stdout.write(`${failures} failures\n`)
  return failures === 0 ? 0 : 1
})
