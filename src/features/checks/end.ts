/**
 * How runs end, in the transaction of whoever ends them: all commands have ended, somebody
 * cancelled it, or another run takes its place. Commands that still run are ended as soon as that
 * is on disk.
 */
import type { Tx } from '#core/write.ts'
import { repoById } from '#features/repos/index.ts'
import { checksCompleted, checksFinished } from './events.ts'
import { tellRunChange } from './logs.ts'
import { stopCommands } from './running.ts'
import type { ChecksStatus } from './schema.ts'
import {
  breakOff,
  findRun,
  isOver,
  listResults,
  listUnfinished,
  setOver,
  type Purpose,
  type ResultRow,
} from './store.ts'

/** Nobody needs these any more: nothing is told of them, and they do not count. */
export function dropChecks(tx: Tx, repo_id: string, number: number, purpose: Purpose): void {
  for (const run of listUnfinished(tx.db, repo_id, number, purpose)) {
    breakOff(tx, run.id, null)
    setOver(tx, run.id, {
      state: 'replaced',
      status: 'errored',
      note: 'another run took its place',
    })
    after(tx, run.id)
  }
}

/**
 * Ends the runs of a pull request that are not over, for a reason that people read. Gives how many
 * there were.
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

/** Ends one run by its id, without effect when it is over. */
export function cancelRun(tx: Tx, run_id: string, reason: string): void {
  const run = findRun(tx.db, run_id)
  if (run && !isOver(run)) endRun(tx, run_id, reason)
}

/**
 * All commands have ended, or none will: `reason` says why. Tells of it, unless it was over
 * already.
 */
export function endRun(tx: Tx, run_id: string, reason: string | null): void {
  const run = findRun(tx.db, run_id)
  if (!run || isOver(run)) return
  if (reason !== null) breakOff(tx, run_id, reason)
  const status = statusOf(listResults(tx.db, run_id))
  setOver(tx, run_id, { state: 'done', status, note: reason })
  after(tx, run_id)
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
  tx.signal(checksFinished, {
    run_id,
    repo_id: repo.id,
    number: run.number,
    purpose: run.purpose,
    status,
  })
}

function after(tx: Tx, run_id: string): void {
  tx.afterCommit(() => {
    stopCommands(tx.hearth, run_id)
    tellRunChange(tx.hearth, run_id)
  })
}

/**
 * What results say together. What was never run has not passed: skipped commands do not make it up.
 */
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
