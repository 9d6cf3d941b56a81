/**
 * Lands the first entry: the base moves to its candidate, the very commit that was tested. The
 * commit is verified first. Everything that could have changed is checked again in the transaction
 * that moves the base.
 */
import type { Hearth } from '#core/hearth.ts'
import { writeAs, type Tx } from '#core/write.ts'
import type { Oid } from '#git'
import {
  findPullById,
  landPull,
  mergeAttempts,
  prepareLanding,
  requireVerifiedLanding,
  statsIfAny,
  WrongLanding,
  type MergeEvaluation,
  type PullRow,
} from '#features/pulls/index.ts'
import { branchRef, readRef } from '#features/repos/index.ts'
import { Refusal } from '#lib/errors.ts'
import { setState, removeEntry, setLanded } from './entry-changes.ts'
import { checkEntry, type EntryCheck } from './check-entry.ts'
import {
  findEntry,
  findPause,
  listWaiting,
  setEntry,
  type EntryRow,
  type QueueKey,
} from './store.ts'
import { advanceAt } from './request-advance.ts'

type Stats = NonNullable<MergeEvaluation['stats']>

/**
 * Returns true when something changed and the queue should be advanced again, false when it must
 * wait.
 */
export async function landEntry(
  hearth: Hearth,
  found: EntryRow,
  signal: AbortSignal,
): Promise<boolean> {
  const pull = findPullById(hearth.db, found.pull_id)
  if (!pull || found.base_sha === null || found.candidate_sha === null) return false
  const stats = await statsIfAny(hearth, pull)
  if (!stats) {
    await removeFaulty(hearth, found, new WrongLanding('its commits are gone'))
    return true
  }
  const first = await writeAs(hearth, null, (tx) => {
    const entry = findStillFirst(tx, found)
    if (!entry) return null
    const checked = checkEntry(hearth, entry, findPullById(tx.db, entry.pull_id) ?? pull, stats)
    if (keepWaiting(tx, entry, checked)) return null
    if (checked.is === 'out') removeFor(tx, entry, checked)
    else setState(tx, entry, 'landing')
    return checked
  })
  if (first === null) return false
  if (first.is !== 'in') return true

  try {
    return await landCandidate(hearth, found, pull, stats, first)
  } catch (error) {
    if (signal.aborted) throw error
    if (!(error instanceof WrongLanding) && !(error instanceof Refusal)) throw error
    await removeFaulty(hearth, found, error)
    return true
  }
}

/** Verifies the candidate, and moves the base to it unless something changed meanwhile. */
async function landCandidate(
  hearth: Hearth,
  found: EntryRow,
  pull: PullRow,
  stats: Stats,
  { context, by }: Extract<EntryCheck, { is: 'in' }>,
): Promise<boolean> {
  const { head_sha: head, base_sha: base, candidate_sha: commit, candidate_tree: tree } = found
  if (base === null || commit === null || tree === null) return false
  const { mergeBase } = await hearth.git.countAheadBehind(context.repo.store, head, base)
  await requireVerifiedLanding(hearth, context, pull, {
    base,
    head,
    merge_base: mergeBase,
    commit,
    tree,
  })
  const ready = await prepareLanding(hearth, context, found.base_ref, base, commit)
  return writeAs(hearth, by, (tx) => {
    const entry = findStillFirst(tx, found)
    const now = findPullById(tx.db, found.pull_id)
    if (
      !entry ||
      !now ||
      !isSame(now, pull) ||
      readRef(tx.db, entry.repo_id, branchRef(entry.base_ref)) !== base
    )
      return true
    const checked = checkEntry(hearth, entry, now, stats)
    if (keepWaiting(tx, entry, checked)) return false
    if (checked.is !== 'in') {
      if (checked.is === 'out') removeFor(tx, entry, checked)
      return true
    }
    for (const record of mergeAttempts.all(hearth)) record(tx, checked.question, commit)
    setLanded(tx, entry)
    landPull(tx, checked.context, now, ready, {
      by: checked.by,
      method: entry.method,
      keep_issue_open: entry.keep_issue_open === 1,
    })
    return true
  })
}

/** The present entry, if it is still about to land as this candidate. */
function findStillFirst(tx: Tx, { id, candidate_sha }: EntryRow): EntryRow | null {
  const entry = findEntry(tx.db, id)
  if (
    !entry ||
    entry.candidate_sha !== candidate_sha ||
    (entry.state !== 'passed' && entry.state !== 'landing')
  )
    return null
  return listWaiting(tx.db, entry)[0]?.id === id ? entry : null
}

const isSame = (a: PullRow, b: PullRow): boolean =>
  a.head_sha === b.head_sha && a.base_sha === b.base_sha && a.base_ref === b.base_ref

/** Keeps a tested entry waiting while nothing may land. */
function keepWaiting(tx: Tx, entry: EntryRow, checked: EntryCheck): boolean {
  const pause = findPause(tx.db, entry)
  if (checked.is === 'out' || (checked.is === 'in' && pause === null)) return false
  setState(tx, entry, 'passed')
  setEntry(tx, entry.id, {
    note: pause === null ? (checked.is === 'shut' ? checked.note : null) : 'the queue is paused',
  })
  if (checked.is === 'shut' && checked.opens_at !== null) advanceAt(tx, entry, checked.opens_at)
  return true
}

function removeFor(
  tx: Tx,
  entry: EntryRow,
  { reason, note, question }: Extract<EntryCheck, { is: 'out' }>,
): void {
  if (question) for (const tell of mergeAttempts.all(tx.hearth)) tell(tx, question, null)
  removeEntry(tx, entry, { state: 'removed', reason, note })
}

/**
 * Removes an entry whose landing is not right. A moved base is no fault of the entry; the next step
 * handles it.
 */
const removeFaulty = (
  hearth: Hearth,
  found: EntryRow,
  error: WrongLanding | Refusal,
): Promise<void> =>
  writeAs(hearth, null, (tx) => {
    const entry = findEntry(tx.db, found.id)
    if (!entry || entry.place === null || entry.candidate_sha !== found.candidate_sha) return
    if (error instanceof WrongLanding)
      removeEntry(tx, entry, { state: 'failed', reason: 'internal', note: error.message })
    else if (error.reason !== 'base_moved')
      removeEntry(tx, entry, {
        state: 'removed',
        reason: error.reason ?? error.code,
        note: error.message,
      })
  })

/** Checks entries marked for it, and removes those that may not be merged any more. */
export async function checkMarkedEntries(
  hearth: Hearth,
  queue: QueueKey,
  tip: Oid | null,
  signal: AbortSignal,
): Promise<void> {
  for (const { id, pull_id } of listWaiting(hearth.db, queue).filter(({ look }) => look === 1)) {
    if (signal.aborted) throw new Error('the process is stopping')
    // The mark is removed first, so that a change during the check marks the entry again.
    await writeAs(hearth, null, (tx) => setEntry(tx, id, { look: 0 }))
    const pull = findPullById(hearth.db, pull_id)
    if (!pull || (tip !== null && pull.base_sha !== tip && pull.status === 'open')) continue
    const stats = await statsIfAny(hearth, pull)
    await writeAs(hearth, null, (tx) => {
      const entry = findEntry(tx.db, id)
      const now = findPullById(tx.db, pull_id)
      if (!entry || entry.place === null || !now || !isSame(now, pull)) return
      const checked = checkEntry(hearth, entry, now, stats)
      if (checked.is === 'out') removeFor(tx, entry, checked)
    })
  }
}
