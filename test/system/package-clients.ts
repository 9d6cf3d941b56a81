/**
 * The clients of the registries against the built executable: publish, publish again, install,
 * refusals and what a person sees of them, yank, search. Prints a line for each step. A client that
 * is not installed is named and left out; with CI in the environment it is a failure.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { claim, EXECUTABLE, OWNER, requireBuilt, startForge } from '../../scripts/support/forge.ts'
import { runScript, type Option } from '../../scripts/support/options.ts'
import { runCargo } from './package-clients/cargo.ts'
import type { Client, Place } from './package-clients/client.ts'
import { runComposer } from './package-clients/composer.ts'
import { runContainers } from './package-clients/containers.ts'
import { runGeneric } from './package-clients/generic.ts'
import { runGo } from './package-clients/go.ts'
import { runMaven } from './package-clients/maven.ts'
import { runNpm } from './package-clients/npm.ts'
import { runNuget } from './package-clients/nuget.ts'
import { runPypi } from './package-clients/pypi.ts'
import { runRubygems } from './package-clients/rubygems.ts'

const OPTIONS = {
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
  only: { kind: 'text', default: '', help: 'One client, such as cargo or pypi.' },
  tools: { kind: 'text', default: '', help: 'Where tools are fetched to, to be used again.' },
} as const satisfies Record<string, Option>

type Run = {
  readonly name: string
  readonly programs: readonly string[]
  readonly run: (place: Place) => Promise<Client | string>
}

const RUNS: readonly Run[] = [
  { name: 'containers', programs: ['tar'], run: runContainers },
  { name: 'npm', programs: ['npm', 'node'], run: runNpm },
  { name: 'cargo', programs: ['cargo'], run: runCargo },
  { name: 'mvn', programs: ['mvn', 'java'], run: runMaven },
  { name: 'gem', programs: ['ruby', 'gem', 'bundle'], run: runRubygems },
  { name: 'composer', programs: ['composer', 'php', 'curl'], run: runComposer },
  { name: 'nuget', programs: ['mono'], run: runNuget },
  { name: 'pypi', programs: ['python3'], run: runPypi },
  { name: 'go', programs: ['go', 'git', 'openssl'], run: runGo },
  { name: 'generic', programs: ['curl'], run: runGeneric },
]

async function runOne({ name, programs, run }: Run, place: Place): Promise<number> {
  const missing = programs.filter((program) => Bun.which(program) === null)
  const result = missing.length > 0 ? `${missing.join(' and ')} not installed` : await run(place)
  if (typeof result !== 'string') return result.failures
  process.stdout.write(`${name}: left out, ${result}\n`)
  return process.env.CI ? 1 : 0
}

await runScript('bun test/system/package-clients.ts [options]', OPTIONS, async (options) => {
  const directory = mkdtempSync(join(tmpdir(), 'package-clients-'))
  const forge = await startForge({
    executable: requireBuilt(options.executable),
    data: join(directory, 'data'),
    log: join(directory, 'log'),
  })
  let failures = 0
  try {
    const { token } = await claim(forge)
    for (const run of RUNS) {
      if (options.only !== '' && run.name !== options.only) continue
      const own = join(directory, run.name)
      const tools = options.tools === '' ? join(directory, 'tools') : options.tools
      for (const folder of [own, join(own, 'home'), tools]) mkdirSync(folder, { recursive: true })
      const place = { url: forge.url, workspace: OWNER.workspace, token, directory: own, tools }
      failures += await runOne(run, place)
    }
  } finally {
    await forge.stop()
    const faults = (await Bun.file(join(directory, 'log')).text())
      .split('\n')
      .filter((line) => line.includes('"level":"error"'))
    failures += faults.length
    for (const line of faults.slice(0, 10)) process.stdout.write(`FAIL the log: ${line}\n`)
    rmSync(directory, { recursive: true, force: true })
  }
  process.stdout.write(`${failures} failures\n`)
  return failures === 0 ? 0 : 1
})
