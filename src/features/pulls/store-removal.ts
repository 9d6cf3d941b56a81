/**
 * Removes the pull requests of a purged repository in batches, the tables with many rows per pull
 * request first.
 */
import type { Tx } from '#core/write.ts'

/** Deleting a pull request cascades to its remaining rows. */
const PULLS_PER_BATCH = 10

/** Tables with many rows per pull request, and the columns of their keys. */
const LARGE_TABLES: readonly (readonly [table: string, columns: string])[] = [
  ['session_entries', 'pull_id, seq'],
  ['pull_touches', 'pull_id, path'],
  ['pull_folders', 'pull_id, path'],
  ['viewed_files', 'pull_id, user_id, path'],
  ['pull_heads', 'pull_id, sha'],
]

/** Removes one batch and returns the number of rows; 0 when nothing is left. */
export function removePullsOfRepo(tx: Tx, repo_id: string, limit: number): number {
  const ids = JSON.stringify(
    tx.db
      .all<{ id: string }>(
        'SELECT id FROM pulls WHERE repo_id = ? ORDER BY number LIMIT ?',
        repo_id,
        PULLS_PER_BATCH,
      )
      .map(({ id }) => id),
  )
  for (const [table, columns] of LARGE_TABLES) {
    const removed = tx.db.run(
      `DELETE FROM ${table} WHERE (${columns}) IN (SELECT ${columns} FROM ${table}
        WHERE pull_id IN (SELECT value FROM json_each(?)) LIMIT ?)`,
      ids,
      limit * 5,
    )
    if (removed > 0) return removed
  }
  return tx.db.run('DELETE FROM pulls WHERE id IN (SELECT value FROM json_each(?))', ids)
}
