/** The clients of the registries, with the programs that each needs. */
import { runCargo } from './cargo.ts'
import type { Client, Place } from './client.ts'
import { runComposer } from './composer.ts'
import { runContainers, runInstalledContainers } from './containers.ts'
import { runDotnet } from './dotnet.ts'
import { runGeneric } from './generic.ts'
import { runGo } from './go.ts'
import { runGradle } from './gradle.ts'
import { runJobHome } from './job-home.ts'
import { runMaven } from './maven.ts'
import { runNpm } from './npm.ts'
import { runNuget } from './nuget.ts'
import { runPypi } from './pypi.ts'
import { runRubygems } from './rubygems.ts'

export type Run = {
  readonly name: string
  readonly programs: readonly string[]
  readonly run: (place: Place) => Promise<Client | string>
}

export const RUNS: readonly Run[] = [
  { name: 'containers', programs: ['tar'], run: runContainers },
  { name: 'skopeo', programs: ['skopeo'], run: runInstalledContainers },
  { name: 'npm', programs: ['npm', 'node'], run: runNpm },
  { name: 'cargo', programs: ['cargo'], run: runCargo },
  { name: 'mvn', programs: ['mvn', 'java'], run: runMaven },
  { name: 'gradle', programs: ['gradle', 'java', 'mvn'], run: runGradle },
  { name: 'gem', programs: ['ruby', 'gem', 'bundle'], run: runRubygems },
  { name: 'composer', programs: ['composer', 'php', 'curl'], run: runComposer },
  { name: 'nuget', programs: ['mono'], run: runNuget },
  { name: 'dotnet', programs: ['npm', 'dpkg'], run: runDotnet },
  { name: 'pypi', programs: ['python3'], run: runPypi },
  { name: 'go', programs: ['go', 'git', 'openssl'], run: runGo },
  {
    name: 'job-home',
    programs: ['npm', 'cargo', 'gem', 'bundle', 'composer', 'skopeo'],
    run: runJobHome,
  },
  { name: 'generic', programs: ['curl'], run: runGeneric },
]

/** The number of failures. A client that is not installed is named; with CI in the environment it is a failure. */
export async function runOne({ name, programs, run }: Run, place: Place): Promise<number> {
  const missing = programs.filter((program) => Bun.which(program) === null)
  const result = missing.length > 0 ? `${missing.join(' and ')} not installed` : await run(place)
  if (typeof result !== 'string') return result.failures
  process.stdout.write(`${name}: left out, ${result}\n`)
  return process.env.CI ? 1 : 0
}
