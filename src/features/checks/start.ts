/**
 * Beginning a run. There is one that counts for each head: a newer head, or a newer run of the
 * same, takes the place of what is not over.
 */
import type { Tx } from '#core/write.ts'
import { HOUR, MINUTE } from '#lib/time.ts'
import { dropChecks, endRun } from './end.ts'
import { runChecksJob } from './run-job.ts'
import { insertRun, setReplaced, wasApprovedBefore, type Purpose } from './store.ts'

export type NewChecks = {
  readonly repo_id: string
  /** The pull request, and its issue. */
  readonly number: number
  readonly issue: number | null
  readonly commands: readonly string[]
  readonly head_sha: string
  /** Merged with the head for the test; null when `merge_sha` is given. */
  readonly base_sha: string | null
  /** A commit that is tested as it is. */
  readonly merge_sha?: string
  readonly purpose: Purpose
  readonly timeout_minutes: number
  /** Who answers for the change. */
  readonly principal_id: string
  /** Why somebody must allow it first; null when it may run. */
  readonly doubt?: string | null
  /** Why it does not run at all; then it ends as errored at once. */
  readonly refused?: string | null
  /** Who has allowed it. */
  readonly approved_by?: string | null
}

/**
 * What the queue tests goes before what pull requests ask for, as if it had been asked for so much
 * earlier. Everything behind it waits for it, and a base that moves makes it begin anew: at the end
 * of a long line it might never land. The slots of a queue bound how much that is.
 */
const AHEAD = HOUR

/**
 * Adds a run and gives its id; what is under way for the same purpose and pull request gives way to
 * it. Null without commands.
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
      { key: run.id, delay_ms: given.purpose === 'queue' ? -AHEAD : 0 },
    )
  return run.id
}

/** Whether commands of this person's changes were let run here before. */
export const isKnownHere = ({ db }: Tx, repo_id: string, principal_id: string): boolean =>
  wasApprovedBefore(db, repo_id, principal_id)
