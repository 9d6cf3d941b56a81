/**
 * The pull requests of a repository that is gone: a few at a time, and first what one of them may
 * have very many of.
 */
import type { Tx } from '#core/write.ts'

/** Each takes what is left of it along. */
const PULLS_AT_ONCE = 10

/** Tables with the columns that tell their rows apart. */
const MANY: readonly (readonly [table: string, columns: string])[] = [
  ['session_entries', 'pull_id, seq'],
  ['pull_touches', 'pull_id, path'],
  ['pull_folders', 'pull_id, path'],
  ['viewed_files', 'pull_id, user_id, path'],
  ['pull_heads', 'pull_id, sha'],
]

/** Takes away some of it; gives how many rows, 0 when nothing is left. */
export function removePullsOf(tx: Tx, repo_id: string, limit: number): number {
  const ids = JSON.stringify(
    tx.db
      .all<{ id: string }>(
        'SELECT id FROM pulls WHERE repo_id = ? ORDER BY number LIMIT ?',
        repo_id,
        PULLS_AT_ONCE,
      )
      .map(({ id }) => id),
  )
  for (const [table, columns] of MANY) {
    const removed = tx.db.run(
      `DELETE FROM ${table} WHERE (${columns}) IN (SELECT ${columns} FROM ${table} WHERE pull_id IN (SELECT value FROM json_each(?)) LIMIT ?)`,
      ids,
      limit * 5,
    )
    if (removed > 0) return removed
  }
  return tx.db.run('DELETE FROM pulls WHERE id IN (SELECT value FROM json_each(?))', ids)
}
