/** Why a run failed, in one line: the first job that failed, and its first error. */
import type { Db } from '#core/db.ts'
import type { RunFailure } from '#features/repos/index.ts'
import { listAnnotations, listJobs, type JobRow } from '../jobs/store-jobs.ts'
import { findRun } from './store-runs.ts'

const MAX_ERROR_CHARS = 300

const FAILED: ReadonlySet<string> = new Set(['failure', 'timed_out', 'startup_failure'])

const oneLine = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= MAX_ERROR_CHARS
    ? line
    : `${line.slice(0, MAX_ERROR_CHARS - 1).toWellFormed()}…`
}

function firstError(db: Db, job: JobRow): string | null {
  const errors = listAnnotations(db, [job.id]).filter(({ level }) => level === 'failure')
  return errors[0]?.message ?? job.reason
}

/** The implementation of `runFailures`. */
export function failureOfRun(db: Db, run_id: string): RunFailure | null {
  const run = findRun(db, run_id)
  if (!run || !FAILED.has(run.conclusion ?? '')) return null
  // A job that calls a workflow fails because one of its jobs did.
  const failed = listJobs(db, run.id, run.attempt)
    .filter(({ conclusion }) => FAILED.has(conclusion ?? ''))
    .sort((a, b) => (a.ended_as ?? 0) - (b.ended_as ?? 0))
  const [job] = failed
  const error = job === undefined ? run.error : firstError(db, job)
  const parts = [job?.name ?? null, error === null ? null : oneLine(error)]
  return {
    by: run.rerun_by ?? run.actor_id,
    workflow_id: run.workflow_id,
    ref: run.ref,
    title: `${run.name} #${run.number}: ${run.title}`,
    text: parts.filter((part) => part !== null).join(': ') || null,
  }
}
