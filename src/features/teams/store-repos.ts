/**
 * The table `team_repos`: the role that a team gives on a repository to its members and to those of
 * its descendants.
 */
import type { Role } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'

export type TeamRepoRow = {
  repo_id: string
  full_name: string
  private: 0 | 1
  role: Role
  from_id: string
  from_slug: string
  distance: number
}

const SELECT = `SELECT x.repo_id, a.username || '/' || r.name AS full_name, r.private, x.role,
  t.id AS from_id, t.slug AS from_slug, l.distance
  FROM team_lines l JOIN team_repos x ON x.team_id = l.ancestor_id
  JOIN teams t ON t.id = x.team_id JOIN repos r ON r.id = x.repo_id
  JOIN actors a ON a.id = r.workspace_id`

/**
 * The roles that a team gives or inherits, newest repository first. A repository with several
 * sources has a row for each.
 */
export const listTeamRepoRows = (db: Db, team_id: string): TeamRepoRow[] =>
  db.all<TeamRepoRow>(
    `${SELECT} WHERE l.team_id = ? AND r.deleted_at IS NULL ORDER BY x.repo_id DESC, l.distance`,
    team_id,
  )

export const listTeamRepoRowsOf = (db: Db, team_id: string, repo_id: string): TeamRepoRow[] =>
  db.all<TeamRepoRow>(
    `${SELECT} WHERE l.team_id = ? AND x.repo_id = ? ORDER BY l.distance`,
    team_id,
    repo_id,
  )

/** The teams that give a role on a repository directly. */
export const listTeamsOfRepo = (
  db: Db,
  repo_id: string,
): { team_id: string; slug: string; name: string; role: Role }[] =>
  db.all(
    `SELECT x.team_id, t.slug, t.name, x.role FROM team_repos x JOIN teams t ON t.id = x.team_id
     WHERE x.repo_id = ? ORDER BY t.slug`,
    repo_id,
  )

export const putTeamRepo = (
  tx: Tx,
  row: { team_id: string; repo_id: string; role: Role; added_by: string },
): void =>
  void tx.db.run(
    `INSERT INTO team_repos (team_id, repo_id, role, added_by, added_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (team_id, repo_id) DO UPDATE SET role = excluded.role`,
    row.team_id,
    row.repo_id,
    row.role,
    row.added_by,
    tx.now,
  )

export const removeTeamRepoRow = (tx: Tx, team_id: string, repo_id: string): void =>
  void tx.db.run('DELETE FROM team_repos WHERE team_id = ? AND repo_id = ?', team_id, repo_id)
