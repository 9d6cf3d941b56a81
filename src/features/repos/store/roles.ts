/**
 * SQL for a person's standing on a repository. One query covers ownership, base permission, and
 * grants made directly or through teams (the view `role_grants`, which later features fill).
 */
import type { WorkspaceRole } from '#core/access.ts'
import { ROLES, type Role } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import { preload, memo } from '#core/read-scope.ts'

/** The sources of a person's role. The highest of them is the role. */
export type RoleParts = {
  readonly owner: Role | null
  readonly base: Role | null
  readonly direct: Role | null
  readonly team: Role | null
  readonly workspace_role: WorkspaceRole | null
  /** Whether the workspace requires a second factor that this person lacks, as a member or not. */
  readonly two_factor_missing: boolean
}

type StandingRow = {
  workspace_role: WorkspaceRole | null
  base_permission: 'none' | 'read' | 'write' | 'admin'
  missing: number
  direct: number | null
  team: number | null
}

const roleOfRank = (rank: number | null): Role | null =>
  rank === null ? null : (ROLES[rank - 1] ?? null)

const STANDING_COLUMNS = `m.role AS workspace_role, w.base_permission,
  w.two_factor_requirement_enabled = 1 AND u.two_factor_enabled = 0 AS missing`

const listStandings = (
  db: Db,
  repo_id: string,
  people: readonly string[],
): (StandingRow & { id: string })[] =>
  db.all(
    `SELECT p.value AS id, ${STANDING_COLUMNS},
       (SELECT max(rank) FROM role_grants
         WHERE repo_id = ?1 AND user_id = p.value AND team_id IS NULL) AS direct,
       (SELECT max(rank) FROM role_grants
         WHERE repo_id = ?1 AND user_id = p.value AND team_id IS NOT NULL) AS team
     FROM repos r JOIN workspaces w ON w.id = r.workspace_id JOIN json_each(?2) p
     LEFT JOIN members m ON m.workspace_id = w.id AND m.user_id = p.value LEFT JOIN users u ON u.id = p.value
     WHERE r.id = ?1`,
    repo_id,
    JSON.stringify(people),
  )

/**
 * Like `listStandings`, for one person on many repositories. The grants of the person are
 * materialized once, because the view cannot use an index on two columns of another table.
 */
const listStandingsOfPerson = (
  db: Db,
  repo_ids: readonly string[],
  person_id: string,
): (StandingRow & { id: string })[] =>
  db.all(
    `WITH granted AS MATERIALIZED (
       SELECT repo_id, max(rank) FILTER (WHERE team_id IS NULL) AS direct,
         max(rank) FILTER (WHERE team_id IS NOT NULL) AS team
       FROM role_grants WHERE user_id = ?2 GROUP BY repo_id
     )
     SELECT r.id, ${STANDING_COLUMNS}, g.direct, g.team
     FROM json_each(?1) i JOIN repos r ON r.id = i.value JOIN workspaces w ON w.id = r.workspace_id
     LEFT JOIN members m ON m.workspace_id = w.id AND m.user_id = ?2
     LEFT JOIN users u ON u.id = ?2 LEFT JOIN granted g ON g.repo_id = r.id`,
    JSON.stringify(repo_ids),
    person_id,
  )

/** `repo_id` is the id of a repository, never of a fork. */
export const findRoleParts = (db: Db, repo_id: string, person_id: string): RoleParts =>
  memo(db, 'role', `${repo_id} ${person_id}`, () =>
    partsOf(listStandings(db, repo_id, [person_id])[0]),
  )

/** Preloads the roles of several people on one repository. */
export const preloadRoles = (db: Db, repo_id: string, people: readonly string[]): void =>
  preload(
    db,
    'role',
    people.map((id) => `${repo_id} ${id}`),
    () =>
      new Map(
        listStandings(db, repo_id, people).map((row) => [`${repo_id} ${row.id}`, partsOf(row)]),
      ),
    () => partsOf(undefined),
  )

/** Preloads the roles of one person on many repositories. */
export const preloadRolesOfPerson = (
  db: Db,
  repo_ids: readonly string[],
  person_id: string,
): void =>
  preload(
    db,
    'role',
    repo_ids.map((id) => `${id} ${person_id}`),
    () =>
      new Map(
        listStandingsOfPerson(db, repo_ids, person_id).map((row) => [
          `${row.id} ${person_id}`,
          partsOf(row),
        ]),
      ),
    () => partsOf(undefined),
  )

function partsOf(row: StandingRow | undefined): RoleParts {
  const workspace_role = row?.workspace_role ?? null
  return {
    owner: workspace_role === 'owner' ? 'admin' : null,
    base:
      !row || workspace_role === null || row.base_permission === 'none'
        ? null
        : row.base_permission,
    direct: roleOfRank(row?.direct ?? null),
    team: roleOfRank(row?.team ?? null),
    workspace_role,
    two_factor_missing: row?.missing === 1,
  }
}

/** Whether anybody but this person can write to a repository now. */
export const hasOtherWriter = (db: Db, repo_id: string, person_id: string): boolean =>
  db.one(
    `SELECT 1 FROM users u WHERE u.suspended_at IS NULL AND u.id <> ?2 AND u.id IN (
       SELECT m.user_id FROM repos r JOIN workspaces w ON w.id = r.workspace_id
         JOIN members m ON m.workspace_id = w.id
       WHERE r.id = ?1 AND (m.role = 'owner' OR w.base_permission IN ('write', 'admin'))
       UNION ALL SELECT user_id FROM role_grants WHERE repo_id = ?1 AND rank >= ?3)
     LIMIT 1`,
    repo_id,
    person_id,
    ROLES.indexOf('write') + 1,
  ) !== null

/**
 * Lists repositories granted to a person, directly or through a team, with their workspaces.
 * Repositories of a workspace that requires a second factor which the person lacks are left out.
 */
export const listGrantedRepos = (
  db: Db,
  person_id: string,
): { repo_id: string; workspace_id: string }[] =>
  db.all(
    `SELECT DISTINCT g.repo_id, r.workspace_id FROM role_grants g
     JOIN repos r ON r.id = g.repo_id JOIN workspaces w ON w.id = r.workspace_id
     JOIN users u ON u.id = g.user_id
     WHERE g.user_id = ?1 AND NOT (w.two_factor_requirement_enabled = 1 AND u.two_factor_enabled = 0)`,
    person_id,
  )

/**
 * People with a confirmed email address who may manage the webhooks and mirrors: owners of the workspace, or
 * people with admin on the repository.
 */
export const listManagers = (
  db: Db,
  owner: { readonly repo_id: string | null; readonly workspace_id: string | null },
  limit: number,
): { username: string; email: string }[] =>
  db.all(
    `SELECT a.username, e.email FROM users u JOIN actors a ON a.id = u.id
       JOIN emails e ON e.user_id = u.id AND e.is_primary = 1 AND e.verified_at IS NOT NULL
     WHERE u.suspended_at IS NULL AND u.id IN (
       SELECT user_id FROM members WHERE workspace_id = ?2 AND role = 'owner'
       UNION SELECT m.user_id FROM repos r JOIN workspaces w ON w.id = r.workspace_id
         JOIN members m ON m.workspace_id = w.id
         WHERE r.id = ?1 AND (m.role = 'owner' OR w.base_permission = 'admin')
       UNION SELECT user_id FROM role_grants WHERE repo_id = ?1 AND rank = 5)
     ORDER BY u.id LIMIT ?3`,
    owner.repo_id,
    owner.workspace_id,
    limit,
  )
