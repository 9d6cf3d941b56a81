/**
 * The queue as a chain: each candidate is built on the one ahead, the first on the base. What was
 * built on something else than what is ahead now is built again.
 *
 * A candidate holds everything ahead of it, so when its checks fail, or it cannot be built, an
 * entry ahead may be the cause. The verdict therefore waits until everything ahead has passed; then
 * the entry itself is at fault, and it alone leaves. Every shorter part of the chain is under test
 * anyway, so finding the one at fault takes no further runs. Whichever way it ends, what was built
 * on such a candidate is lost; so entries behind it are built without it at once.
 */
import type { Tx } from '#core/write.ts'
import type { Oid } from '#git'
import { leave, resetEntry } from './change.ts'
import { findEntry, listWaiting, type EntryRow, type Place, type Verdict } from './store.ts'

export const MOST_ATTEMPTS = 3

/** The next candidate to build, and on what. */
export type Build = { readonly entry: EntryRow; readonly on: Oid; readonly rests_on: string | null }

const WORDS: Record<Verdict, string> = {
  checks_failed: 'its checks failed on the commit that would have landed',
  timed_out: 'its checks took longer than they may',
  conflicts: 'it conflicts with what is ahead of it or on the base',
  internal: 'its commit could not be built; the log of the server says more',
}

/** Why an entry with a verdict leaves, in words. */
function wordsFor(tx: Tx, { verdict, note, rests_on }: EntryRow & { verdict: Verdict }): string {
  const ahead = rests_on === null ? null : findEntry(tx.db, rests_on)
  return `${note ?? WORDS[verdict]}${ahead === null ? '' : `, on top of #${ahead.number}`}`
}

/**
 * Brings the entries in line with the base and with each other, and gives what is to be built next
 * when a slot is free.
 */
export function settleChain(tx: Tx, place: Place, tip: Oid, slots: number): Build | null {
  let on = tip
  /** The entry whose candidate `on` is. */
  let ahead: string | null = null
  /** Whether everything ahead has passed. */
  let proven = true
  let testing = 0
  let next: Build | null = null
  for (const found of listWaiting(tx.db, place)) {
    if (next) {
      if (found.candidate_sha !== null || found.verdict !== null) resetEntry(tx, found)
      continue
    }
    const entry: EntryRow | null =
      found.base_sha === null || found.base_sha === on ? found : renewed(tx, found, ahead)
    if (entry === null) continue
    if (entry.verdict !== null) {
      if (proven || entry.verdict === 'internal')
        leave(tx, entry, {
          state: 'failed',
          reason: entry.verdict,
          note: wordsFor(tx, { ...entry, verdict: entry.verdict }),
        })
      else proven = false
      continue
    }
    if (entry.candidate_sha === null) {
      next = { entry, on, rests_on: ahead }
      continue
    }
    on = entry.candidate_sha
    ahead = entry.id
    if (entry.state === 'testing') {
      testing++
      proven = false
    }
  }
  return testing < slots ? next : null
}

/**
 * An entry that was built on something that is not ahead of it any more. When that is because the
 * base was moved from elsewhere, it costs an attempt, so that a base that never rests does not keep
 * the queue testing for ever. Null when it has left.
 */
function renewed(tx: Tx, entry: EntryRow, ahead: string | null): EntryRow | null {
  const moved =
    ahead === null &&
    entry.candidate_sha !== null &&
    (entry.rests_on === null || findEntry(tx.db, entry.rests_on)?.state === 'landed')
  if (moved && entry.attempt >= MOST_ATTEMPTS) {
    leave(tx, entry, {
      state: 'failed',
      reason: 'base_moved',
      note: `${entry.base_ref} was moved from elsewhere ${MOST_ATTEMPTS} times while it was being tested`,
    })
    return null
  }
  resetEntry(
    tx,
    entry,
    moved ? { attempt: entry.attempt + 1, note: `${entry.base_ref} was moved from elsewhere` } : {},
  )
  return findEntry(tx.db, entry.id)
}
