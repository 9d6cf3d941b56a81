/** SQL for the table `package_retention`, and what rules look at. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { Timestamp } from '#lib/time.ts'
import type { PackageRow } from '../store.ts'

export type RuleRow = {
  readonly workspace_id: string
  readonly package_id: string | null
  readonly keep_newest: number
  readonly keep_matching: string | null
  readonly older_than_days: number
  readonly untagged_only: 0 | 1
  readonly snapshots_kept: number
  readonly updated_by: string
  readonly updated_at: Timestamp
}

/** What a rule is for: one package, or all packages of a workspace without a rule of their own. */
export type RuleScope = { readonly workspace_id: string; readonly package_id: string | null }

export const findRule = (db: Db, { workspace_id, package_id }: RuleScope): RuleRow | null =>
  db.one<RuleRow>(
    `SELECT * FROM package_retention WHERE workspace_id = ? AND coalesce(package_id, '') = ?`,
    workspace_id,
    package_id ?? '',
  )

export const putRule = (tx: Tx, row: Omit<RuleRow, 'updated_at'>): void =>
  void tx.db.run(
    `INSERT INTO package_retention (workspace_id, package_id, keep_newest, keep_matching,
       older_than_days, untagged_only, snapshots_kept, updated_by, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (workspace_id, coalesce(package_id, '')) DO UPDATE SET
       keep_newest = excluded.keep_newest, keep_matching = excluded.keep_matching,
       older_than_days = excluded.older_than_days, untagged_only = excluded.untagged_only,
       snapshots_kept = excluded.snapshots_kept, updated_by = excluded.updated_by,
       updated_at = excluded.updated_at`,
    row.workspace_id,
    row.package_id,
    row.keep_newest,
    row.keep_matching,
    row.older_than_days,
    row.untagged_only,
    row.snapshots_kept,
    row.updated_by,
    tx.now,
  )

export const removeRule = (tx: Tx, { workspace_id, package_id }: RuleScope): void =>
  void tx.db.run(
    `DELETE FROM package_retention WHERE workspace_id = ? AND coalesce(package_id, '') = ?`,
    workspace_id,
    package_id ?? '',
  )

export const listRules = (db: Db): RuleRow[] =>
  db.all<RuleRow>('SELECT * FROM package_retention ORDER BY workspace_id, package_id')

/** The packages that a rule holds for, after an id. */
export const listPackagesOfRule = (
  db: Db,
  { workspace_id, package_id }: RuleScope,
  after: string,
  limit: number,
): PackageRow[] =>
  db.all<PackageRow>(
    `SELECT p.* FROM packages p WHERE p.workspace_id = ?1 AND p.deleted_at IS NULL AND p.id > ?3
     AND (p.id = ?2 OR (?2 IS NULL AND NOT EXISTS (
       SELECT 1 FROM package_retention r WHERE r.package_id = p.id)))
     ORDER BY p.id LIMIT ?4`,
    workspace_id,
    package_id,
    after,
    limit,
  )

export type RetainedVersion = {
  readonly id: string
  readonly version: string
  readonly size_in_bytes: number
  readonly created_at: Timestamp
  /** When the version got its last file. */
  readonly changed_at: Timestamp
  /** A JSON list of texts. */
  readonly tags: string
}

/** Versions that are not deleted, the one that changed last first. */
export const listRetainedVersions = (db: Db, package_id: string): RetainedVersion[] =>
  db.all<RetainedVersion>(
    `SELECT v.id, v.version, v.size_in_bytes, v.created_at,
       max(v.created_at, coalesce((SELECT max(f.created_at) FROM package_files f
         WHERE f.version_id = v.id), '')) AS changed_at,
       (SELECT json_group_array(t.name) FROM package_tags t WHERE t.version_id = v.id) AS tags
     FROM package_versions v WHERE v.package_id = ? AND v.deleted_at IS NULL
     ORDER BY changed_at DESC, v.id DESC`,
    package_id,
  )

/** Whether another manifest is about this one, such as a signature. */
export const isSubject = (db: Db, package_id: string, version_id: string): boolean =>
  db.one(
    `SELECT 1 FROM image_manifests m JOIN package_versions v ON v.id = ?2
     WHERE m.package_id = ?1 AND m.subject = v.normal_version LIMIT 1`,
    package_id,
    version_id,
  ) !== null

export const removeFiles = (tx: Tx, package_id: string, paths: readonly string[]): void =>
  void tx.db.run(
    'DELETE FROM package_files WHERE package_id = ? AND path IN (SELECT value FROM json_each(?))',
    package_id,
    JSON.stringify(paths),
  )
