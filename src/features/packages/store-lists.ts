/** SQL for lists and statistics of packages. */
import type { Db } from '#core/db.ts'
import { likePattern } from '#lib/like-pattern.ts'
import type { PackageFilter, PackageRow } from './store.ts'

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

/** A place in metadata: an object whose keys are names, or a tree whose members have a name. */
export type DependencyPlace = { readonly path: string; readonly named: 'key' | 'name' | 'id' }

const MAX_DEPENDENTS = 50
/** Packages whose metadata is searched for the name, and the longest metadata that is. */
const MAX_READ = 500
const MAX_METADATA_LENGTH = 65_536
/** Of what names it. Reading values takes a tenth of a second for so much, in the server's thread. */
const MAX_PARSED_LENGTH = 1024 ** 2

const clauseOf = ({ path, named }: DependencyPlace): string =>
  named === 'key'
    ? `EXISTS (SELECT 1 FROM json_each(found.metadata, '${path}') d WHERE d.key = ?1)`
    : `EXISTS (SELECT 1 FROM json_tree(found.metadata, '${path}') d
         WHERE d.key = '${named}' AND d.value = ?1 COLLATE NOCASE)`

/** Packages beside one whose latest version names it, of those that changed last. */
export const listPackagesNaming = (
  db: Db,
  row: PackageRow,
  places: readonly DependencyPlace[],
  visible: PackageFilter['visible'],
): { name: string; version: string }[] =>
  db.all(
    // The parameters of `visible` have no numbers, so all others come before them.
    `WITH asked AS (SELECT ?5 AS pattern), recent AS (
       SELECT p.id, p.name, p.updated_at, p.latest_version_id FROM packages p
       JOIN package_versions v ON v.id = p.latest_version_id
       WHERE p.workspace_id = ?2 AND p.type = ?3 AND p.id <> ?4 AND p.deleted_at IS NULL
       AND length(v.metadata) <= ${MAX_METADATA_LENGTH} AND ${visible.sql}
       ORDER BY p.updated_at DESC, p.id LIMIT ${MAX_READ}),
     naming AS (
       SELECT recent.name, v.id,
         sum(length(v.metadata)) OVER (ORDER BY recent.updated_at DESC, recent.id) AS length_so_far
       FROM recent JOIN package_versions v ON v.id = recent.latest_version_id
       JOIN asked ON v.metadata LIKE asked.pattern ESCAPE '\\')
     SELECT naming.name, found.version FROM naming JOIN package_versions found ON found.id = naming.id
     WHERE CASE WHEN length_so_far <= ${MAX_PARSED_LENGTH}
       THEN ${places.map(clauseOf).join(' OR ')} END
     ORDER BY length_so_far LIMIT ${MAX_DEPENDENTS}`,
    row.name,
    row.workspace_id,
    row.type,
    row.id,
    likePattern(row.name),
    ...visible.params,
  )
