/**
 * Advances one queue step by step until it must wait for tests, a merge window or a person. All
 * state is in tables and each step is one transaction. So a process may end at any point and the
 * next one continues. A landing is one transaction as well, so nothing lands twice.
 */
import type { Hearth } from '#core/hearth.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { checksOfRun } from '#features/checks/index.ts'
import { contextOf } from '#features/pulls/index.ts'
import { branchRef, readRef, repoById } from '#features/repos/index.ts'
import { buildCandidate } from './build-candidate.ts'
import { gateResult } from './candidate-gates.ts'
import { removeEntry, resetEntry } from './entry-changes.ts'
import { updateChain, type NextCandidate } from './chain.ts'
import { landEntry, checkMarkedEntries } from './land-entry.ts'
import { isQueued, limitsOf } from './queue-settings.ts'
import { listWaiting, type EntryRow, type QueueKey } from './store.ts'
import { takeOverResult } from './candidate-tests.ts'

type Step = { readonly land: EntryRow | null; readonly build: NextCandidate | null }

export async function advance(hearth: Hearth, queue: QueueKey, signal: AbortSignal): Promise<void> {
  for (;;) {
    if (signal.aborted) throw new Error('the process is stopping')
    const repo = repoById(hearth.db, queue.repo_id)
    if (!repo || repo.deleted_at !== null) return
    await checkMarkedEntries(
      hearth,
      queue,
      readRef(hearth.db, queue.repo_id, branchRef(queue.base_ref)),
      signal,
    )
    const { land, build } = await writeAs(hearth, null, (tx) => nextStep(tx, queue))
    if (land && (await landEntry(hearth, land, signal))) continue
    if (!build) return
    await buildCandidate(hearth, build, signal)
  }
}

function nextStep(tx: Tx, queue: QueueKey): Step {
  const none = { land: null, build: null }
  if (listWaiting(tx.db, queue).length === 0) return none
  const context = contextOf(tx.db, queue.repo_id)
  const tip = readRef(tx.db, queue.repo_id, branchRef(queue.base_ref))
  if (tip === null)
    return removeAll(tx, queue, 'base_deleted', `${queue.base_ref} does not exist any more`)
  if (context.repo.archived_at !== null)
    return removeAll(tx, queue, 'archived', 'the repository is archived')
  if (!isQueued(tx.hearth, context, queue.base_ref))
    return removeAll(tx, queue, 'queue_disabled', 'the merge queue was turned off')
  for (const entry of listWaiting(tx.db, queue))
    if (entry.state === 'testing') takeOverTests(tx, entry)
  const build = updateChain(tx, queue, tip, limitsOf(tx.hearth, context, queue.base_ref).slots)
  const first = listWaiting(tx.db, queue)[0]
  return { land: first?.state === 'passed' || first?.state === 'landing' ? first : null, build }
}

/** Takes over results of runs that ended without notice, so that no entry waits for them. */
function takeOverTests(tx: Tx, entry: EntryRow): void {
  if (entry.verdict !== null) return
  const status =
    entry.run_id === null ? 'none' : (checksOfRun(tx.hearth, entry.run_id)?.status ?? 'none')
  const isLost = status === 'none' && gateResult(tx.hearth, entry) === null
  if (isLost) resetEntry(tx, entry)
  else if (status !== 'pending') takeOverResult(tx, entry)
}

/** Removes all entries. */
export function removeAll(tx: Tx, queue: QueueKey, reason: string, note: string): Step {
  for (const entry of listWaiting(tx.db, queue))
    removeEntry(tx, entry, { state: 'removed', reason, note })
  return { land: null, build: null }
}
