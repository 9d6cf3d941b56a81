/** SQL for former names of repositories and branches. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'

export const findRedirect = (db: Db, workspace_id: string, name: string): string | null =>
  db.one<{ repo_id: string }>(
    'SELECT repo_id FROM redirects WHERE workspace_id = ? AND name = ?',
    workspace_id,
    name,
  )?.repo_id ?? null

/** A former name leads to the repository that gave it up last. */
export const insertRedirect = (
  tx: Tx,
  from: { workspace_id: string; name: string },
  repo_id: string,
): void =>
  void tx.db.run(
    `INSERT INTO redirects (workspace_id, name, repo_id, created_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (workspace_id, name)
     DO UPDATE SET repo_id = excluded.repo_id, created_at = excluded.created_at`,
    from.workspace_id,
    from.name,
    repo_id,
    tx.now,
  )

export const removeRedirect = (tx: Tx, workspace_id: string, name: string): void =>
  void tx.db.run('DELETE FROM redirects WHERE workspace_id = ? AND name = ?', workspace_id, name)

export const findBranchRedirect = (db: Db, repo_id: string, previous: string): string | null =>
  db.one<{ branch: string }>(
    'SELECT branch FROM branch_redirects WHERE repo_id = ? AND previous = ?',
    repo_id,
    previous,
  )?.branch ?? null

/** Earlier names are updated too, so that a redirect takes one step. */
export function insertBranchRedirect(
  tx: Tx,
  repo_id: string,
  previous: string,
  branch: string,
): void {
  removeBranchRedirect(tx, repo_id, branch)
  tx.db.run(
    'UPDATE branch_redirects SET branch = ? WHERE repo_id = ? AND branch = ?',
    branch,
    repo_id,
    previous,
  )
  tx.db.run(
    'INSERT INTO branch_redirects (repo_id, previous, branch) VALUES (?, ?, ?)',
    repo_id,
    previous,
    branch,
  )
}

export const removeBranchRedirect = (tx: Tx, repo_id: string, previous: string): void =>
  void tx.db.run(
    'DELETE FROM branch_redirects WHERE repo_id = ? AND previous = ?',
    repo_id,
    previous,
  )
