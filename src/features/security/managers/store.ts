/** The table `security_managers`: teams that work on security findings. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'

/** Whether a person is in such a team of the workspace, or in a team below one. */
export const isSecurityManager = (db: Db, workspace_id: string, person_id: string): boolean =>
  db.one(
    `SELECT 1 FROM security_managers s JOIN team_lines l ON l.ancestor_id = s.team_id
     JOIN team_members m ON m.team_id = l.team_id
     WHERE s.workspace_id = ? AND m.user_id = ? LIMIT 1`,
    workspace_id,
    person_id,
  ) !== null

/** Returns whether the team was none before. */
export const putSecurityTeam = (
  tx: Tx,
  row: { team_id: string; workspace_id: string; added_by: string },
): boolean =>
  tx.db.run(
    `INSERT INTO security_managers (team_id, workspace_id, added_by, added_at) VALUES (?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
    row.team_id,
    row.workspace_id,
    row.added_by,
    tx.now,
  ) > 0

/** Returns whether the team was one before. */
export const removeSecurityTeam = (tx: Tx, team_id: string): boolean =>
  tx.db.run('DELETE FROM security_managers WHERE team_id = ?', team_id) > 0

export const listSecurityTeams = (db: Db, workspace_id: string): string[] =>
  db
    .all<{ team_id: string }>(
      'SELECT team_id FROM security_managers WHERE workspace_id = ? ORDER BY added_at, team_id',
      workspace_id,
    )
    .map(({ team_id }) => team_id)
