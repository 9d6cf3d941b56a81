/** Runs jobs again: all, those that did not succeed, or one with those that need it. */
import type { SignedIn } from '#core/caller.ts'
import { typeId } from '#core/ids.ts'
import type { Tx } from '#core/write.ts'
import { repoById } from '#features/repos/index.ts'
import { conflict, invalid } from '#lib/errors.ts'
import { DAY } from '#lib/time.ts'
import { requestScheduling } from '../jobs/request-scheduling.ts'
import { requireRunMinutes } from '../jobs/run-time.ts'
import {
  copyJob,
  listJobs,
  removeJobRow,
  resetJob,
  setRunning,
  type JobRow,
} from '../jobs/store-jobs.ts'
import { beginAttempt, findRun, type RunRow } from './store-runs.ts'

const MAX_RERUN_AGE_MS = 30 * DAY

/** Throws 409 for a run that has not ended or is too old, and 403 without minutes for it. */
function requireRerunnable(tx: Tx, run: RunRow): void {
  if (run.status !== 'completed')
    throw conflict('in_progress', `the run #${run.number} has not ended`)
  if (Date.parse(run.created_at) < tx.now_ms - MAX_RERUN_AGE_MS)
    throw conflict('not_open', `the run #${run.number} is older than 30 days: start a new one`)
  const repo = repoById(tx.db, run.repo_id)
  if (repo) requireRunMinutes(tx.hearth, tx.db, repo.workspace_id)
}

const didSucceed = ({ conclusion }: JobRow): boolean =>
  conclusion === 'success' || conclusion === 'neutral'

/** Starts the next attempt of a completed run. */
export function rerun(
  tx: Tx,
  run: RunRow,
  by: SignedIn,
  { failedOnly }: { failedOnly: boolean },
): RunRow {
  requireRerunnable(tx, run)
  if (!failedOnly) return begin(tx, run, by, null)
  const jobs = listJobs(tx.db, run.id, run.attempt)
  const failed = jobs.filter((job) => !didSucceed(job) && job.conclusion !== 'skipped')
  if (failed.length === 0) throw invalid('failed_only', 'every job of this run succeeded')
  // A caller has failed because of jobs that it called.
  const first = failed.filter(({ key }) => !jobs.some(({ parent }) => parent === key))
  return begin(tx, run, by, withDependents(jobs, first))
}

/** Runs one job again, with those that need it; the others keep their results. */
export function rerunOne(tx: Tx, run: RunRow, job: JobRow, by: SignedIn): JobRow {
  const jobs = listJobs(tx.db, run.id, run.attempt)
  const again = withDependents(jobs, [job])
  if (run.status === 'completed') {
    requireRerunnable(tx, run)
    begin(tx, run, by, again)
  } else {
    const busy = jobs.find(({ key, lease_until }) => again.has(key) && lease_until !== null)
    if (busy) throw conflict('in_progress', `${busy.name}, which needs this job, runs now`)
    resetJobs(tx, jobs, again)
    requestScheduling(tx, run.id)
  }
  const now = findRun(tx.db, run.id)
  const rows = now ? listJobs(tx.db, run.id, now.attempt) : []
  return rows.find(({ key }) => key === job.key) ?? job
}

/**
 * The keys of jobs with all that need them, and the callers of these. A caller that runs again for
 * itself runs all that it called again.
 */
function withDependents(jobs: readonly JobRow[], first: readonly JobRow[]): ReadonlySet<string> {
  const keys = new Set<string>()
  const addWhole = (job: JobRow): void => {
    keys.add(job.key)
    for (const child of jobs) if (child.parent === job.key) addWhole(child)
  }
  first.forEach(addWhole)
  for (let size = -1; size !== keys.size; ) {
    size = keys.size
    for (const job of jobs) {
      if (keys.has(job.key)) continue
      const found = jobs.filter(({ key }) => keys.has(key))
      const needs = JSON.parse(job.needs) as string[]
      if (found.some((other) => other.parent === job.parent && needs.includes(other.job_id)))
        addWhole(job)
      else if (found.some(({ parent }) => parent === job.key)) keys.add(job.key)
    }
  }
  return keys
}

/** `again` are the keys of the jobs that run again; null for all, which are planned anew. */
function begin(tx: Tx, run: RunRow, by: SignedIn, again: ReadonlySet<string> | null): RunRow {
  const jobs = listJobs(tx.db, run.id, run.attempt)
  const attempt = beginAttempt(tx, run, by.id)
  if (again !== null) {
    for (const job of jobs) copyJob(tx, job, typeId('job', tx.now_ms), attempt)
    resetJobs(tx, listJobs(tx.db, run.id, attempt), again)
  }
  requestScheduling(tx, run.id)
  const now = findRun(tx.db, run.id)
  if (!now) throw new Error(`the run ${run.id} is gone`)
  return now
}

/**
 * Makes jobs pending again. The caller of a workflow goes on when some of the called jobs keep
 * their results; otherwise it calls anew.
 */
function resetJobs(tx: Tx, jobs: readonly JobRow[], again: ReadonlySet<string>): void {
  for (const job of jobs) {
    if (!again.has(job.key)) continue
    const called = jobs.filter(({ parent }) => parent === job.key)
    const isPartial = called.some(({ key }) => !again.has(key))
    resetJob(tx, job)
    if (isPartial) setRunning(tx, job.id)
    else for (const child of called) removeJobRow(tx, child.id)
  }
}
