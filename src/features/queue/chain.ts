/**
 * The queue as a chain: each candidate is built on the one ahead, the first on the base. A
 * candidate that was built on anything else is rebuilt.
 *
 * A candidate contains everything ahead of it. So when its checks fail, or it cannot be built, an
 * entry ahead may be the cause. The verdict waits until everything ahead has passed. Then the entry
 * itself is at fault, and it alone leaves. Every shorter part of the chain is tested anyway, so
 * this takes no extra runs. A failed candidate is lost in either case, so entries behind it are
 * rebuilt without it at once.
 */
import type { Tx } from '#core/write.ts'
import type { Oid } from '#git'
import { removeEntry, resetEntry } from './entry-changes.ts'
import {
  findEntry,
  listWaiting,
  type EntryRow,
  type QueueKey,
  type CandidateVerdict,
} from './store.ts'

export const MAX_ATTEMPTS = 3

/** The next candidate to build, and the commit to build it on. */
export type NextCandidate = {
  readonly entry: EntryRow
  readonly on: Oid
  readonly rests_on: string | null
}

const VERDICT_TEXTS: Record<CandidateVerdict, string> = {
  checks_failed: 'its checks failed on the commit that would have landed',
  timed_out: 'its checks took longer than they may',
  conflicts: 'it conflicts with what is ahead of it or on the base',
  internal: 'its commit could not be built; the log of the server says more',
}

/** The reason for people why an entry with a verdict leaves. */
function verdictText(
  tx: Tx,
  { verdict, note, rests_on }: EntryRow & { verdict: CandidateVerdict },
): string {
  const ahead = rests_on === null ? null : findEntry(tx.db, rests_on)
  return `${note ?? VERDICT_TEXTS[verdict]}${ahead === null ? '' : `, on top of #${ahead.number}`}`
}

/**
 * Updates all entries to the base and to each other. Returns what to build next when a slot is
 * free.
 */
export function updateChain(
  tx: Tx,
  queue: QueueKey,
  tip: Oid,
  slots: number,
): NextCandidate | null {
  let on = tip
  /** The id of the entry whose candidate is `on`. */
  let ahead: string | null = null
  /** Whether all entries ahead have passed. */
  let proven = true
  let testing = 0
  let next: NextCandidate | null = null
  for (const found of listWaiting(tx.db, queue)) {
    if (next) {
      if (found.candidate_sha !== null || found.verdict !== null) resetEntry(tx, found)
      continue
    }
    const entry: EntryRow | null =
      found.base_sha === null || found.base_sha === on ? found : resetOrRemove(tx, found, ahead)
    if (entry === null) continue
    if (entry.verdict !== null) {
      if (proven || entry.verdict === 'internal')
        removeEntry(tx, entry, {
          state: 'failed',
          reason: entry.verdict,
          note: verdictText(tx, { ...entry, verdict: entry.verdict }),
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
 * Resets an entry whose candidate is not built on the entry ahead. When something else moved the
 * base, that costs an attempt, so that a base that moves all the time does not keep the queue
 * testing for ever. Null when the entry left.
 */
function resetOrRemove(tx: Tx, entry: EntryRow, ahead: string | null): EntryRow | null {
  const moved =
    ahead === null &&
    entry.candidate_sha !== null &&
    (entry.rests_on === null || findEntry(tx.db, entry.rests_on)?.state === 'landed')
  if (moved && entry.attempt >= MAX_ATTEMPTS) {
    removeEntry(tx, entry, {
      state: 'failed',
      reason: 'base_moved',
      note: `${entry.base_ref} was moved from elsewhere ${MAX_ATTEMPTS} times while it was being tested`,
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
