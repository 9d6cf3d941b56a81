/** The table `setting_rows`. */
import type { Db } from '#core/db.ts'
import type { Owner } from '#core/owner.ts'
import type { Tx } from '#core/write.ts'
import type { Timestamp } from '#lib/time.ts'
import type { Kind } from './schema.ts'

export type SettingRow = Owner & {
  readonly id: string
  readonly kind: Kind
  readonly name: string
  /** Sealed for a secret. */
  readonly value: string
  /** JSON arrays. */
  readonly available_to: string
  readonly environments: string
  readonly projects: string
  readonly note: string | null
  readonly updated_by: string | null
  readonly created_at: Timestamp
  readonly updated_at: Timestamp
}

const OF_OWNER =
  '((repo_id IS NOT NULL AND repo_id = ?1) OR (workspace_id IS NOT NULL AND workspace_id = ?2)) AND kind = ?3'

/** Newest first. */
export const listRows = (
  db: Db,
  { repo_id, workspace_id }: Owner,
  kind: Kind,
  window: { limit: number; offset: number },
): SettingRow[] =>
  db.all<SettingRow>(
    `SELECT * FROM setting_rows WHERE ${OF_OWNER} ORDER BY id DESC LIMIT ?4 OFFSET ?5`,
    repo_id,
    workspace_id,
    kind,
    window.limit,
    window.offset,
  )

export const countRows = (db: Db, { repo_id, workspace_id }: Owner, kind: Kind): number =>
  db.one<{ count: number }>(
    `SELECT count(*) AS count FROM setting_rows WHERE ${OF_OWNER}`,
    repo_id,
    workspace_id,
    kind,
  )?.count ?? 0

/** The rows of one name, newest first. */
export const listRowsOfName = (
  db: Db,
  { repo_id, workspace_id }: Owner,
  kind: Kind,
  name: string,
): SettingRow[] =>
  db.all<SettingRow>(
    `SELECT * FROM setting_rows WHERE ${OF_OWNER} AND name = ?4 ORDER BY id DESC`,
    repo_id,
    workspace_id,
    kind,
    name,
  )

/** All rows of a repository and of its workspace, oldest first. */
export const listRowsFor = (
  db: Db,
  repo_id: string,
  workspace_id: string,
  kind: Kind,
): SettingRow[] =>
  db.all<SettingRow>(
    `SELECT * FROM setting_rows WHERE ${OF_OWNER} ORDER BY id`,
    repo_id,
    workspace_id,
    kind,
  )

export const insertRow = (tx: Tx, row: SettingRow): void =>
  void tx.db.run(
    `INSERT INTO setting_rows (id, kind, workspace_id, repo_id, name, value, available_to,
      environments, projects, note, updated_by, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    row.kind,
    row.workspace_id,
    row.repo_id,
    row.name,
    row.value,
    row.available_to,
    row.environments,
    row.projects,
    row.note,
    row.updated_by,
    row.created_at,
    row.updated_at,
  )

export const setRow = (tx: Tx, row: SettingRow): void =>
  void tx.db.run(
    `UPDATE setting_rows SET value = ?, available_to = ?, environments = ?, projects = ?, note = ?,
      updated_by = ?, updated_at = ? WHERE id = ?`,
    row.value,
    row.available_to,
    row.environments,
    row.projects,
    row.note,
    row.updated_by,
    row.updated_at,
    row.id,
  )

export const removeRow = (tx: Tx, id: string): void =>
  void tx.db.run('DELETE FROM setting_rows WHERE id = ?', id)

/** The slugs of the projects of a workspace among these names. */
export const listKnownProjects = (
  db: Db,
  workspace_id: string,
  slugs: readonly string[],
): string[] =>
  db
    .all<{ slug: string }>(
      `SELECT slug FROM projects
       WHERE workspace_id = ? AND slug IN (SELECT value FROM json_each(?))`,
      workspace_id,
      JSON.stringify(slugs),
    )
    .map(({ slug }) => slug)

/** The slugs of the projects of its workspace that a repository is in. */
export const listProjectsOfRepo = (db: Db, repo_id: string): string[] =>
  db
    .all<{ slug: string }>(
      `SELECT p.slug FROM project_repos x JOIN projects p ON p.id = x.project_id
       JOIN repos r ON r.id = x.repo_id AND r.workspace_id = p.workspace_id WHERE x.repo_id = ?`,
      repo_id,
    )
    .map(({ slug }) => slug)
