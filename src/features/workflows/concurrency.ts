/** Concurrency groups of runs: one runs, others wait or are cancelled. */
import type { Tx } from '#core/write.ts'
import type { Concurrency } from '#actions'
import { cancelRunNow } from './end-run.ts'
import { listRunsOfGroup, setRunGroup, setRunStatus, type RunRow } from './store-runs.ts'

/**
 * Puts a run into its group. True when it has to wait for another. A newer run replaces one that
 * waits, unless the group keeps all (`queue: max`).
 */
export function holdForGroup(tx: Tx, run: RunRow, concurrency: Concurrency): boolean {
  const { group, cancelInProgress, queue } = concurrency
  const others = listRunsOfGroup(tx.db, run.repo_id, group).filter(({ id }) => id !== run.id)
  setRunGroup(tx, run.id, group)
  const ahead = others.filter(({ seq }) => seq < run.seq)
  const reason = `A newer run of the group ${group} took its place`
  for (const other of ahead) {
    const waits = other.waiting_for === 'concurrency'
    if (cancelInProgress || (waits && queue === 'single')) cancelRunNow(tx, other, null, reason)
  }
  const isTaken = listRunsOfGroup(tx.db, run.repo_id, group).some(({ seq }) => seq < run.seq)
  if (isTaken) setRunStatus(tx, run.id, 'waiting', 'concurrency')
  return isTaken
}
