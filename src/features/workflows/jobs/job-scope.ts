/** What files of a job belong to: its run, its ref, and whether its code is trusted. */
import type { Db } from '#core/db.ts'
import { conflict } from '#lib/errors.ts'
import type { Timestamp } from '#lib/time.ts'
import { findJob } from './store-jobs.ts'
import { findRun } from '../runs/store-runs.ts'
import { decodePayload } from '../files/workflow-files.ts'

export type JobScope = {
  readonly job_key: string
  readonly repo_id: string
  readonly workspace_id: string
  readonly run_id: string
  readonly attempt: number
  readonly started_at: Timestamp | null
  /** False for changes by people without Write. */
  readonly isTrusted: boolean
  readonly event_name: string
  /** The full name of the ref. */
  readonly ref: string
  /** The branch that its pull request goes to; null without one. */
  readonly base_ref: string | null
}

/** Throws 409 for a job that does not run: what it left behind cannot act for it. */
export function jobScope(db: Db, job_id: string): JobScope {
  const job = findJob(db, job_id)
  const run = job && findRun(db, job.run_id)
  if (!run || job.status !== 'in_progress') throw conflict('not_open', 'this job does not run')
  const { pull_request: pull } = decodePayload<{ pull_request?: { base?: { ref?: unknown } } }>(
    run.payload,
  )
  const base = pull?.base?.ref
  return {
    job_key: job.key,
    repo_id: job.repo_id,
    workspace_id: job.workspace_id,
    run_id: run.id,
    attempt: job.attempt,
    started_at: job.started_at,
    isTrusted: run.trusted === 1,
    event_name: run.event_name,
    ref: run.ref,
    base_ref: typeof base === 'string' ? base : null,
  }
}
