/**
 * The tables `workspaces` and `members`. Slug and name are columns of the workspace's row in
 * `actors`, which accounts writes.
 */
import type { WorkspaceRole } from '#core/access.ts'
import type { Db, WritableDb } from '#core/db.ts'
import { preload, memo } from '#core/read-scope.ts'
import type { Timestamp } from '#lib/time.ts'
import type { BasePermission } from './schema.ts'

export type WorkspaceRow = {
  id: string
  slug: string
  name: string
  description: string
  base_permission: BasePermission
  team_creation: 'members' | 'owners'
  package_creation: 'members' | 'owners'
  members_can_create_public_repositories: number
  members_can_create_private_repositories: number
  members_can_change_repo_visibility: number
  members_can_delete_repositories: number
  members_can_invite_outside_collaborators: number
  two_factor_requirement_enabled: number
  memory_review: number
  secret_scanning_required: number
  push_protection_required: number
  repositories_count: number
  created_by: string | null
  created_at: string
  updated_at: string
}

const SELECT = `SELECT w.*, a.username AS slug, coalesce(a.name, a.username) AS name
  FROM workspaces w JOIN actors a ON a.id = w.id`

export const findWorkspace = (db: Db, slug: string): WorkspaceRow | null =>
  memo(db, 'workspace by name', slug.toLowerCase(), () => {
    const row = db.one<WorkspaceRow>(
      `${SELECT} WHERE a.username = ? AND a.kind = 'workspace'`,
      slug.toLowerCase(),
    )
    return row && memo(db, 'workspace', row.id, () => row)
  })

export const workspaceById = (db: Db, id: string): WorkspaceRow | null =>
  memo(db, 'workspace', id, () => db.one<WorkspaceRow>(`${SELECT} WHERE w.id = ?`, id))

/** Preloads workspaces into the current read scope. */
export const preloadWorkspaces = (db: Db, ids: readonly string[]): void =>
  preload(
    db,
    'workspace',
    ids,
    () =>
      new Map(
        db
          .all<WorkspaceRow>(
            `${SELECT} WHERE w.id IN (SELECT value FROM json_each(?))`,
            JSON.stringify(ids),
          )
          .map((row) => [row.id, row]),
      ),
    () => null,
  )

export const insertWorkspace = (
  db: WritableDb,
  row: { id: string; created_by: string; now: Timestamp },
): void =>
  void db.run(
    'INSERT INTO workspaces (id, created_by, created_at, updated_at) VALUES (?, ?, ?, ?)',
    row.id,
    row.created_by,
    row.now,
    row.now,
  )

export const setWorkspace = (
  db: WritableDb,
  id: string,
  change: { description?: string; base_permission?: BasePermission; now: Timestamp },
): void =>
  void db.run(
    `UPDATE workspaces SET description = coalesce(?, description), base_permission = coalesce(?,
     base_permission), updated_at = ? WHERE id = ?`,
    change.description ?? null,
    change.base_permission ?? null,
    change.now,
    id,
  )

export const PRIVILEGES = [
  'team_creation',
  'package_creation',
  'members_can_create_public_repositories',
  'members_can_create_private_repositories',
  'members_can_change_repo_visibility',
  'members_can_delete_repositories',
  'members_can_invite_outside_collaborators',
  'two_factor_requirement_enabled',
  'memory_review',
  'secret_scanning_required',
  'push_protection_required',
] as const
export type Privileges = Pick<WorkspaceRow, (typeof PRIVILEGES)[number]>

export function setPrivileges(
  db: WritableDb,
  id: string,
  change: Partial<Privileges>,
  now: Timestamp,
): void {
  const names = PRIVILEGES.filter((name) => change[name] !== undefined)
  const columns = [...names.map((name) => `${name} = ?`), 'updated_at = ?'].join(', ')
  db.run(
    `UPDATE workspaces SET ${columns} WHERE id = ?`,
    ...names.map((name) => change[name] ?? null),
    now,
    id,
  )
}

/** Counts the repositories that prevent the deletion of a workspace. */
export const countUnpurgedRepositories = (db: Db, id: string): number =>
  db.one<{ count: number }>(
    `SELECT count(*) AS count FROM repos
     WHERE workspace_id = ? AND parent_id IS NULL AND purged_at IS NULL`,
    id,
  )?.count ?? 0

/** Counts all rows, because deleting a workspace must not cascade to a whole repository. */
export const countRepositoryRows = (db: Db, id: string): number =>
  db.one<{ count: number }>('SELECT count(*) AS count FROM repos WHERE workspace_id = ?', id)
    ?.count ?? 0

export const removeWorkspaceRow = (db: WritableDb, id: string): void =>
  void db.run('DELETE FROM workspaces WHERE id = ?', id)

export const setRepositoriesCount = (db: WritableDb, id: string, by: 1 | -1): void =>
  void db.run(
    'UPDATE workspaces SET repositories_count = max(0, repositories_count + ?) WHERE id = ?',
    by,
    id,
  )

export type Membership = {
  workspace_id: string
  slug: string
  name: string
  role: WorkspaceRole
  two_factor_required: boolean
}

/** The workspaces that a user belongs to, newest first. */
export const listMemberships = (db: Db, user_id: string): Membership[] =>
  db
    .all<Omit<Membership, 'two_factor_required'> & { two_factor_required: number }>(
      `SELECT m.workspace_id, a.username AS slug, coalesce(a.name, a.username) AS name, m.role,
       w.two_factor_requirement_enabled AS two_factor_required
       FROM members m JOIN workspaces w ON w.id = m.workspace_id JOIN actors a ON a.id = w.id
       WHERE m.user_id = ? ORDER BY m.workspace_id DESC`,
      user_id,
    )
    .map((row) => ({ ...row, two_factor_required: row.two_factor_required === 1 }))

/**
 * The workspaces whose private repositories a user can read as a member: as owner, or through a
 * base permission. Excludes workspaces that require a second factor which the user lacks.
 */
export const listReadableWorkspaceIds = (db: Db, user_id: string): string[] =>
  db
    .all<{ workspace_id: string }>(
      `SELECT m.workspace_id FROM members m JOIN workspaces w ON w.id = m.workspace_id
       JOIN users u ON u.id = m.user_id
       WHERE m.user_id = ? AND (m.role = 'owner' OR w.base_permission <> 'none')
       AND NOT (w.two_factor_requirement_enabled = 1 AND u.two_factor_enabled = 0)`,
      user_id,
    )
    .map(({ workspace_id }) => workspace_id)

export const countMemberships = (db: Db, user_id: string): number =>
  db.one<{ count: number }>('SELECT count(*) AS count FROM members WHERE user_id = ?', user_id)
    ?.count ?? 0

export const countMembers = (db: Db, workspace_id: string): number =>
  db.one<{ count: number }>(
    'SELECT count(*) AS count FROM members WHERE workspace_id = ?',
    workspace_id,
  )?.count ?? 0

export const countOwners = (db: Db, workspace_id: string): number =>
  db.one<{ count: number }>(
    `SELECT count(*) AS count FROM members WHERE workspace_id = ? AND role = 'owner'`,
    workspace_id,
  )?.count ?? 0

/** A user's role in a workspace, and whether the user lacks a second factor that it requires. */
export const findStanding = (
  db: Db,
  workspace_id: string,
  user_id: string,
): { role: WorkspaceRole; two_factor_missing: boolean } | null => {
  const row = db.one<{ role: WorkspaceRole; missing: number }>(
    `SELECT m.role, w.two_factor_requirement_enabled = 1 AND u.two_factor_enabled = 0 AS missing
     FROM members m JOIN workspaces w ON w.id = m.workspace_id JOIN users u ON u.id = m.user_id
     WHERE m.workspace_id = ? AND m.user_id = ?`,
    workspace_id,
    user_id,
  )
  return row && { role: row.role, two_factor_missing: row.missing === 1 }
}

export type MemberRow = {
  user_id: string
  username: string
  role: WorkspaceRole
  invited_by: string | null
  joined_at: string
  two_factor_enabled: number
  teams: number
  visible_teams: number
}

const MEMBERS = `SELECT m.user_id, a.username, m.role, m.invited_by, m.joined_at, u.two_factor_enabled,
    (SELECT count(*) FROM team_members x JOIN teams t ON t.id = x.team_id
    WHERE x.user_id = m.user_id AND t.workspace_id = m.workspace_id) AS teams,
    (SELECT count(*) FROM team_members x JOIN teams t ON t.id = x.team_id
      WHERE x.user_id = m.user_id AND t.workspace_id = m.workspace_id
      AND t.visibility = 'visible') AS visible_teams
  FROM members m JOIN actors a ON a.id = m.user_id JOIN users u ON u.id = m.user_id`

export const findMember = (db: Db, workspace_id: string, username: string): MemberRow | null =>
  db.one<MemberRow>(
    `${MEMBERS} WHERE m.workspace_id = ? AND a.username = ?`,
    workspace_id,
    username.toLowerCase(),
  )

/** Newest account first, as ids sort. */
export const listMemberRows = (
  db: Db,
  filter: { workspace_id: string; role?: WorkspaceRole; limit: number; offset: number },
): MemberRow[] =>
  db.all<MemberRow>(
    `${MEMBERS} WHERE m.workspace_id = ?1 AND (?2 IS NULL OR m.role = ?2) ORDER BY m.user_id DESC
     LIMIT ?3 OFFSET ?4`,
    filter.workspace_id,
    filter.role ?? null,
    filter.limit,
    filter.offset,
  )

export const insertMember = (
  db: WritableDb,
  row: {
    workspace_id: string
    user_id: string
    role: WorkspaceRole
    invited_by: string | null
    now: Timestamp
  },
): void =>
  void db.run(
    `INSERT INTO members (workspace_id, user_id, role, invited_by, joined_at)
     VALUES (?, ?, ?, ?, ?)`,
    row.workspace_id,
    row.user_id,
    row.role,
    row.invited_by,
    row.now,
  )

export const setMemberRole = (
  db: WritableDb,
  workspace_id: string,
  user_id: string,
  role: WorkspaceRole,
): void =>
  void db.run(
    'UPDATE members SET role = ? WHERE workspace_id = ? AND user_id = ?',
    role,
    workspace_id,
    user_id,
  )

export const removeMemberRow = (db: WritableDb, workspace_id: string, user_id: string): void =>
  void db.run('DELETE FROM members WHERE workspace_id = ? AND user_id = ?', workspace_id, user_id)
