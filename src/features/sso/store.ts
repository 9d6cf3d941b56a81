/** The table `group_memberships`: memberships that a provider's groups gave to a user. */
import type { Db, WritableDb } from '#core/db.ts'

export type GroupMembershipRow = {
  provider: string
  user_id: string
  workspace_id: string
  /** Empty for a membership of the workspace itself. */
  team_id: string
  role: 'member' | 'owner'
}

export const listGroupMemberships = (
  db: Db,
  provider: string,
  user_id: string,
): GroupMembershipRow[] =>
  db.all<GroupMembershipRow>(
    `SELECT * FROM group_memberships WHERE provider = ? AND user_id = ?
     ORDER BY workspace_id, team_id`,
    provider,
    user_id,
  )

export const putGroupMembership = (db: WritableDb, row: GroupMembershipRow): void =>
  void db.run(
    `INSERT INTO group_memberships (provider, user_id, workspace_id, team_id, role)
     VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (provider, user_id, workspace_id, team_id) DO UPDATE SET role = excluded.role`,
    row.provider,
    row.user_id,
    row.workspace_id,
    row.team_id,
    row.role,
  )

export const removeGroupMembership = (db: WritableDb, row: GroupMembershipRow): void =>
  void db.run(
    `DELETE FROM group_memberships WHERE provider = ? AND user_id = ? AND workspace_id = ?
     AND team_id = ?`,
    row.provider,
    row.user_id,
    row.workspace_id,
    row.team_id,
  )
