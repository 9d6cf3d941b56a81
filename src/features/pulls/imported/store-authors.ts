/** Gives what one actor wrote in a repository to another. */
import type { Tx } from '#core/write.ts'

/** Pull requests, their merges, and reviews. */
export function changeAuthorOfPulls(tx: Tx, repo_id: string, from: string, to: string): void {
  for (const column of ['author_id', 'merged_by', 'closed_by'])
    tx.db.run(
      `UPDATE pulls SET ${column} = ? WHERE repo_id = ? AND ${column} = ?`,
      to,
      repo_id,
      from,
    )
  for (const column of ['author_id', 'dismissed_by'])
    tx.db.run(
      `UPDATE reviews SET ${column} = ?
       WHERE ${column} = ? AND pull_id IN (SELECT id FROM pulls WHERE repo_id = ?)`,
      to,
      from,
      repo_id,
    )
}
