/** Workflows, runs and jobs as records. */
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import type { JobPlan } from '#actions'
import { actorOf } from '#features/accounts/index.ts'
import { fullName } from '#features/repos/index.ts'
import { notFound } from '#lib/errors.ts'
import type { RepoGrant } from '#core/access.ts'
import { annotatedPath } from './jobs/annotated-path.ts'
import type { Run, Workflow, WorkflowJob } from './schema.ts'
import {
  countJobsOfRuns,
  findJob,
  listAnnotations,
  listSteps,
  type JobRow,
} from './jobs/store-jobs.ts'
import { findRun, type RunRow } from './runs/store-runs.ts'
import { effectivePermissions, permissionLines } from './jobs/token-rights.ts'
import { findWorkflow, type WorkflowRow } from './files/store-workflows.ts'

export const workflowRecord = (row: WorkflowRow): Workflow => ({
  id: row.id,
  path: row.path,
  name: row.name,
  state: row.switched === 'active' && row.errors !== '[]' ? 'invalid' : row.switched,
  errors: JSON.parse(row.errors) as Workflow['errors'],
  events: JSON.parse(row.events) as string[],
  created_at: row.created_at,
  updated_at: row.updated_at,
})

/** Milliseconds between two times; null until both are known. */
const durationOf = (from: string | null, to: string | null): number | null =>
  from === null || to === null ? null : Math.max(0, Date.parse(to) - Date.parse(from))

export const runUrl = ({ settings, db }: Hearth, run: Pick<RunRow, 'repo_id' | 'id'>): string =>
  `${settings.site_url}/${fullName(db, run.repo_id)}/runs/${run.id}`

export function runRecords(hearth: Hearth, rows: readonly RunRow[]): Run[] {
  const counts = countJobsOfRuns(
    hearth.db,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => ({
    id: row.id,
    workflow_id: row.workflow_id,
    path: row.path,
    name: row.name,
    title: row.title,
    number: row.number,
    attempt: row.attempt,
    event: row.event,
    ref: row.ref,
    sha: row.head_sha,
    pull: row.pull,
    status: row.status,
    conclusion: row.conclusion,
    error: row.error,
    waiting_for: row.waiting_for,
    reason: row.waiting_reason,
    trusted: row.trusted === 1,
    actor: actorOf(hearth, row.actor_id),
    jobs_count: counts.get(row.id) ?? 0,
    duration_ms: durationOf(row.started_at, row.finished_at),
    html_url: runUrl(hearth, row),
    created_at: row.created_at,
    started_at: row.started_at,
    finished_at: row.finished_at,
  }))
}

export const runRecord = (hearth: Hearth, row: RunRow): Run => {
  const [record] = runRecords(hearth, [row])
  if (!record) throw new TypeError('a run has a record')
  return record
}

/** What the token of a job may do; nothing before the job is planned. */
function permissionsOf({ plan }: JobRow, isTrusted: boolean): string[] {
  const parsed = plan === null ? null : (JSON.parse(plan) as JobPlan)
  if (parsed?.kind !== 'steps') return []
  return permissionLines(effectivePermissions(parsed.permissions, isTrusted))
}

/** Records of jobs of one run. */
export function jobRecords(hearth: Hearth, rows: readonly JobRow[]): WorkflowJob[] {
  const ids = rows.map(({ id }) => id)
  const steps = Map.groupBy(listSteps(hearth.db, ids), ({ job_id }) => job_id)
  const annotations = Map.groupBy(listAnnotations(hearth.db, ids), ({ job_id }) => job_id)
  const runs = new Map<string, boolean>()
  const trustOf = (id: string): boolean => {
    const known = runs.get(id) ?? findRun(hearth.db, id)?.trusted === 1
    runs.set(id, known)
    return known
  }
  const [first] = rows
  const repoName = first ? (fullName(hearth.db, first.repo_id).split('/')[1] ?? '') : ''
  return rows.map((row) => ({
    id: row.id,
    run: row.run_id,
    name: row.name,
    status: row.status,
    conclusion: row.conclusion,
    waiting_for: row.waiting_for,
    reason: row.reason,
    needs: JSON.parse(row.needs) as string[],
    runner:
      row.runner_name === null
        ? null
        : {
            id: row.runner_id,
            name: row.runner_name,
            labels: JSON.parse(row.labels) as string[],
          },
    steps: (steps.get(row.id) ?? []).map(({ job_id: _, ...step }) => step),
    annotations: (annotations.get(row.id) ?? []).map(
      ({ level, step, file, line, end_line, column, title, message }) => ({
        level,
        step,
        file: file === null ? null : (annotatedPath(file, repoName) ?? file),
        line,
        end_line,
        column,
        title,
        message,
      }),
    ),
    started_at: row.started_at,
    finished_at: row.finished_at,
    attempt: row.attempt,
    permissions: permissionsOf(row, trustOf(row.run_id)),
    log_bytes: row.log_bytes,
  }))
}

type Owner = Pick<RepoGrant, 'id' | 'parent_id' | 'full_name'>

/** Throws 404 for the fork of a pull request, whose runs belong to its repository. */
export function requireOwnRuns(repo: Owner): void {
  if (repo.parent_id !== null) throw notFound(`the repository ${repo.full_name}`)
}

/** Throws 404 for a workflow of another repository. */
export function requireWorkflow(db: Db, repo: Owner, id: string): WorkflowRow {
  requireOwnRuns(repo)
  const row = findWorkflow(db, id)
  if (row?.repo_id !== repo.id) throw notFound(`the workflow ${id}`)
  return row
}

export function requireRun(db: Db, repo: Owner, id: string): RunRow {
  requireOwnRuns(repo)
  const row = findRun(db, id)
  if (row?.repo_id !== repo.id) throw notFound(`the run ${id}`)
  return row
}

export function requireJob(db: Db, repo: Owner, id: string): JobRow {
  requireOwnRuns(repo)
  const row = findJob(db, id)
  if (row?.repo_id !== repo.id) throw notFound(`the job ${id}`)
  return row
}
