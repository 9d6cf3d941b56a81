/** The secrets of a job, opened when a runner takes it. */
import type { Hearth } from '#core/hearth.ts'
import { secretsOf, type JobPlan } from '#actions'
import { openSecrets } from '#features/variables/index.ts'
import { stateOf } from './schedule-jobs.ts'
import { listJobs, type JobRow } from './store-jobs.ts'
import type { RunRow } from '../runs/store-runs.ts'

type SecretScope = Parameters<typeof openSecrets>[1]

/**
 * A job of the run's own file reads the secrets that its expressions name. A job of a called
 * workflow reads those of them that its caller passes, and those of its own environment.
 */
export function secretsForJob(
  hearth: Hearth,
  run: RunRow,
  job: JobRow,
  { plan, scope }: { readonly plan: JobPlan; readonly scope: SecretScope },
): Record<string, string> {
  const named = plan.kind === 'steps' ? plan.secrets : []
  const names = named === 'all' ? null : new Set(named.map((name) => name.toUpperCase()))
  if (job.parent === null) return Object.fromEntries(openSecrets(hearth, scope, names))
  if (names?.size === 0) return {}
  const shared = openSecrets(hearth, { ...scope, environment: null }, null)
  const state = stateOf(hearth, run, listJobs(hearth.db, run.id, job.attempt))
  const passed = Object.entries(secretsOf(state, job, Object.fromEntries(shared)))
  const own = scope.environment === null ? [] : [...openSecrets(hearth, scope, names)]
  return Object.fromEntries([
    ...passed
      .map(([name, value]): [string, string] => [name.toUpperCase(), value])
      .filter(([name, value]) => value !== '' && (names === null || names.has(name))),
    ...own.filter(([name, value]) => shared.get(name) !== value),
  ])
}
