/** The tables `teams` and `team_lines`. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { Timestamp } from '#lib/time.ts'
import { likePattern } from '#lib/like-pattern.ts'

export type TeamRow = {
  id: string
  workspace_id: string
  workspace: string
  slug: string
  name: string
  description: string
  visibility: 'visible' | 'secret'
  parent_id: string | null
  parent_slug: string | null
  parent_name: string | null
  notify: 0 | 1
  /** JSON, read with `reviewAssignmentOf`. */
  review_assignment: string
  created_at: Timestamp
  updated_at: Timestamp
}

const SELECT = `SELECT t.*, a.username AS workspace, p.slug AS parent_slug, p.name AS parent_name
  FROM teams t JOIN actors a ON a.id = t.workspace_id LEFT JOIN teams p ON p.id = t.parent_id`

export const findTeamBySlug = (db: Db, workspace_id: string, slug: string): TeamRow | null =>
  db.one<TeamRow>(
    `${SELECT} WHERE t.workspace_id = ? AND t.slug = ?`,
    workspace_id,
    slug.toLowerCase(),
  )

export const findTeam = (db: Db, id: string): TeamRow | null =>
  db.one<TeamRow>(`${SELECT} WHERE t.id = ?`, id)

export const listTeamsById = (db: Db, ids: readonly string[]): TeamRow[] =>
  db.all<TeamRow>(
    `${SELECT} WHERE t.id IN (SELECT value FROM json_each(?)) ORDER BY t.slug`,
    JSON.stringify(ids),
  )

/** The reader of a list of teams. Owners see all secret teams, others the ones they are in. */
export type TeamViewer = { readonly owner: boolean; readonly person_id: string | null }

const IS_VISIBLE = `(t.visibility = 'visible' OR ?2 = 1 OR EXISTS (SELECT 1 FROM team_members x
  WHERE x.team_id = t.id AND x.user_id = ?3))`
/** Newest first. `q` is a part of the slug or name. */
export const listTeamRows = (
  db: Db,
  filter: { workspace_id: string; eyes: TeamViewer; q: string; limit: number; offset: number },
): TeamRow[] =>
  db.all<TeamRow>(
    `${SELECT} WHERE t.workspace_id = ?1 AND ${IS_VISIBLE} AND (?4 = ''
     OR t.slug LIKE ?5 ESCAPE '\\' OR t.name LIKE ?5 ESCAPE '\\') ORDER BY t.id DESC
     LIMIT ?6 OFFSET ?7`,
    filter.workspace_id,
    filter.eyes.owner ? 1 : 0,
    filter.eyes.person_id,
    filter.q,
    likePattern(filter.q),
    filter.limit,
    filter.offset,
  )

/** The child teams of a team. None of them is secret. */
export const listChildRows = (
  db: Db,
  parent_id: string,
  window: { limit: number; offset: number },
): TeamRow[] =>
  db.all<TeamRow>(
    `${SELECT} WHERE t.parent_id = ? ORDER BY t.id DESC LIMIT ? OFFSET ?`,
    parent_id,
    window.limit,
    window.offset,
  )

export type TeamCounts = { members: number; repos: number; children: number }
export const NO_COUNTS: TeamCounts = { members: 0, repos: 0, children: 0 }

/** By the ids of the teams. */
export const countsOf = (db: Db, ids: readonly string[]): ReadonlyMap<string, TeamCounts> =>
  new Map(
    db
      .all<TeamCounts & { id: string }>(
        `SELECT t.value AS id, (SELECT count(*) FROM team_members WHERE team_id = t.value) AS members,
           (SELECT count(DISTINCT x.repo_id) FROM team_lines l
           JOIN team_repos x ON x.team_id = l.ancestor_id JOIN repos r ON r.id = x.repo_id
             WHERE l.team_id = t.value AND r.deleted_at IS NULL) AS repos,
           (SELECT count(*) FROM teams WHERE parent_id = t.value) AS children
         FROM json_each(?) t`,
        JSON.stringify(ids),
      )
      .map((row) => [row.id, row]),
  )

export type NewTeam = Pick<
  TeamRow,
  'id' | 'workspace_id' | 'slug' | 'name' | 'description' | 'visibility' | 'parent_id' | 'notify'
>

export function insertTeam(tx: Tx, row: NewTeam): void {
  tx.db.run(
    `INSERT INTO teams (id, workspace_id, slug, name, description, visibility, parent_id, notify,
     created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    row.workspace_id,
    row.slug,
    row.name,
    row.description,
    row.visibility,
    row.parent_id,
    row.notify,
    tx.now,
    tx.now,
  )
  insertTeamLines(tx, row.id)
}

export type TeamChange = Partial<
  Pick<
    TeamRow,
    'name' | 'description' | 'visibility' | 'parent_id' | 'notify' | 'review_assignment'
  >
>

export function setTeam(tx: Tx, id: string, change: TeamChange): void {
  const names = (
    ['name', 'description', 'visibility', 'parent_id', 'notify', 'review_assignment'] as const
  ).filter((name) => change[name] !== undefined)
  if (names.length === 0) return
  tx.db.run(
    `UPDATE teams SET ${names.map((name) => `${name} = ?`).join(', ')}, updated_at = ? WHERE id = ?`,
    ...names.map((name) => change[name] ?? null),
    tx.now,
    id,
  )
  if (change.parent_id !== undefined)
    rebuildTeamLines(
      tx,
      listTeamLine(tx.db, id, 'down').map(({ id: below }) => below),
    )
}

/**
 * Deletes a team. Its children become top-level teams. The lines of all descendants are rebuilt, so
 * that they inherit nothing through it.
 */
export function removeTeam(tx: Tx, id: string): void {
  const below = listTeamLine(tx.db, id, 'down')
    .map((line) => line.id)
    .filter((other) => other !== id)
  tx.db.run('DELETE FROM teams WHERE id = ?', id)
  rebuildTeamLines(tx, below)
}

/** The team and its ancestors (up) or descendants (down), the nearest first. */
export const listTeamLine = (
  db: Db,
  id: string,
  direction: 'up' | 'down',
): { id: string; distance: number }[] =>
  direction === 'up'
    ? db.all(
        'SELECT ancestor_id AS id, distance FROM team_lines WHERE team_id = ? ORDER BY distance',
        id,
      )
    : db.all(
        'SELECT team_id AS id, distance FROM team_lines WHERE ancestor_id = ? ORDER BY distance',
        id,
      )

/**
 * Inserts the line of a team: itself and the line of its parent. Lines of parents must be inserted
 * before those of their children.
 */
function insertTeamLines(tx: Tx, id: string): void {
  tx.db.run('INSERT INTO team_lines (team_id, ancestor_id, distance) VALUES (?1, ?1, 0)', id)
  tx.db.run(
    `INSERT INTO team_lines (team_id, ancestor_id, distance)
     SELECT t.id, l.ancestor_id, l.distance + 1 FROM teams t
     JOIN team_lines l ON l.team_id = t.parent_id WHERE t.id = ?`,
    id,
  )
}

/** Rebuilds the lines of `ids`, which are ordered from the top down. */
function rebuildTeamLines(tx: Tx, ids: readonly string[]): void {
  tx.db.run(
    'DELETE FROM team_lines WHERE team_id IN (SELECT value FROM json_each(?))',
    JSON.stringify(ids),
  )
  for (const id of ids) insertTeamLines(tx, id)
}
