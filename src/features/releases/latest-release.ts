/** Determines the latest release. */
import type { Tx } from '#core/write.ts'
import { listLatestCandidates, setLatest, type LatestCandidate } from './store.ts'
import { compareTagVersions, parseTagVersion } from '#lib/versions/tag.ts'

/**
 * Chooses the release that was set as latest; else the highest version; else the newest. Releases
 * that were set as not latest count only when there are no others.
 */
export function chooseLatest(candidates: readonly LatestCandidate[]): LatestCandidate | null {
  const chosen = candidates.find(({ latest_choice }) => latest_choice === 1)
  if (chosen) return chosen
  const willing = candidates.filter(({ latest_choice }) => latest_choice === null)
  const among = willing.length > 0 ? willing : candidates
  const [first = null, ...others] = among.flatMap((one) => {
    const version = parseTagVersion(one.tag_name)
    return version ? [{ one, version }] : []
  })
  if (first === null) return among[0] ?? null
  return others.reduce(
    (best, other) => (compareTagVersions(other.version, best.version) > 0 ? other : best),
    first,
  ).one
}

/** Updates the latest release, in the transaction that changed one. */
export function updateLatest(tx: Tx, repo_id: string): void {
  setLatest(tx, repo_id, chooseLatest(listLatestCandidates(tx.db, repo_id))?.id ?? null)
}
