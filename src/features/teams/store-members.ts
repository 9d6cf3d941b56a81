/** The tables `team_members` and `team_turns`. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { Timestamp } from '#lib/time.ts'
import type { TeamRole } from './schema.ts'

export type TeamMemberRow = {
  user_id: string
  username: string
  role: TeamRole
  added_by: string | null
  added_at: Timestamp
}

const SELECT = `SELECT m.user_id, a.username, m.role, m.added_by, m.added_at FROM team_members m
   JOIN actors a ON a.id = m.user_id`

/** The roles of a user in teams, by the ids of the teams. */
export const teamRolesOf = (
  db: Db,
  team_ids: readonly string[],
  user_id: string,
): ReadonlyMap<string, TeamRole> =>
  new Map(
    db
      .all<{ team_id: string; role: TeamRole }>(
        'SELECT team_id, role FROM team_members WHERE team_id IN (SELECT value FROM json_each(?)) AND user_id = ?',
        JSON.stringify(team_ids),
        user_id,
      )
      .map(({ team_id, role }) => [team_id, role]),
  )

export const findTeamRole = (db: Db, team_id: string, user_id: string): TeamRole | null =>
  teamRolesOf(db, [team_id], user_id).get(team_id) ?? null

export const findTeamMember = (db: Db, team_id: string, user_id: string): TeamMemberRow | null =>
  db.one<TeamMemberRow>(`${SELECT} WHERE m.team_id = ? AND m.user_id = ?`, team_id, user_id)

/** Newest account first, as ids sort. */
export const listTeamMemberRows = (
  db: Db,
  filter: { team_id: string; role?: TeamRole; limit: number; offset: number },
): TeamMemberRow[] =>
  db.all<TeamMemberRow>(
    `${SELECT} WHERE m.team_id = ?1 AND (?2 IS NULL OR m.role = ?2) ORDER BY m.user_id DESC
     LIMIT ?3 OFFSET ?4`,
    filter.team_id,
    filter.role ?? null,
    filter.limit,
    filter.offset,
  )

export const putTeamMember = (
  tx: Tx,
  row: { team_id: string; user_id: string; role: TeamRole; added_by: string | null },
): void =>
  void tx.db.run(
    `INSERT INTO team_members (team_id, user_id, role, added_by, added_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (team_id, user_id) DO UPDATE SET role = excluded.role`,
    row.team_id,
    row.user_id,
    row.role,
    row.added_by,
    tx.now,
  )

export const removeTeamMemberRow = (tx: Tx, team_id: string, user_id: string): void =>
  void tx.db.run('DELETE FROM team_members WHERE team_id = ? AND user_id = ?', team_id, user_id)

/** The teams of a workspace that a user is in. */
export const listTeamsOf = (
  db: Db,
  workspace_id: string,
  user_id: string,
): { team_id: string; slug: string }[] =>
  db.all(
    `SELECT m.team_id, t.slug FROM team_members m JOIN teams t ON t.id = m.team_id
     WHERE m.user_id = ? AND t.workspace_id = ? ORDER BY t.slug`,
    user_id,
    workspace_id,
  )

/** Ids of the members of a team, optionally with those of its descendants; by time of joining. */
export const listTeamPeople = (db: Db, team_id: string, { below }: { below: boolean }): string[] =>
  db
    .all<{ user_id: string }>(
      `SELECT m.user_id FROM team_lines l JOIN team_members m ON m.team_id = l.team_id
       JOIN users u ON u.id = m.user_id
       WHERE l.ancestor_id = ?1 AND (?2 = 1 OR l.distance = 0) AND u.suspended_at IS NULL
       GROUP BY m.user_id ORDER BY min(l.distance), min(m.added_at), m.user_id`,
      team_id,
      below ? 1 : 0,
    )
    .map(({ user_id }) => user_id)

/** The last turn of each member that a team has asked for a review. */
export const listReviewTurns = (db: Db, team_id: string): Map<string, number> =>
  new Map(
    db
      .all<{ user_id: string; turn: number }>(
        'SELECT user_id, turn FROM team_turns WHERE team_id = ?',
        team_id,
      )
      .map(({ user_id, turn }) => [user_id, turn]),
  )

/** Records that a team asked these users, in this order. */
export function recordReviewTurns(tx: Tx, team_id: string, user_ids: readonly string[]): void {
  let turn =
    tx.db.one<{ turn: number | null }>(
      'SELECT max(turn) AS turn FROM team_turns WHERE team_id = ?',
      team_id,
    )?.turn ?? 0
  for (const user_id of user_ids) {
    tx.db.run(
      `INSERT INTO team_turns (team_id, user_id, turn) VALUES (?, ?, ?)
       ON CONFLICT (team_id, user_id) DO UPDATE SET turn = excluded.turn`,
      team_id,
      user_id,
      ++turn,
    )
  }
}
