/**
 * People who may be concerned by events of a whole repository, read from tables of other features.
 */
import type { Db } from '#core/db.ts'

/**
 * Owners, people with a grant of maintain or more, and people with maintain by the base permission.
 * Callers check each of them again.
 */
export const listMaintainers = (db: Db, repo: { id: string; workspace_id: string }): string[] =>
  db
    .all<{ user_id: string }>(
      `SELECT user_id FROM members m JOIN workspaces w ON w.id = m.workspace_id WHERE w.id = ?2
         AND (m.role = 'owner' OR w.base_permission = 'admin')
       UNION SELECT user_id FROM role_grants WHERE repo_id = ?1 AND rank >= 4`,
      repo.id,
      repo.workspace_id,
    )
    .map(({ user_id }) => user_id)
