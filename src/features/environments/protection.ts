/**
 * The protection of environments: the gate that jobs with `environment:` pass before a runner may
 * take them. Rows hold everything, so a restart changes nothing.
 */
import { compilePatterns } from '#actions'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { typeId } from '#core/ids.ts'
import { handler } from '#core/events.ts'
import { job } from '#core/jobs.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { branchOf, deployHolds, deployHoldsChanged, repoById } from '#features/repos/index.ts'
import {
  findJob,
  jobChanged,
  requestScheduling,
  type JobGate,
  type JobHold,
} from '#features/workflows/index.ts'
import { DAY, MINUTE, timestamp } from '#lib/time.ts'
import { deploymentWaiting } from './events.ts'
import { reviewerIds, reviewerNames } from './reviewers.ts'
import { MAX_ENVIRONMENTS, MAX_NAME_CHARS } from './schema.ts'
import {
  closeDeployment,
  countEnvironments,
  deactivateEarlier,
  findEnvironment,
  findEnvironmentById,
  findOpenDeployment,
  insertDeployment,
  insertEnvironment,
  listReviewRows,
  listRunsOfWaiting,
  setDeploymentState,
  type DeploymentRow,
  type EnvironmentRow,
} from './store.ts'

type About = Parameters<JobGate>[1]

/** A deployment that nobody approved for so long ends. */
export const APPROVAL_DAYS = 30
const MAX_URL_CHARS = 1_024

export const environmentGate: JobGate = (tx, about) => {
  const { plan, job: row } = about
  if (plan.kind !== 'steps' || plan.environment === null) return null
  const open = findOpenDeployment(tx.db, row.id)
  if (open) return holdOf(tx, open)
  const { name } = plan.environment
  if (name.length > MAX_NAME_CHARS || /\p{Cc}/u.test(name))
    return { refused: `The name of its environment has more than ${MAX_NAME_CHARS} characters` }
  const environment = findEnvironment(tx.db, row.repo_id, name) ?? newEnvironment(tx, about, name)
  // A change from outside gets nothing from an environment, and makes none.
  if (environment === null) return null
  if ('refused' in environment) return environment
  const refused = refusedBranch(environment, about.run.ref)
  return refused === null ? begin(tx, about, environment) : { refused }
}

/** Like other forges, a job may name an environment that nobody has set up. */
function newEnvironment(
  tx: Tx,
  { run, job: row }: About,
  name: string,
): EnvironmentRow | { refused: string } | null {
  if (run.trusted === 0) return null
  if (countEnvironments(tx.db, row.repo_id) >= MAX_ENVIRONMENTS)
    return { refused: `There are ${MAX_ENVIRONMENTS} environments, which is the most: delete one` }
  const environment: EnvironmentRow = {
    id: typeId('env', tx.now_ms),
    repo_id: row.repo_id,
    name,
    reviewers: '[]',
    wait_minutes: 0,
    branches: '[]',
    prevent_self_review: 1,
    created_at: tx.now,
    updated_at: tx.now,
  }
  insertEnvironment(tx, environment)
  return environment
}

/** Patterns name branches. One that begins with `refs/` is for the whole name of a ref. */
function refusedBranch({ name, branches }: EnvironmentRow, ref: string): string | null {
  const patterns = JSON.parse(branches) as string[]
  if (patterns.length === 0) return null
  const isWhole = (pattern: string) => pattern.replace(/^!/, '').startsWith('refs/')
  const whole = patterns.filter(isWhole)
  const short = patterns.filter((pattern) => !isWhole(pattern))
  const branch = branchOf(ref)
  const isAllowed =
    (branch !== null && short.length > 0 && compilePatterns(short)(branch)) ||
    (whole.length > 0 && compilePatterns(whole)(ref))
  return isAllowed
    ? null
    : `${branch ?? ref} may not deploy to ${name}, which takes ${patterns.join(', ')}`
}

/** Records the deployment of a job, and asks its reviewers. */
function begin(tx: Tx, { run, job: row }: About, environment: EnvironmentRow): JobHold | null {
  const deployment: DeploymentRow = {
    id: typeId('dpl', tx.now_ms),
    repo_id: row.repo_id,
    environment_id: environment.id,
    environment: environment.name,
    run_id: run.id,
    job_id: row.id,
    job: row.name,
    ref: run.ref,
    sha: run.head_sha,
    state: 'waiting',
    is_open: 1,
    reason: null,
    creator_id: run.rerun_by ?? run.actor_id,
    url: null,
    created_at: tx.now,
    updated_at: tx.now,
  }
  insertDeployment(tx, deployment)
  const hold = holdOf(tx, deployment)
  const repo = repoById(tx.db, row.repo_id)
  if (repo && needsApproval(tx.hearth, tx.db, environment, deployment))
    tx.append(
      deploymentWaiting,
      { workspace_id: repo.workspace_id, repo_id: repo.id },
      {
        deployment: deployment.id,
        environment: environment.name,
        run_id: run.id,
        job_id: row.id,
        job: row.name,
        ref: run.ref,
        sha: run.head_sha,
        reviewers: reviewerNames(tx.hearth, environment),
      },
      { actor_id: deployment.creator_id },
    )
  return hold
}

/** Why deployments to an environment without reviewers wait for an administrator; null for none. */
export function findHold(hearth: Hearth, db: Db, environment: EnvironmentRow): string | null {
  if (reviewerIds(environment).length > 0) return null
  for (const read of deployHolds.all(hearth)) {
    const reason = read(db, environment.repo_id)
    if (reason !== null) return reason
  }
  return null
}

/** Whether a deployment still needs an approval, by the protection of today. */
export const needsApproval = (
  hearth: Hearth,
  db: Db,
  environment: EnvironmentRow,
  deployment: Pick<DeploymentRow, 'id'>,
): boolean =>
  (reviewerIds(environment).length > 0 || findHold(hearth, db, environment) !== null) &&
  !listReviewRows(db, [deployment.id]).some(({ verdict }) => verdict === 'approve')

const timerEnd = ({ wait_minutes }: EnvironmentRow, { created_at }: DeploymentRow): number =>
  Date.parse(created_at) + wait_minutes * MINUTE

/** What a deployment waits for in words; null when it may begin. */
export function waitOf(
  hearth: Hearth,
  db: Db,
  environment: EnvironmentRow,
  deployment: DeploymentRow,
): string | null {
  const { name } = environment
  if (needsApproval(hearth, db, environment, deployment)) {
    const hold = findHold(hearth, db, environment)
    if (hold !== null) return `Waits for approval of an administrator to deploy to ${name}: ${hold}`
    const names = reviewerNames(hearth, environment)
    return names.length === 0
      ? `Waits for approval to deploy to ${name}, but all reviewers are gone: choose others`
      : `Waits for approval of ${names.join(' or ')} to deploy to ${name}`
  }
  const until = timerEnd(environment, deployment)
  if (until <= hearth.clock.now()) return null
  return `Waits until ${timestamp(until).slice(0, 16).replace('T', ' ')} UTC to deploy to ${name}`
}

/** What an open deployment waits for, with the protection of today. */
function holdOf(tx: Tx, deployment: DeploymentRow): JobHold | null {
  const { environment: name, id, created_at } = deployment
  if (deployment.state === 'rejected')
    return { refused: deployment.reason ?? `The deployment to ${name} was rejected` }
  const environment =
    deployment.environment_id === null
      ? null
      : findEnvironmentById(tx.db, deployment.environment_id)
  if (environment === null) return { refused: `The environment ${name} was deleted` }
  const reason = waitOf(tx.hearth, tx.db, environment, deployment)
  if (reason === null) return null
  if (needsApproval(tx.hearth, tx.db, environment, deployment)) {
    if (Date.parse(created_at) + APPROVAL_DAYS * DAY <= tx.now_ms) {
      const refused = `Nobody approved the deployment to ${name} within ${APPROVAL_DAYS} days`
      setDeploymentState(tx, id, 'rejected', refused)
      return { refused }
    }
  } else {
    const delay_ms = timerEnd(environment, deployment) - tx.now_ms
    tx.enqueue(
      beginDeployment,
      { deployment: id, run_id: deployment.run_id },
      { key: id, delay_ms },
    )
  }
  return { waiting_for: 'environment', reason }
}

/** Asks again when the waiting time of an environment is over. */
export const beginDeployment = job<{ deployment: string; run_id: string }>({
  kind: 'begin_deployment',
  run: ({ hearth }, { run_id }) => writeAs(hearth, null, (tx) => requestScheduling(tx, run_id)),
})

/** Asks again for what waits when a hold begins or ends. */
export const followHolds = handler(
  'deployments follow holds',
  deployHoldsChanged,
  (tx, { repo_id }) => {
    for (const run_id of listRunsOfWaiting(tx.db, repo_id)) requestScheduling(tx, run_id)
  },
)

/** Deployments follow their jobs. */
export const followJobs = handler('deployments follow jobs', jobChanged, (tx, { job_id, url }) => {
  const deployment = findOpenDeployment(tx.db, job_id)
  const row = deployment && findJob(tx.db, job_id)
  if (!row) return
  if (row.status === 'queued' || row.status === 'in_progress')
    return setDeploymentState(tx, deployment.id, row.status)
  if (row.status !== 'completed') return
  const hasBegun = deployment.state === 'in_progress'
  const ended = row.conclusion === 'success' ? 'success' : hasBegun ? 'failure' : 'inactive'
  const state = deployment.state === 'rejected' ? 'rejected' : ended
  closeDeployment(tx, deployment.id, state, readUrl(url))
  if (state === 'success') deactivateEarlier(tx, deployment)
})

/** An address that a page may link to; null for anything else. */
function readUrl(url: string | undefined): string | null {
  const text = url?.trim() ?? ''
  if (!/^https?:\/\/[^\s]+$/i.test(text) || text.length > MAX_URL_CHARS) return null
  return URL.canParse(text) ? text : null
}
