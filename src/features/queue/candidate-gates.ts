/** What else must pass on a candidate: runs of workflows. */
import type { Hearth } from '#core/hearth.ts'
import type { Tx } from '#core/write.ts'
import { candidateGates, type CandidateResult, type PullRow } from '#features/pulls/index.ts'
import type { EntryRow } from './store.ts'

/** Asks every gate for its tests. True when there are any. */
export function startGates(tx: Tx, entry: EntryRow, pull: PullRow): boolean {
  const { id, candidate_sha: sha, base_sha, queued_by } = entry
  if (sha === null || base_sha === null) return false
  const started = candidateGates
    .all(tx.hearth)
    .map((gate) => gate.start(tx, { id, pull, base_sha, sha, queued_by }))
  return started.includes(true)
}

/** How the gates of a candidate stand together; null when there are none. */
export function gateResult(
  hearth: Hearth,
  { id, candidate_sha: sha }: EntryRow,
): CandidateResult | null {
  if (sha === null) return null
  const results = candidateGates
    .all(hearth)
    .map((gate) => gate.resultOf(hearth.db, id, sha))
    .filter((result) => result !== null)
  return (
    results.find(({ state }) => state === 'failed') ??
    results.find(({ state }) => state === 'pending') ??
    results[0] ??
    null
  )
}

export function dropGates(tx: Tx, { id }: EntryRow): void {
  for (const gate of candidateGates.all(tx.hearth)) gate.drop(tx, id)
}
