/**
 * Starts runs. One run counts for each head. A newer head, or a newer run of the same head,
 * replaces an unfinished one.
 */
import type { Tx } from '#core/write.ts'
import { HOUR, MINUTE } from '#lib/time.ts'
import { dropChecks, endRun } from './end-run.ts'
import { runChecksJob } from './run-job.ts'
import { insertRun, setReplaced, wasApprovedBefore, type Purpose } from './store.ts'

export type NewChecks = {
  readonly repo_id: string
  /** The number of the pull request. */
  readonly number: number
  readonly issue: number | null
  readonly commands: readonly string[]
  readonly head_sha: string
  /** The base to merge with the head for the test; null when `merge_sha` is given. */
  readonly base_sha: string | null
  /** A commit to test as it is. */
  readonly merge_sha?: string
  readonly purpose: Purpose
  readonly timeout_minutes: number
  /** The principal that the change is by. */
  readonly principal_id: string
  /** Why the run needs approval first; null when it does not. */
  readonly doubt?: string | null
  /** Why the run is refused; it ends as errored at once. */
  readonly refused?: string | null
  /** The person who approved it. */
  readonly approved_by?: string | null
}

/**
 * Runs of a merge queue are sorted as if they had been requested this much earlier. All entries
 * behind wait for them, and a moved base makes them start anew, so at the end of a long line they
 * might never finish. The slots of a queue limit their number.
 */
const QUEUE_PRIORITY_MS = HOUR

/**
 * Inserts a run and returns its id; it replaces unfinished runs of the same purpose and pull
 * request. Null without commands.
 */
export function startChecks(tx: Tx, given: NewChecks): string | null {
  dropChecks(tx, given.repo_id, given.number, given.purpose)
  if (given.purpose === 'pull') setReplaced(tx, given.repo_id, given.number, given.head_sha)
  if (given.commands.length === 0) return null
  const waits = (given.doubt ?? null) !== null && (given.approved_by ?? null) === null
  const run = insertRun(
    tx,
    {
      repo_id: given.repo_id,
      number: given.number,
      issue: given.issue,
      purpose: given.purpose,
      head_sha: given.head_sha,
      base_sha: given.base_sha,
      merge_sha: given.merge_sha ?? null,
      state: waits ? 'waiting' : 'queued',
      note: waits ? (given.doubt ?? null) : null,
      timeout_ms: given.timeout_minutes * MINUTE,
      principal_id: given.principal_id,
      approved_by: given.approved_by ?? null,
    },
    given.commands,
  )
  const refused = given.refused ?? null
  if (refused !== null) endRun(tx, run.id, refused)
  else if (!waits)
    tx.enqueue(
      runChecksJob,
      { run_id: run.id },
      { key: run.id, delay_ms: given.purpose === 'queue' ? -QUEUE_PRIORITY_MS : 0 },
    )
  return run.id
}

/** Whether a run of this person's changes was approved here before. */
export const wasApprovedHere = ({ db }: Tx, repo_id: string, principal_id: string): boolean =>
  wasApprovedBefore(db, repo_id, principal_id)
