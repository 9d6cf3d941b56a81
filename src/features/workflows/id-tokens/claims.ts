/** The claims of an ID token, with the names and the forms of GitHub's. */
import type { Hearth } from '#core/hearth.ts'
import type { JobPlan, JsonObject } from '#actions'
import { fullName, requireRepo } from '#features/repos/index.ts'
import type { CalledFile } from '../files/called-workflows.ts'
import { githubContext } from '../jobs/job-contexts.ts'
import type { JobRow } from '../jobs/store-jobs.ts'
import type { RunRow } from '../runs/store-runs.ts'

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Runs of the head of a pull request never count as runs of a branch. */
const isOfPull = ({ event_name }: RunRow): boolean =>
  event_name.startsWith('pull_request') && event_name !== 'pull_request_target'

/** Colons separate the parts. */
const partOf = (name: string): string => name.replaceAll('%', '%25').replaceAll(':', '%3A')

function subjectOf(run: RunRow, repository: string, environment: string | null): string {
  const context =
    environment !== null
      ? `environment:${partOf(environment)}`
      : isOfPull(run)
        ? 'pull_request'
        : `ref:${run.ref}`
  return `repo:${repository}:${context}`
}

/** The file that the job stands in, which is a called one or that of the run. */
function fileOfJob(
  hearth: Hearth,
  run: RunRow,
  { parent }: JobRow,
  github: JsonObject,
): { readonly ref: string; readonly sha: string } {
  const callees = JSON.parse(run.callees) as Record<string, CalledFile>
  const called = parent === null ? undefined : callees[parent]
  if (!called) return { ref: textOf(github.workflow_ref), sha: run.workflow_sha }
  const name = fullName(hearth.db, called.repo_id ?? run.repo_id) ?? ''
  const isElsewhere = called.repo_id !== undefined && called.repo_id !== run.repo_id
  return {
    ref: `${name}/${called.path}@${isElsewhere ? called.sha : run.ref}`,
    sha: called.sha ?? run.workflow_sha,
  }
}

/** Claims with the names and the texts of the context `github`. */
const COPIED = [
  ...['actor', 'base_ref', 'event_name', 'head_ref', 'ref', 'ref_type', 'repository'],
  ...['repository_owner', 'run_attempt', 'run_id', 'run_number', 'sha', 'workflow'],
  ...['workflow_ref', 'workflow_sha'],
]

/** Without times, issuer and audience. */
export function claimsOf(
  hearth: Hearth,
  run: RunRow,
  job: JobRow,
  plan: JobPlan & { readonly kind: 'steps' },
): Record<string, string> & { readonly sub: string } {
  const github = githubContext(hearth, run)
  const repo = requireRepo(hearth.db, run.repo_id)
  const repository = textOf(github.repository)
  const environment = plan.environment?.name ?? null
  const file = fileOfJob(hearth, run, job, github)
  return {
    sub: subjectOf(run, repository, environment),
    ...Object.fromEntries(COPIED.map((name) => [name, textOf(github[name])])),
    actor_id: run.actor_id ?? repo.workspace_id,
    job_workflow_ref: file.ref,
    job_workflow_sha: file.sha,
    ref_protected: String(github.ref_protected === true),
    repository_id: repo.id,
    repository_owner_id: repo.workspace_id,
    repository_visibility: repo.private === 0 ? 'public' : 'private',
    runner_environment: 'self-hosted',
    ...(environment === null ? {} : { environment }),
  }
}
