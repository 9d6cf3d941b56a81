/** Which release is the latest. */
import type { Tx } from '#core/write.ts'
import { listCandidates, setLatest, type Candidate } from './store.ts'
import { compareVersions, versionOf } from './version-order.ts'

/**
 * The one that was set; else the highest version; else the newest. Those that were said not to be
 * it are passed over while there are others.
 */
export function latestOf(candidates: readonly Candidate[]): Candidate | null {
  const chosen = candidates.find(({ latest_choice }) => latest_choice === 1)
  if (chosen) return chosen
  const willing = candidates.filter(({ latest_choice }) => latest_choice === null)
  const among = willing.length > 0 ? willing : candidates
  const [first = null, ...others] = among.flatMap((one) => {
    const version = versionOf(one.tag_name)
    return version ? [{ one, version }] : []
  })
  if (first === null) return among[0] ?? null
  return others.reduce(
    (best, other) => (compareVersions(other.version, best.version) > 0 ? other : best),
    first,
  ).one
}

/** Works it out anew, in the transaction that changed a release. */
export function settleLatest(tx: Tx, repo_id: string): void {
  setLatest(tx, repo_id, latestOf(listCandidates(tx.db, repo_id))?.id ?? null)
}
