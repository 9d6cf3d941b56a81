/** The table `pull_owners`: who answers for what a pull request changes, per pair of commits. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { Oid } from '#git'
import type { OwnedPaths } from './owners.ts'

export const setOwners = (
  tx: Tx,
  pull_id: string,
  { base_sha, head_sha }: { base_sha: Oid; head_sha: Oid },
  owned: readonly OwnedPaths[],
): void =>
  void tx.db.run(
    'INSERT OR REPLACE INTO pull_owners (pull_id, base_sha, head_sha, owners) VALUES (?, ?, ?, ?)',
    pull_id,
    base_sha,
    head_sha,
    JSON.stringify(owned),
  )

/** Known whenever the stats of the same pair of commits are. */
export function listOwned(
  db: Db,
  pull_id: string,
  { base_sha, head_sha }: { base_sha: Oid; head_sha: Oid },
): OwnedPaths[] {
  const row = db.one<{ owners: string }>(
    'SELECT owners FROM pull_owners WHERE pull_id = ? AND base_sha = ? AND head_sha = ?',
    pull_id,
    base_sha,
    head_sha,
  )
  return row ? (JSON.parse(row.owners) as OwnedPaths[]) : []
}
