/**
 * Ends runs: all commands ended, the run was cancelled, or a newer run replaced it. Commands that
 * still run are aborted after the commit.
 */
import type { Tx } from '#core/write.ts'
import { repoById } from '#features/repos/index.ts'
import { checksCompleted, checksFinished } from './events.ts'
import { notifyRunChange } from './logs.ts'
import { stopCommands } from './running-commands.ts'
import type { ChecksStatus } from './schema.ts'
import {
  endUnfinishedResults,
  findRun,
  hasEnded,
  listResults,
  listUnfinished,
  setEnded,
  type Purpose,
  type ResultRow,
} from './store.ts'

/** Drops the runs of a pull request: no event is appended, and they do not count. */
export function dropChecks(tx: Tx, repo_id: string, number: number, purpose: Purpose): void {
  for (const run of listUnfinished(tx.db, repo_id, number, purpose)) {
    endUnfinishedResults(tx, run.id, null)
    setEnded(tx, run.id, {
      state: 'replaced',
      status: 'errored',
      note: 'another run took its place',
    })
    afterRun(tx, run.id)
  }
}

/**
 * Cancels the unfinished runs of a pull request, with a reason for people. Returns their number.
 */
export function cancelChecks(
  tx: Tx,
  repo_id: string,
  number: number,
  purpose: Purpose,
  reason: string,
): number {
  const unfinished = listUnfinished(tx.db, repo_id, number, purpose)
  for (const run of unfinished) endRun(tx, run.id, reason)
  return unfinished.length
}

/** Cancels one run by its id; without effect when it has ended. */
export function cancelRun(tx: Tx, run_id: string, reason: string): void {
  const run = findRun(tx.db, run_id)
  if (run && !hasEnded(run)) endRun(tx, run_id, reason)
}

/**
 * Ends a run after its last command, or with a `reason`. Appends the event, unless it had ended.
 */
export function endRun(tx: Tx, run_id: string, reason: string | null): void {
  const run = findRun(tx.db, run_id)
  if (!run || hasEnded(run)) return
  if (reason !== null) endUnfinishedResults(tx, run_id, reason)
  const status = statusOf(listResults(tx.db, run_id))
  setEnded(tx, run_id, { state: 'done', status, note: reason })
  afterRun(tx, run_id)
  const repo = repoById(tx.db, run.repo_id)
  if (!repo || status === 'pending') return
  if (run.purpose === 'pull') {
    const subject = { workspace_id: repo.workspace_id, repo_id: repo.id }
    tx.append(
      checksCompleted,
      subject,
      { number: run.number, issue: run.issue, sha: run.head_sha, status },
      { actor_id: null },
    )
  }
  tx.emit(checksFinished, {
    run_id,
    repo_id: repo.id,
    number: run.number,
    purpose: run.purpose,
    status,
  })
}

function afterRun(tx: Tx, run_id: string): void {
  tx.afterCommit(() => {
    stopCommands(tx.hearth, run_id)
    notifyRunChange(tx.hearth, run_id)
  })
}

/** The combined status of results. A skipped command has not passed. */
export function statusOf(
  results: readonly Pick<ResultRow, 'status'>[],
): Exclude<ChecksStatus, 'none'> {
  const has = (status: ResultRow['status']): boolean =>
    results.some((result) => result.status === status)
  if (has('errored')) return 'errored'
  if (has('failed')) return 'failed'
  if (has('queued') || has('running')) return 'pending'
  return results.length > 0 && results.every(({ status }) => status === 'passed')
    ? 'passed'
    : 'errored'
}
