/** The variables that every step gets (the dialect's, and the same as `HEARTH_…`). */
import type { JsonObject } from '#actions'
import type { JobPaths } from '#runner'
import type { ExecutableJob } from './job-input.ts'

const GITHUB_KEYS = [
  'action',
  'action_path',
  'action_ref',
  'action_repository',
  'actor',
  'actor_id',
  'api_url',
  'base_ref',
  'event_name',
  'event_path',
  'graphql_url',
  'head_ref',
  'job',
  'ref',
  'ref_name',
  'ref_protected',
  'ref_type',
  'repository',
  'repository_id',
  'repository_owner',
  'repository_owner_id',
  'retention_days',
  'run_attempt',
  'run_id',
  'run_number',
  'server_url',
  'sha',
  'triggering_actor',
  'workflow',
  'workflow_ref',
  'workflow_sha',
  'workspace',
]

const RUNNER_KEYS = ['name', 'os', 'arch', 'temp', 'tool_cache', 'debug', 'environment']

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === null || value === undefined ? '' : String(value)

function* named(prefix: string, keys: readonly string[], values: JsonObject) {
  for (const key of keys) {
    const value = values[key]
    if (value === undefined) continue
    yield [`${prefix}_${key.toUpperCase()}`, textOf(value)] as const
  }
}

/** Variables from the contexts `github` and `runner`. */
export function standardEnvironment(
  github: JsonObject,
  runner: JsonObject,
): Record<string, string> {
  return {
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    HEARTH_ACTIONS: 'true',
    ...Object.fromEntries([
      ...named('GITHUB', GITHUB_KEYS, github),
      ...named('HEARTH', GITHUB_KEYS, github),
      ...named('RUNNER', RUNNER_KEYS, runner),
    ]),
  }
}

/** Whether the log shows what steps print with `::debug::`; the variable has GitHub's name. */
export const isDebugged = ({ contexts }: Pick<ExecutableJob, 'contexts'>): boolean =>
  contexts.vars.ACTIONS_STEP_DEBUG === 'true'

/** The context `runner`. */
export const runnerContext = (paths: JobPaths, isDebug: boolean): JsonObject => ({
  name: 'local',
  os: 'Linux',
  arch: process.arch === 'arm64' ? 'ARM64' : 'X64',
  temp: paths.temp,
  tool_cache: paths.tools,
  environment: 'self-hosted',
  ...(isDebug ? { debug: '1' } : {}),
})

/** Inputs as an action reads them. */
export const inputVariables = (inputs: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(inputs).map(([key, value]) => [
      `INPUT_${key.replaceAll(' ', '_').toUpperCase()}`,
      value,
    ]),
  )
