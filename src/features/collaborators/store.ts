/** The table `collaborators`: roles that were given to users directly. */
import type { Role } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import { memo, preload } from '#core/read-scope.ts'
import type { Tx } from '#core/write.ts'
import type { Timestamp } from '#lib/time.ts'

export type GrantRow = {
  repo_id: string
  user_id: string
  role: Role
  added_by: string | null
  added_at: Timestamp
}

export const findGrant = (db: Db, repo_id: string, user_id: string): GrantRow | null =>
  db.one<GrantRow>(
    'SELECT * FROM collaborators WHERE repo_id = ? AND user_id = ?',
    repo_id,
    user_id,
  )

export const putGrant = (tx: Tx, row: Omit<GrantRow, 'added_at'>): void =>
  void tx.db.run(
    `INSERT INTO collaborators (repo_id, user_id, role, added_by, added_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (repo_id, user_id) DO UPDATE SET role = excluded.role`,
    row.repo_id,
    row.user_id,
    row.role,
    row.added_by,
    tx.now,
  )

export const removeGrant = (tx: Tx, repo_id: string, user_id: string): void =>
  void tx.db.run('DELETE FROM collaborators WHERE repo_id = ? AND user_id = ?', repo_id, user_id)

export const listGrantsOfRepo = (db: Db, repo_id: string): GrantRow[] =>
  db.all<GrantRow>('SELECT * FROM collaborators WHERE repo_id = ? ORDER BY user_id', repo_id)

/** The direct roles of a user on the repositories of a workspace. */
export const listGrantsIn = (
  db: Db,
  workspace_id: string,
  user_id: string,
): (GrantRow & { full_name: string })[] =>
  db.all(
    `SELECT c.*, a.username || '/' || r.name AS full_name FROM collaborators c
     JOIN repos r ON r.id = c.repo_id JOIN actors a ON a.id = r.workspace_id
     WHERE c.user_id = ? AND r.workspace_id = ? ORDER BY r.name`,
    user_id,
    workspace_id,
  )

/** The users with a role on a repository, newest account first. */
export const listCollaboratorIds = (
  db: Db,
  repo: { id: string; workspace_id: string },
  window: { limit: number; offset: number },
): string[] =>
  db
    .all<{ user_id: string }>(
      `SELECT user_id FROM members m JOIN workspaces w ON w.id = m.workspace_id WHERE w.id = ?2
       AND (m.role = 'owner' OR w.base_permission <> 'none')
       UNION SELECT user_id FROM role_grants WHERE repo_id = ?1 ORDER BY user_id DESC
       LIMIT ?3 OFFSET ?4`,
      repo.id,
      repo.workspace_id,
      window.limit,
      window.offset,
    )
    .map(({ user_id }) => user_id)

/**
 * The times from which a user has a role: from membership of the workspace, and from a direct
 * grant.
 */
export const findGrantTimes = (
  db: Db,
  repo: { id: string; workspace_id: string },
  user_id: string,
): { joined_at: Timestamp | null; granted_at: Timestamp | null } =>
  memo(
    db,
    'grant times',
    `${repo.id} ${user_id}`,
    () => listGrantTimes(db, repo, [user_id])[0] ?? NO_GRANT,
  )

const NO_GRANT: Omit<GrantTimes, 'user_id'> = { joined_at: null, granted_at: null }

type GrantTimes = {
  readonly user_id: string
  readonly joined_at: Timestamp | null
  readonly granted_at: Timestamp | null
}

const listGrantTimes = (
  db: Db,
  repo: { id: string; workspace_id: string },
  user_ids: readonly string[],
): GrantTimes[] =>
  db.all<GrantTimes>(
    `SELECT u.value AS user_id,
       (SELECT joined_at FROM members WHERE workspace_id = ?2 AND user_id = u.value) AS joined_at,
       (SELECT added_at FROM collaborators WHERE repo_id = ?1 AND user_id = u.value) AS granted_at
     FROM json_each(?3) u`,
    repo.id,
    repo.workspace_id,
    JSON.stringify(user_ids),
  )

/** Preloads the times of several people into the current read scope. */
export const preloadGrantTimes = (
  db: Db,
  repo: { id: string; workspace_id: string },
  user_ids: readonly string[],
): void =>
  preload(
    db,
    'grant times',
    user_ids.map((id) => `${repo.id} ${id}`),
    () =>
      new Map(listGrantTimes(db, repo, user_ids).map((row) => [`${repo.id} ${row.user_id}`, row])),
    () => NO_GRANT,
  )

/** The team that gives a user the highest role on a repository. A visible team is preferred. */
export const findTeamOf = (
  db: Db,
  repo_id: string,
  user_id: string,
): { id: string; slug: string; visibility: 'visible' | 'secret'; since: Timestamp } | null =>
  db.one(
    `SELECT t.id, t.slug, t.visibility, g.granted_at AS since FROM role_grants g
     JOIN teams t ON t.id = g.team_id
     WHERE g.repo_id = ? AND g.user_id = ? AND g.team_id IS NOT NULL
     ORDER BY g.rank DESC, t.visibility DESC, t.slug LIMIT 1`,
    repo_id,
    user_id,
  )

export type OutsideRow = { user_id: string; two_factor_enabled: number; added_at: Timestamp }

/** Users with a direct role in a workspace who do not belong to it, newest account first. */
export const listOutside = (
  db: Db,
  workspace_id: string,
  window: { limit: number; offset: number },
): OutsideRow[] =>
  db.all<OutsideRow>(
    `SELECT c.user_id, u.two_factor_enabled, min(c.added_at) AS added_at
     FROM repos r JOIN collaborators c ON c.repo_id = r.id JOIN users u ON u.id = c.user_id
     WHERE r.workspace_id = ?1 AND r.deleted_at IS NULL AND NOT EXISTS (SELECT 1 FROM members m
     WHERE m.workspace_id = ?1 AND m.user_id = c.user_id)
     GROUP BY c.user_id ORDER BY c.user_id DESC LIMIT ?2 OFFSET ?3`,
    workspace_id,
    window.limit,
    window.offset,
  )

export const listOutsideRepos = (
  db: Db,
  workspace_id: string,
  user_id: string,
): { full_name: string; role: Role }[] =>
  db.all(
    `SELECT a.username || '/' || r.name AS full_name, c.role FROM collaborators c
     JOIN repos r ON r.id = c.repo_id JOIN actors a ON a.id = r.workspace_id
     WHERE c.user_id = ? AND r.workspace_id = ? AND r.deleted_at IS NULL ORDER BY r.name`,
    user_id,
    workspace_id,
  )
