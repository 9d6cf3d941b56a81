/** SQL for lists and statistics of packages. */
import type { Db } from '#core/db.ts'

export const listReposWithDeletedPackages = (db: Db, workspace_id: string): string[] =>
  db
    .all<{ repo_id: string }>(
      'SELECT DISTINCT repo_id FROM packages WHERE workspace_id = ? AND deleted_at IS NOT NULL AND repo_id IS NOT NULL',
      workspace_id,
    )
    .map(({ repo_id }) => repo_id)

/** A package whose name differs in letter case, `-`, `_` and `.` only; null for none. */
export const findConfusableName = (
  db: Db,
  workspace_id: string,
  type: string,
  normal_name: string,
): string | null =>
  db.one<{ name: string }>(
    `SELECT name FROM packages WHERE workspace_id = ? AND type = ?
     AND replace(replace(replace(lower(normal_name), '-', ''), '_', ''), '.', '') = ? LIMIT 1`,
    workspace_id,
    type,
    normal_name.toLowerCase().replace(/[-_.]/g, ''),
  )?.name ?? null

/** Whether a package of a type has a normal name that begins with a text, deleted ones included. */
export const hasNamesWithPrefix = (
  db: Db,
  workspace_id: string,
  type: string,
  prefix: string,
): boolean =>
  db.one(
    'SELECT 1 FROM packages WHERE workspace_id = ? AND type = ? AND normal_name >= ? AND normal_name < ? LIMIT 1',
    workspace_id,
    type,
    prefix,
    `${prefix}\u{10ffff}`,
  ) !== null

/** Whoever may publish to none of so many packages is asked to create one. */
const MAX_NAMES = 500

/** The names of the packages of a type, the most recently changed first. */
export const listNamesOfType = (db: Db, workspace_id: string, type: string): string[] =>
  db
    .all<{ name: string }>(
      'SELECT name FROM packages WHERE workspace_id = ? AND type = ? ORDER BY updated_at DESC LIMIT ?',
      workspace_id,
      type,
      MAX_NAMES,
    )
    .map(({ name }) => name)
