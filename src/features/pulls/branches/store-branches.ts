/** Renames branches in the rows of pull requests. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { PullRow } from '../store-pulls.ts'

/**
 * Pull requests that can still be pushed to, merged or reopened. A merged pull request keeps the
 * names that it had.
 */
const NOT_FINISHED = `(active = 1 OR (status = 'closed' AND superseded_by IS NULL))`
/**
 * A pull request that was closed by the deletion of its branch does not follow a new branch of the
 * same name.
 */
const NOT_FINISHED_HEAD = `(active = 1 OR (status = 'closed' AND superseded_by IS NULL AND closed_because <> 'branch_deleted'))`

export const listActiveNaming = (db: Db, repo_id: string, branch: string): PullRow[] =>
  db.all<PullRow>(
    `SELECT * FROM pulls WHERE repo_id = ?1 AND active = 1 AND (branch = ?2 OR base_ref = ?2)
      ORDER BY number`,
    repo_id,
    branch,
  )

export function renameBranchInPulls(
  tx: Tx,
  repo_id: string,
  previous: string,
  branch: string,
): void {
  tx.db.run(
    `UPDATE pulls SET branch = ?3, head_ref = ?3 WHERE repo_id = ?1 AND branch = ?2 AND ${NOT_FINISHED_HEAD}`,
    repo_id,
    previous,
    branch,
  )
  tx.db.run(
    `UPDATE pulls SET base_ref = ?3 WHERE repo_id = ?1 AND base_ref = ?2 AND ${NOT_FINISHED}`,
    repo_id,
    previous,
    branch,
  )
}

/** The same for the branch of a fork. */
export const renameHeadOfFork = (tx: Tx, pull_id: string, head_ref: string): void =>
  void tx.db.run(
    'UPDATE pulls SET head_ref = ?, updated_at = ? WHERE id = ?',
    head_ref,
    tx.now,
    pull_id,
  )
