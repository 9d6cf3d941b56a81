/** Who may be concerned by what happens to a whole repository; read from what others keep. */
import type { Db } from '#core/db.ts'

/**
 * Owners, and people with a grant of maintain or more; whoever the base permission makes one too.
 * Whether it still holds is asked for each.
 */
export const listKeepers = (db: Db, repo: { id: string; workspace_id: string }): string[] =>
  db
    .all<{ user_id: string }>(
      `SELECT user_id FROM members m JOIN workspaces w ON w.id = m.workspace_id WHERE w.id = ?2 AND (m.role = 'owner' OR w.base_permission = 'admin')
       UNION SELECT user_id FROM role_grants WHERE repo_id = ?1 AND rank >= 4`,
      repo.id,
      repo.workspace_id,
    )
    .map(({ user_id }) => user_id)
