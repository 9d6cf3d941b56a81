/** Ends runs and jobs: as they came out, or because somebody cancelled them. */
import { job } from '#core/jobs.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { repoById } from '#features/repos/index.ts'
import { SECOND } from '#lib/time.ts'
import { jobChanged, workflowCompleted } from '../events.ts'
import { nextRunOfGroup } from './group-members.ts'
import { endJobToken } from '../jobs/job-token.ts'
import { requestScheduling } from '../jobs/request-scheduling.ts'
import { runChanges } from './run-changes.ts'
import { runningJobs } from '../jobs/running-jobs.ts'
import type { Conclusion } from '../schema.ts'
import {
  findJob,
  listJobs,
  setCancelRequested,
  setEnded,
  type JobEnd,
  type JobRow,
} from '../jobs/store-jobs.ts'
import { findRun, setCancelled, setRunEnded, type RunRow } from './store-runs.ts'

/** What a cancelled job has to end by itself. Then it counts as ended. */
const CANCEL_GRACE_MS = 10 * SECOND

/** Ends a run, unless it has ended, with its event. */
export function endRun(
  tx: Tx,
  run: RunRow,
  conclusion: Conclusion,
  error: string | null = null,
): void {
  const now = findRun(tx.db, run.id)
  if (!now || now.status === 'completed') return
  setRunEnded(tx, run.id, conclusion, error)
  releaseGroup(tx, now)
  tellCompleted(tx, { ...now, conclusion })
}

/** The next run or job of a concurrency group may begin. */
function releaseGroup(
  tx: Tx,
  { repo_id, concurrency_group: group }: Pick<RunRow, 'repo_id' | 'concurrency_group'>,
): void {
  const next = group === null ? null : nextRunOfGroup(tx, repo_id, group)
  if (next !== null) requestScheduling(tx, next)
}

/** Ends a job. `url` is the address of its environment. */
export function endJob(tx: Tx, row: JobRow, end: JobEnd, url?: string): void {
  setEnded(tx, row, end)
  endJobToken(tx, row.id)
  if (row.stage !== 'pending') releaseGroup(tx, row)
  tx.emit(jobChanged, url === undefined ? { job_id: row.id } : { job_id: row.id, url })
}

/** Appends the event of a run that has ended. */
export function tellCompleted(tx: Tx, run: RunRow): void {
  const repo = repoById(tx.db, run.repo_id)
  if (!repo) return
  tx.append(
    workflowCompleted,
    { workspace_id: repo.workspace_id, repo_id: repo.id },
    {
      workflow: run.name,
      workflow_id: run.workflow_id,
      conclusion: run.conclusion ?? 'failure',
      run_id: run.id,
      sha: run.head_sha,
      pull: run.pull,
      attempt: run.attempt,
    },
    { actor_id: null },
  )
  tx.afterCommit(() => runChanges(tx.hearth).notify(run.id))
}

/** Ends a job that no runner has, or tells the runner that has it to stop. */
export function cancelJob(tx: Tx, row: JobRow, reason: string): void {
  if (row.status === 'completed') return
  if (row.status !== 'in_progress' || row.lease_until === null)
    endJob(tx, row, { conclusion: 'cancelled', reason, outputs: {} })
  else {
    setCancelRequested(tx, row.id)
    tx.enqueue(endCancelledJob, { job_id: row.id }, { key: row.id, delay_ms: CANCEL_GRACE_MS })
    tx.afterCommit(() => runningJobs(tx.hearth).stop(row.id, 'cancelled'))
  }
}

/**
 * Cancels a run. Jobs that no runner has end at once; the others are told to, and after ten seconds
 * they count as ended whatever their runner does.
 */
export function cancelRunNow(tx: Tx, run: RunRow, by: string | null, reason: string): void {
  if (run.status === 'completed') return
  setCancelled(tx, run.id, by)
  const jobs = listJobs(tx.db, run.id, run.attempt)
  const isRunning = jobs.some(({ lease_until }) => lease_until !== null)
  for (const row of jobs) cancelJob(tx, row, reason)
  if (!isRunning) return endRun(tx, run, 'cancelled', null)
  tx.enqueue(
    endCancelled,
    { run_id: run.id, attempt: run.attempt },
    { key: run.id, delay_ms: CANCEL_GRACE_MS },
  )
  tx.afterCommit(() => runChanges(tx.hearth).notify(run.id))
}

/** Ends a cancelled job whose runner did not. */
export const endCancelledJob = job<{ job_id: string }>({
  kind: 'end_cancelled_job',
  run: ({ hearth }, { job_id }) =>
    writeAs(hearth, null, (tx) => {
      const row = findJob(tx.db, job_id)
      if (!row || row.status === 'completed' || row.cancel_requested === 0) return
      endJob(tx, row, {
        conclusion: 'cancelled',
        reason: 'It was cancelled, and its runner did not end it within ten seconds',
        outputs: {},
      })
      requestScheduling(tx, row.run_id)
    }),
})

/** Ends what is left of a cancelled run. */
export const endCancelled = job<{ run_id: string; attempt: number }>({
  kind: 'end_cancelled_run',
  run: ({ hearth }, { run_id, attempt }) =>
    writeAs(hearth, null, (tx) => {
      const run = findRun(tx.db, run_id)
      if (!run || run.attempt !== attempt || run.cancelled_at === null) return
      for (const row of listJobs(tx.db, run_id, attempt))
        if (row.status !== 'completed')
          endJob(tx, row, {
            conclusion: 'cancelled',
            reason: 'The run was cancelled',
            outputs: {},
          })
      endRun(tx, run, 'cancelled')
    }),
})
