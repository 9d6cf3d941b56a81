/** SQL for the tables `package_versions`, `package_files` and `package_tags`. */
import type { Db } from '#core/db.ts'
import { memo, preload } from '#core/read-scope.ts'
import { workspaceTotals } from '#core/workspace-totals.ts'
import type { Tx } from '#core/write.ts'
import { notFound } from '#lib/errors.ts'
import type { Timestamp } from '#lib/time.ts'

export type VersionRow = {
  readonly id: string
  readonly package_id: string
  readonly version: string
  readonly normal_version: string
  readonly prerelease: 0 | 1
  readonly digest: string
  readonly size_in_bytes: number
  /** A JSON object. */
  readonly metadata: string
  /** The part of the index that the format rendered when the version was published. */
  readonly piece: string
  readonly yanked: 0 | 1
  readonly deprecated: string | null
  readonly published_by: string
  readonly run_id: string | null
  readonly sha: string | null
  readonly download_count: number
  readonly created_at: Timestamp
  readonly deleted_at: Timestamp | null
  readonly deleted_by: string | null
  readonly purge_at: Timestamp | null
  readonly deleted_with_package: 0 | 1
}

export type FileRow = {
  readonly version_id: string
  readonly package_id: string
  readonly path: string
  readonly sha256: string
  readonly size_in_bytes: number
  readonly sha1: string | null
  readonly md5: string | null
  readonly sha512: string | null
  readonly content_type: string
  readonly created_at: Timestamp
}

/** The version of a number, deleted or not. */
export const findVersion = (
  db: Db,
  package_id: string,
  normal_version: string,
): VersionRow | null =>
  db.one<VersionRow>(
    'SELECT * FROM package_versions WHERE package_id = ? AND normal_version = ?',
    package_id,
    normal_version,
  )

export const versionById = (db: Db, id: string): VersionRow | null =>
  db.one<VersionRow>('SELECT * FROM package_versions WHERE id = ?', id)

/** The name of a version, without its metadata, which may have megabytes. */
export const findVersionName = (db: Db, id: string): string | null =>
  memo(
    db,
    'package version name',
    id,
    () =>
      db.one<{ version: string }>('SELECT version FROM package_versions WHERE id = ?', id)
        ?.version ?? null,
  )

/** Preloads names of versions into the current read scope. */
export const preloadVersionNames = (db: Db, ids: readonly string[]): void =>
  preload(
    db,
    'package version name',
    ids,
    () =>
      new Map(
        db
          .all<{ id: string; version: string }>(
            'SELECT v.id, v.version FROM json_each(?) i JOIN package_versions v ON v.id = i.value',
            JSON.stringify(ids),
          )
          .map(({ id, version }) => [id, version]),
      ),
    () => null,
  )

export function requireVersion(db: Db, id: string): VersionRow {
  const row = versionById(db, id)
  if (!row) throw notFound('the version')
  return row
}

/** Versions that are not deleted, the oldest first. Documents of clients are made of all. */
export const listActiveVersions = (db: Db, package_id: string): VersionRow[] =>
  db.all<VersionRow>(
    'SELECT * FROM package_versions WHERE package_id = ? AND deleted_at IS NULL ORDER BY created_at, id',
    package_id,
  )

const SUMMARY_COLUMNS = [
  'id',
  'version',
  'normal_version',
  'prerelease',
  'yanked',
  'created_at',
] as const

/** A version without the large columns: its metadata may have megabytes. */
export type VersionSummary = Pick<VersionRow, (typeof SUMMARY_COLUMNS)[number]>

const SELECT_ACTIVE = `SELECT ${SUMMARY_COLUMNS.join(', ')} FROM package_versions
  WHERE deleted_at IS NULL AND`

/** Like `listActiveVersions`, without the large columns. */
export const listActiveVersionNames = (db: Db, package_id: string): VersionSummary[] =>
  db.all<VersionSummary>(`${SELECT_ACTIVE} package_id = ? ORDER BY created_at, id`, package_id)

/** Null for a version that is deleted. */
export const findActiveVersion = (db: Db, id: string): VersionSummary | null =>
  db.one<VersionSummary>(`${SELECT_ACTIVE} id = ?`, id)

/** The newest version that is not deleted. */
export const findNewestVersion = (db: Db, package_id: string): VersionSummary | null =>
  db.one<VersionSummary>(
    `${SELECT_ACTIVE} package_id = ? ORDER BY created_at DESC, id DESC LIMIT 1`,
    package_id,
  )

const DELETED_CLAUSE = { active: 'deleted_at IS NULL', deleted: 'deleted_at IS NOT NULL', all: '1' }

/** The newest first. */
export const listVersionRows = (
  db: Db,
  package_id: string,
  state: 'active' | 'deleted' | 'all',
  window: { limit: number; offset: number },
): VersionRow[] =>
  db.all<VersionRow>(
    `SELECT * FROM package_versions WHERE package_id = ? AND ${DELETED_CLAUSE[state]} ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?`,
    package_id,
    window.limit,
    window.offset,
  )

export const countVersionRows = (
  db: Db,
  package_id: string,
  state: 'active' | 'deleted' | 'all',
): number =>
  db.one<{ count: number }>(
    `SELECT count(*) AS count FROM package_versions WHERE package_id = ? AND ${DELETED_CLAUSE[state]}`,
    package_id,
  )?.count ?? 0

export type NewVersion = Omit<
  VersionRow,
  | 'yanked'
  | 'deprecated'
  | 'download_count'
  | 'created_at'
  | 'deleted_at'
  | 'deleted_by'
  | 'purge_at'
  | 'deleted_with_package'
>

export const insertVersion = (tx: Tx, row: NewVersion): void =>
  void tx.db.run(
    `INSERT INTO package_versions (id, package_id, version, normal_version, prerelease, digest,
       size_in_bytes, metadata, piece, published_by, run_id, sha, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    row.package_id,
    row.version,
    row.normal_version,
    row.prerelease,
    row.digest,
    row.size_in_bytes,
    row.metadata,
    row.piece,
    row.published_by,
    row.run_id,
    row.sha,
    tx.now,
  )

export type VersionChange = Partial<
  Pick<
    VersionRow,
    | 'version'
    | 'metadata'
    | 'piece'
    | 'digest'
    | 'size_in_bytes'
    | 'yanked'
    | 'deprecated'
    | 'deleted_at'
    | 'deleted_by'
    | 'purge_at'
    | 'deleted_with_package'
  >
>

export function setVersion(tx: Tx, id: string, change: VersionChange): void {
  const entries = Object.entries(change).filter(([, value]) => value !== undefined)
  if (entries.length === 0) return
  tx.db.run(
    `UPDATE package_versions SET ${entries.map(([column]) => `${column} = ?`).join(', ')} WHERE id = ?`,
    ...entries.map(([, value]) => value as string | number | null),
    id,
  )
}

/** Deletes all versions of a package with it, so that restoring the package restores them. */
export const markVersionsDeleted = (
  tx: Tx,
  package_id: string,
  deleted_by: string | null,
  purge_at: Timestamp,
): void =>
  void tx.db.run(
    `UPDATE package_versions SET deleted_at = ?, deleted_by = ?, purge_at = ?, deleted_with_package = 1
     WHERE package_id = ? AND deleted_at IS NULL`,
    tx.now,
    deleted_by,
    purge_at,
    package_id,
  )

/** Restores the versions that were deleted with their package. */
export const unmarkVersionsDeleted = (tx: Tx, package_id: string): void =>
  void tx.db.run(
    `UPDATE package_versions SET deleted_at = NULL, deleted_by = NULL, purge_at = NULL,
       deleted_with_package = 0 WHERE package_id = ? AND deleted_with_package = 1`,
    package_id,
  )

export const removeVersion = (tx: Tx, id: string): void =>
  void tx.db.run('DELETE FROM package_versions WHERE id = ?', id)

/** Versions of packages that are not deleted, whose time to be restored is over. */
export const listVersionsToPurge = (db: Db, now: Timestamp, limit: number): VersionRow[] =>
  db.all<VersionRow>('SELECT * FROM package_versions WHERE purge_at <= ? LIMIT ?', now, limit)

export type NewFile = Omit<FileRow, 'created_at'>

export const insertFile = (tx: Tx, row: NewFile): void =>
  void tx.db.run(
    `INSERT INTO package_files (version_id, package_id, path, sha256, size_in_bytes, sha1, md5, sha512,
       content_type, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.version_id,
    row.package_id,
    row.path,
    row.sha256,
    row.size_in_bytes,
    row.sha1,
    row.md5,
    row.sha512,
    row.content_type,
    tx.now,
  )

export const findFile = (db: Db, package_id: string, path: string): FileRow | null =>
  db.one<FileRow>('SELECT * FROM package_files WHERE package_id = ? AND path = ?', package_id, path)

/** A version has few files; the bound protects records. */
const MAX_FILES_SHOWN = 1000

export const listFiles = (db: Db, version_id: string): FileRow[] =>
  db.all<FileRow>(
    `SELECT * FROM package_files WHERE version_id = ? ORDER BY path LIMIT ${MAX_FILES_SHOWN}`,
    version_id,
  )

export const listFilesOfPackage = (db: Db, package_id: string): FileRow[] =>
  db.all<FileRow>('SELECT * FROM package_files WHERE package_id = ? ORDER BY path', package_id)

export const setTag = (tx: Tx, package_id: string, name: string, version_id: string): void =>
  void tx.db.run(
    `INSERT INTO package_tags (package_id, name, version_id) VALUES (?, ?, ?)
     ON CONFLICT (package_id, name) DO UPDATE SET version_id = excluded.version_id`,
    package_id,
    name,
    version_id,
  )

export const removeTag = (tx: Tx, package_id: string, name: string): void =>
  void tx.db.run('DELETE FROM package_tags WHERE package_id = ? AND name = ?', package_id, name)

export const removeTagsOf = (tx: Tx, version_id: string): void =>
  void tx.db.run('DELETE FROM package_tags WHERE version_id = ?', version_id)

export const findTag = (db: Db, package_id: string, name: string): { version_id: string } | null =>
  db.one('SELECT version_id FROM package_tags WHERE package_id = ? AND name = ?', package_id, name)

/** Tags whose versions are not deleted, by name. */
export const listTags = (
  db: Db,
  package_id: string,
): { name: string; version_id: string; version: string }[] =>
  db.all(
    `SELECT t.name, t.version_id, v.version FROM package_tags t
     JOIN package_versions v ON v.id = t.version_id
     WHERE t.package_id = ? AND v.deleted_at IS NULL ORDER BY t.name`,
    package_id,
  )

export const listTagsOfVersion = (db: Db, version_id: string): string[] =>
  db
    .all<{ name: string }>(
      'SELECT name FROM package_tags WHERE version_id = ? ORDER BY name LIMIT 1000',
      version_id,
    )
    .map(({ name }) => name)

/** Bytes of the files of versions that are not deleted; equal files count once. */
export const sumBytesOfPackage = (db: Db, package_id: string): number =>
  db.one<{ bytes: number | null }>(
    `SELECT sum(size_in_bytes) AS bytes FROM (
       SELECT DISTINCT f.sha256, f.size_in_bytes FROM package_files f
       JOIN package_versions v ON v.id = f.version_id
       WHERE f.package_id = ?1 AND v.deleted_at IS NULL
       UNION SELECT sha256, size_in_bytes FROM image_blobs WHERE package_id = ?1)`,
    package_id,
  )?.bytes ?? 0

type StoredBytes = Pick<FileRow, 'sha256' | 'size_in_bytes'>

export const listBytesOfVersions = (db: Db, version_ids: readonly string[]): StoredBytes[] =>
  db.all<StoredBytes>(
    `SELECT f.sha256, f.size_in_bytes FROM json_each(?) n
     JOIN package_files f ON f.version_id = n.value`,
    JSON.stringify(version_ids),
  )

/** Bytes of these that no version of the package has which is not deleted; equal files count once. */
export function sumUnusedBytes(db: Db, package_id: string, stored: readonly StoredBytes[]): number {
  const sizes = new Map(stored.map(({ sha256, size_in_bytes }) => [sha256, size_in_bytes]))
  const unused = db.all<{ sha256: string }>(
    `SELECT n.value AS sha256 FROM json_each(?2) n
     WHERE NOT EXISTS (SELECT 1 FROM package_files f JOIN package_versions v ON v.id = f.version_id
       WHERE f.sha256 = n.value AND f.package_id = ?1 AND v.deleted_at IS NULL)
     AND NOT EXISTS (SELECT 1 FROM image_blobs b WHERE b.sha256 = n.value AND b.package_id = ?1)`,
    package_id,
    JSON.stringify([...sizes.keys()]),
  )
  return unused.reduce((bytes, { sha256 }) => bytes + (sizes.get(sha256) ?? 0), 0)
}

/** Bytes of all packages of workspaces, deleted ones included; equal files of one count once. */
export const countPackageBytes = (
  db: Db,
  workspace_ids: readonly string[],
): ReadonlyMap<string, number> =>
  workspaceTotals(
    db,
    `SELECT workspace_id, bytes AS total FROM workspace_package_bytes
     WHERE workspace_id IN (SELECT value FROM json_each(?))`,
    workspace_ids,
  )

/** Bytes that only this version (or package) needs, which its purge frees. */
export const countFreedBytes = (
  db: Db,
  scope: { package_id: string } | { version_id: string },
): number => {
  const [column, id] =
    'package_id' in scope ? ['package_id', scope.package_id] : ['version_id', scope.version_id]
  return (
    db.one<{ bytes: number | null }>(
      `SELECT sum(size_in_bytes) AS bytes FROM (SELECT DISTINCT f.sha256, f.size_in_bytes
       FROM package_files f WHERE f.${column} = ?1 AND NOT EXISTS (
         SELECT 1 FROM package_files o WHERE o.sha256 = f.sha256 AND o.${column} <> ?1))`,
      id ?? '',
    )?.bytes ?? 0
  )
}

export const isBlobOfPackage = (db: Db, sha256: string): boolean =>
  db.one(
    `SELECT 1 FROM package_files WHERE sha256 = ?1
     UNION ALL SELECT 1 FROM image_blobs WHERE sha256 = ?1
     UNION ALL SELECT 1 FROM packages WHERE readme_sha256 = ?1 LIMIT 1`,
    sha256,
  ) !== null

export const listBlobsOfPackages = (db: Db): string[] =>
  db
    .all<{ sha256: string }>(
      `SELECT sha256 FROM package_files UNION SELECT sha256 FROM image_blobs
       UNION SELECT readme_sha256 FROM packages WHERE readme_sha256 IS NOT NULL`,
    )
    .map(({ sha256 }) => sha256)
