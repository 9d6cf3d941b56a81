/** SQL for the roles that people and teams have on a package. */
import type { Role } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'

/** The roles that the teams of a person give, also those from teams above. */
export const listRolesByTeam = (db: Db, package_id: string, user_id: string): Role[] =>
  db
    .all<{ role: Role }>(
      `SELECT g.role FROM package_team_roles g JOIN team_lines l ON l.ancestor_id = g.team_id
       JOIN team_members m ON m.team_id = l.team_id
       WHERE g.package_id = ? AND m.user_id = ?`,
      package_id,
      user_id,
    )
    .map(({ role }) => role)

/** A package is given to few people and teams; the bound protects records. */
const MAX_ROLES = 1000

export const listPersonRoles = (db: Db, package_id: string): { actor_id: string; role: Role }[] =>
  db.all(
    `SELECT actor_id, role FROM package_roles WHERE package_id = ? ORDER BY actor_id LIMIT ${MAX_ROLES}`,
    package_id,
  )

export const listTeamRoles = (db: Db, package_id: string): { team_id: string; role: Role }[] =>
  db.all(
    `SELECT team_id, role FROM package_team_roles WHERE package_id = ? ORDER BY team_id LIMIT ${MAX_ROLES}`,
    package_id,
  )

export const findTeamRole = (db: Db, package_id: string, team_id: string): Role | null =>
  db.one<{ role: Role }>(
    'SELECT role FROM package_team_roles WHERE package_id = ? AND team_id = ?',
    package_id,
    team_id,
  )?.role ?? null

export const putTeamRole = (tx: Tx, package_id: string, team_id: string, role: Role): void =>
  void tx.db.run(
    `INSERT INTO package_team_roles (package_id, team_id, role) VALUES (?, ?, ?)
     ON CONFLICT (package_id, team_id) DO UPDATE SET role = excluded.role`,
    package_id,
    team_id,
    role,
  )

export const removeTeamRole = (tx: Tx, package_id: string, team_id: string): void =>
  void tx.db.run(
    'DELETE FROM package_team_roles WHERE package_id = ? AND team_id = ?',
    package_id,
    team_id,
  )
