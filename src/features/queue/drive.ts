/**
 * Moving one queue on, step by step, until it has to wait for something: tests, a window, a person.
 * All that is known is in the tables, and each step is one transaction, so a process that ends
 * anywhere loses nothing: the next one looks and goes on. A landing is one transaction too, so
 * nothing lands twice.
 */
import type { Hearth } from '#core/hearth.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { checksOfRun } from '#features/checks/index.ts'
import { contextOf } from '#features/pulls/index.ts'
import { branchRef, readRef, repoById } from '#features/repos/index.ts'
import { buildCandidate } from './build-candidate.ts'
import { leave, resetEntry } from './change.ts'
import { settleChain, type Build } from './chain.ts'
import { landEntry, lookAtChanged } from './land-entry.ts'
import { isQueued, limitsOf } from './limits.ts'
import { listWaiting, type EntryRow, type Place } from './store.ts'
import { judgeTests } from './tests.ts'

type Step = { readonly land: EntryRow | null; readonly build: Build | null }

export async function drive(hearth: Hearth, place: Place, signal: AbortSignal): Promise<void> {
  for (;;) {
    if (signal.aborted) throw new Error('the process is stopping')
    const repo = repoById(hearth.db, place.repo_id)
    if (!repo || repo.deleted_at !== null) return
    await lookAtChanged(
      hearth,
      place,
      readRef(hearth.db, place.repo_id, branchRef(place.base_ref)),
      signal,
    )
    const { land, build } = await writeAs(hearth, null, (tx) => nextStep(tx, place))
    if (land && (await landEntry(hearth, land, signal))) continue
    if (!build) return
    await buildCandidate(hearth, build, signal)
  }
}

function nextStep(tx: Tx, place: Place): Step {
  const none = { land: null, build: null }
  if (listWaiting(tx.db, place).length === 0) return none
  const context = contextOf(tx.db, place.repo_id)
  const tip = readRef(tx.db, place.repo_id, branchRef(place.base_ref))
  if (tip === null)
    return emptied(tx, place, 'base_deleted', `${place.base_ref} does not exist any more`)
  if (context.repo.archived_at !== null)
    return emptied(tx, place, 'archived', 'the repository is archived')
  if (!isQueued(tx.hearth, context, place.base_ref))
    return emptied(tx, place, 'queue_disabled', 'the merge queue was turned off')
  for (const entry of listWaiting(tx.db, place))
    if (entry.state === 'testing') takeUpTests(tx, entry)
  const build = settleChain(tx, place, tip, limitsOf(tx.hearth, context, place.base_ref).slots)
  const first = listWaiting(tx.db, place)[0]
  return { land: first?.state === 'passed' || first?.state === 'landing' ? first : null, build }
}

/**
 * Tests that ended are taken over when they end; this is for those that vanished, so that nothing
 * waits for them.
 */
function takeUpTests(tx: Tx, entry: EntryRow): void {
  if (entry.verdict !== null) return
  const status =
    entry.run_id === null ? 'none' : (checksOfRun(tx.hearth, entry.run_id)?.status ?? 'none')
  if (status === 'none') resetEntry(tx, entry)
  else if (status !== 'pending') judgeTests(tx, entry)
}

/** Takes all out. */
export function emptied(tx: Tx, place: Place, reason: string, note: string): Step {
  for (const entry of listWaiting(tx.db, place))
    leave(tx, entry, { state: 'removed', reason, note })
  return { land: null, build: null }
}
