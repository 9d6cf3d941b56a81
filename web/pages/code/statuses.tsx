// What runs of workflows and other systems report for a commit.
import { listDeployments, type Deployment } from '#features/environments/index.ts'
import { getCommitStatus, type CombinedStatus } from '#features/statuses/index.ts'
import { listSecurityChecks, type SecurityCheck } from '#features/security/index.ts'
import { listJobs, listRuns, type WorkflowJob } from '#features/workflows/index.ts'
import { CheckState } from '../../components/index.ts'
import type { Child } from '../../jsx/html.ts'
import { formatNumber } from '../../format.ts'
import { commitPath, pullPath, repoPath, withQuery } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { t, texts } from '../../text.ts'

/** One line of the list. */
export type ShownStatus = Pick<CombinedStatus['statuses'][number], 'context' | 'state'> & {
  readonly target_url: string | null
  readonly description: string | null
}

/** The runs of a commit whose jobs are listed. */
const MAX_RUNS = 20

/** What a failed check of findings means. */
const FINDINGS = texts({
  code: 'The change adds a serious alert',
  dependency: 'The change adds a package with a serious vulnerability',
})

/** The page of all statuses of a commit, for a pull request with what it says about them. */
export const statusesPath = (repo: string, sha: string, pull?: number): string =>
  withQuery(`${commitPath(repo, sha)}/statuses`, { pull })

type FindingPlaces = Readonly<Record<SecurityCheck['kind'], string>>

/** Where a pull request shows what the checks of findings mean. */
export const placesOfFindings = (repo: string, number: number): FindingPlaces => ({
  code: pullPath(repo, number, 'changes'),
  dependency: pullPath(repo, number),
})

/** What scanners and the review of dependencies say of a commit. `places` are pages about it. */
export async function securityStatuses(
  visit: Visit,
  repo: string,
  sha: string | null,
  places: FindingPlaces | null = null,
): Promise<ShownStatus[]> {
  const checks = sha === null ? [] : await visit.tryCall(listSecurityChecks, { repo, sha })
  return (checks ?? []).map(({ context, kind, state }) => ({
    context,
    state,
    target_url: places?.[kind] ?? null,
    description: state === 'failure' ? FINDINGS[kind] : null,
  }))
}

/** The statuses of a commit, those of its runs first. Null without any. */
export async function statusesOf(
  visit: Visit,
  repo: string,
  sha: string | null,
  places: FindingPlaces | null = null,
): Promise<{ readonly statuses: readonly ShownStatus[] } | null> {
  if (sha === null) return null
  const combined = await visit.tryCall(getCommitStatus, { repo, ref: sha })
  const statuses = [
    ...(await runStatuses(visit, repo, sha)),
    ...(await securityStatuses(visit, repo, sha, places)),
    ...(combined?.statuses ?? []),
  ]
  return statuses.length > 0 ? { statuses } : null
}

function stateOfJob({ status, conclusion }: WorkflowJob): ShownStatus['state'] {
  if (status !== 'completed') return 'pending'
  return ['success', 'skipped', 'neutral'].includes(conclusion ?? '') ? 'success' : 'failure'
}

/** The jobs of the latest runs of a commit; a run without jobs by itself. */
export async function runStatuses(visit: Visit, repo: string, sha: string): Promise<ShownStatus[]> {
  // Runs belong to the repository, also for the fork of a pull request.
  const home = repo.split('/').slice(0, 2).join('/')
  const runs = await visit.tryCall(listRuns, { repo: home, sha, per_page: MAX_RUNS })
  const latest = new Map<string, NonNullable<typeof runs>['items'][number]>()
  for (const run of runs?.items ?? []) {
    const key = `${run.workflow_id} ${run.event}`
    if (!latest.has(key)) latest.set(key, run)
  }
  const lists = await Promise.all(
    [...latest.values()].map(async (run): Promise<ShownStatus[]> => {
      const path = repoPath(home, `/runs/${run.id}`)
      const jobs = await visit.tryCall(listJobs, { repo: home, id: run.id })
      if (!jobs || jobs.items.length === 0)
        return [
          {
            context: run.name,
            state: run.status === 'completed' ? 'error' : 'pending',
            target_url: path,
            description: run.error,
          },
        ]
      return jobs.items.map((job) => ({
        context: `${run.name} / ${job.name} (${run.event})`,
        state: stateOfJob(job),
        target_url: `${path}/job/${job.id}`,
        description: job.reason,
      }))
    }),
  )
  return [...lists.flat(), ...(await deploymentStatuses(visit, home, sha))]
}

const DEPLOYMENT_STATES: Readonly<Record<Deployment['state'], ShownStatus['state']>> = {
  waiting: 'pending',
  queued: 'pending',
  in_progress: 'pending',
  success: 'success',
  inactive: 'success',
  failure: 'failure',
  rejected: 'failure',
}

/** The latest deployment of a commit to each environment. */
async function deploymentStatuses(visit: Visit, repo: string, sha: string): Promise<ShownStatus[]> {
  const found = await visit.tryCall(listDeployments, { repo, sha, per_page: 100 })
  const latest = new Map<string, Deployment>()
  for (const one of found?.items ?? [])
    if (!latest.has(one.environment)) latest.set(one.environment, one)
  return [...latest.values()].map(({ environment, state, waits_for, url, run }) => ({
    context: t('Deployment to {name}', { name: environment }),
    state: DEPLOYMENT_STATES[state],
    target_url: url ?? repoPath(repo, `/runs/${run}`),
    description: waits_for,
  }))
}

const LOOKS = {
  pending: 'running',
  success: 'success',
  failure: 'failure',
  error: 'error',
} as const

type StatusListProps = {
  statuses: readonly ShownStatus[]
  label?: string
  /** Stands behind the name of each. */
  mark?: Child
}

export const StatusLines = ({ statuses, label, mark }: StatusListProps) => (
  <ul class="bare-list" aria-label={label}>
    {statuses.map((status) => (
      <li>
        <CheckState status={LOOKS[status.state]} bare />{' '}
        {status.target_url === null ? (
          status.context
        ) : (
          <a href={status.target_url} rel="nofollow noopener">
            {status.context}
          </a>
        )}
        {mark && <> {mark}</>}
        {status.description !== null && <bdi class="muted small"> {status.description}</bdi>}
      </li>
    ))}
  </ul>
)

/** Of more statuses only the first are in view: those that failed, then those that run. */
const MAX_IN_VIEW = 10

const ORDER = { failure: 0, error: 0, pending: 1, success: 2 } as const

/** Those that failed, those that run, and those that passed, each in their order. */
export const byUrgency = (statuses: readonly ShownStatus[]): ShownStatus[] =>
  statuses.toSorted((a, b) => ORDER[a.state] - ORDER[b.state])

const countOf = (statuses: readonly ShownStatus[], order: number): number =>
  statuses.filter(({ state }) => ORDER[state] === order).length

export const StatusCounts = ({ statuses }: { statuses: readonly ShownStatus[] }) => (
  <p class="status-counts">
    {t('{failed} failed, {running} running, {passed} passed', {
      failed: countOf(statuses, 0),
      running: countOf(statuses, 1),
      passed: countOf(statuses, 2),
    })}
  </p>
)

/**
 * A matrix of jobs makes hundreds of statuses, so a long list has its counts and a link to the page of
 * all, `allHref`.
 */
export const StatusList = ({ allHref, ...props }: StatusListProps & { allHref: string }) => {
  const { statuses } = props
  if (statuses.length <= MAX_IN_VIEW) return <StatusLines {...props} />
  return (
    <>
      <StatusCounts statuses={statuses} />
      <StatusLines {...props} statuses={byUrgency(statuses).slice(0, MAX_IN_VIEW)} />
      <p class="status-all">
        <a href={allHref}>{t('Show all {count}', { count: formatNumber(statuses.length) })}</a>
      </p>
    </>
  )
}
