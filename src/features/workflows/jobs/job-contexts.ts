/** The contexts of a run and its jobs, from rows. */
import type { Hearth } from '#core/hearth.ts'
import type { JobPlan, JsonObject, NeedsContext } from '#actions'
import { actorOf } from '#features/accounts/index.ts'
import { fullNameOf, requireRepo } from '#features/repos/index.ts'
import type { JobRow } from './store-jobs.ts'
import type { RunRow } from '../runs/store-runs.ts'
import { decodePayload } from '../files/workflow-files.ts'

const shortRef = (ref: string): string => ref.replace(/^refs\/(heads|tags|pull)\//, '')

/** The context `github` of a run, without the token and without what differs between steps. */
export function githubContext(hearth: Hearth, run: RunRow): JsonObject {
  const { db, settings } = hearth
  const repo = requireRepo(db, run.repo_id)
  const full_name = fullNameOf(db, repo)
  const event = decodePayload<JsonObject>(run.payload)
  const pull = event.pull_request as { head: { ref: string }; base: { ref: string } } | undefined
  // A run that nobody started counts as started by the owner of the repository.
  const actor = actorOf(hearth, run.actor_id ?? repo.workspace_id)?.username ?? 'ghost'
  return {
    event_name: run.event_name,
    event,
    ref: run.ref,
    ref_name: shortRef(run.ref),
    ref_type: run.ref.startsWith('refs/tags/') ? 'tag' : 'branch',
    ref_protected: repo.protected === 1 && run.ref === `refs/heads/${repo.default_branch}`,
    sha: run.sha,
    head_ref: pull?.head.ref ?? '',
    base_ref: pull?.base.ref ?? '',
    actor,
    triggering_actor: actorOf(hearth, run.rerun_by)?.username ?? actor,
    repository: full_name,
    repository_owner: full_name.split('/')[0] ?? '',
    repositoryUrl: `${settings.site_url}/${full_name}.git`,
    run_id: String(run.seq),
    run_number: String(run.number),
    run_attempt: String(run.attempt),
    workflow: run.name,
    workflow_ref: `${full_name}/${run.path}@${run.ref}`,
    workflow_sha: run.workflow_sha,
    server_url: settings.site_url,
    api_url: `${settings.base_url}/v1`,
    graphql_url: `${settings.base_url}/graphql`,
    retention_days: '90',
    secret_source: run.trusted === 1 ? 'Actions' : 'None',
  }
}

/** The context `needs` of a job: results and outputs of the jobs that it names. */
export function needsContext(jobs: readonly JobRow[], job: JobRow): NeedsContext {
  const names = new Set(JSON.parse(job.needs) as string[])
  const result: Record<string, { result: string; outputs: Record<string, string> }> = {}
  // Of a matrix the worst result counts, and the outputs of the job that ended last.
  const ends = jobs
    .filter(({ parent, job_id }) => parent === job.parent && names.has(job_id))
    .toSorted((a, b) => (a.ended_as ?? 0) - (b.ended_as ?? 0))
  for (const other of ends) {
    const known = result[other.job_id]
    result[other.job_id] = {
      result: worse(known?.result, resultOf(other)),
      outputs: { ...known?.outputs, ...(JSON.parse(other.outputs) as Record<string, string>) },
    }
  }
  return result
}

/** How a job counts for others: `continue-on-error` makes a failure a success. */
function resultOf({ conclusion, plan }: JobRow): string {
  if (conclusion !== 'failure' && conclusion !== 'timed_out') return conclusion ?? 'skipped'
  const parsed = plan === null ? null : (JSON.parse(plan) as JobPlan)
  return parsed?.kind === 'steps' && parsed.continueOnError ? 'success' : 'failure'
}

const ORDER = ['failure', 'cancelled', 'success', 'skipped']

/** The result that stands for several jobs of a matrix. */
function worse(a: string | undefined, b: string): string {
  if (a === undefined) return b
  return ORDER.indexOf(a) <= ORDER.indexOf(b) ? a : b
}
