/** The table `pull_owners`: code owners of changed paths, per pair of commits. */
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

/** The owned paths of several changes, by the id of the pull request. */
export function listOwned(
  db: Db,
  changes: readonly { pull_id: string; base_sha: Oid; head_sha: Oid }[],
): Map<string, readonly OwnedPaths[]> {
  if (changes.length === 0) return new Map()
  const rows = db.all<{ pull_id: string; owners: string }>(
    `SELECT o.pull_id, o.owners FROM json_each(?) c
     JOIN pull_owners o ON o.pull_id = c.value ->> 0 AND o.base_sha = c.value ->> 1
       AND o.head_sha = c.value ->> 2`,
    JSON.stringify(changes.map(({ pull_id, base_sha, head_sha }) => [pull_id, base_sha, head_sha])),
  )
  return new Map(rows.map(({ pull_id, owners }) => [pull_id, JSON.parse(owners)]))
}
