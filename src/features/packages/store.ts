/** SQL for the tables `packages`, `package_roles` and `package_bygone`. */
import type { Role } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import { notFound } from '#lib/errors.ts'
import type { Timestamp } from '#lib/time.ts'
import { likePattern } from '#lib/like-pattern.ts'
import type { PackageType } from './schema.ts'

export type PackageRow = {
  readonly id: string
  readonly workspace_id: string
  readonly type: PackageType
  readonly name: string
  readonly normal_name: string
  readonly private: 0 | 1
  readonly inherit_access: 0 | 1
  readonly repo_id: string | null
  readonly description: string | null
  readonly readme_sha256: string | null
  readonly latest_version_id: string | null
  readonly version_count: number
  readonly size_in_bytes: number
  readonly download_count: number
  readonly revision: number
  /** The time of the last change in seconds, for `Last-Modified`. It grows with each change. */
  readonly modified_s: number
  readonly created_by: string
  readonly created_at: Timestamp
  readonly updated_at: Timestamp
  readonly deleted_at: Timestamp | null
  readonly deleted_by: string | null
  readonly purge_at: Timestamp | null
}

export const findPackage = (
  db: Db,
  workspace_id: string,
  type: PackageType,
  normal_name: string,
): PackageRow | null =>
  db.one<PackageRow>(
    'SELECT * FROM packages WHERE workspace_id = ? AND type = ? AND normal_name = ?',
    workspace_id,
    type,
    normal_name,
  )

export const packageById = (db: Db, id: string): PackageRow | null =>
  db.one<PackageRow>('SELECT * FROM packages WHERE id = ?', id)

export function requirePackage(db: Db, id: string | null): PackageRow {
  const row = id === null ? null : packageById(db, id)
  if (!row) throw notFound('the package')
  return row
}

/** Whether the workspace has a private package of this type, deleted ones included. */
export const hasPrivatePackages = (db: Db, workspace_id: string, type: PackageType): boolean =>
  db.one(
    'SELECT 1 FROM packages WHERE workspace_id = ? AND type = ? AND private = 1 LIMIT 1',
    workspace_id,
    type,
  ) !== null

/** Which packages of a workspace a list may show. */
export type PackageFilter = {
  readonly workspace_id: string
  /** Conditions from `visible-packages.ts`, with their parameters. */
  readonly visible: { readonly sql: string; readonly params: readonly string[] }
  readonly deleted: boolean | null
  readonly type?: PackageType | undefined
  readonly q?: string | undefined
  readonly repo_id?: string | undefined
  /** What normal names begin with. */
  readonly prefix?: string | undefined
}

function filterClause(filter: PackageFilter): { sql: string; params: string[] } {
  const { workspace_id, visible, deleted, type, q, repo_id, prefix } = filter
  const where = ['p.workspace_id = ?', visible.sql]
  const params = [workspace_id, ...visible.params]
  if (deleted !== null) where.push(`p.deleted_at IS ${deleted ? 'NOT NULL' : 'NULL'}`)
  // A package comes with its first upload, and is shown once a version is complete.
  if (deleted === false) where.push('p.version_count > 0')
  if (type !== undefined) {
    where.push('p.type = ?')
    params.push(type)
  }
  if (repo_id !== undefined) {
    where.push('p.repo_id = ?')
    params.push(repo_id)
  }
  if (prefix !== undefined) {
    where.push('p.normal_name >= ? AND p.normal_name < ?')
    params.push(prefix, `${prefix}\u{10ffff}`)
  }
  if (q !== undefined && q !== '') {
    where.push(`(p.name LIKE ? ESCAPE '\\' OR p.description LIKE ? ESCAPE '\\')`)
    params.push(likePattern(q), likePattern(q))
  }
  return { sql: where.join(' AND '), params }
}

/** The most recently changed first. */
export function listPackageRows(
  db: Db,
  filter: PackageFilter,
  window: { limit: number; offset: number },
): PackageRow[] {
  const { sql, params } = filterClause(filter)
  return db.all<PackageRow>(
    `SELECT p.* FROM packages p WHERE ${sql} ORDER BY p.updated_at DESC, p.id DESC LIMIT ? OFFSET ?`,
    ...params,
    window.limit,
    window.offset,
  )
}

export function countPackageRows(db: Db, filter: PackageFilter): number {
  const { sql, params } = filterClause(filter)
  return (
    db.one<{ total: number }>(`SELECT count(*) AS total FROM packages p WHERE ${sql}`, ...params)
      ?.total ?? 0
  )
}

export type NewPackage = Pick<
  PackageRow,
  'id' | 'workspace_id' | 'type' | 'name' | 'normal_name' | 'private' | 'repo_id' | 'created_by'
>

export function insertPackage(tx: Tx, row: NewPackage): PackageRow {
  tx.db.run(
    `INSERT INTO packages (id, workspace_id, type, name, normal_name, private, repo_id, created_by,
       created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    row.workspace_id,
    row.type,
    row.name,
    row.normal_name,
    row.private,
    row.repo_id,
    row.created_by,
    tx.now,
    tx.now,
  )
  return requirePackage(tx.db, row.id)
}

export type PackageChange = Partial<
  Pick<
    PackageRow,
    | 'private'
    | 'inherit_access'
    | 'repo_id'
    | 'description'
    | 'readme_sha256'
    | 'latest_version_id'
    | 'version_count'
    | 'size_in_bytes'
    | 'deleted_at'
    | 'deleted_by'
    | 'purge_at'
  >
>

/** Changes a package and its revision, so that every document of it is rendered again. */
export function setPackage(tx: Tx, id: string, change: PackageChange): void {
  const entries = Object.entries(change).filter(([, value]) => value !== undefined)
  const columns = entries.map(([column]) => `${column} = ?, `).join('')
  tx.db.run(
    `UPDATE packages SET ${columns}revision = revision + 1, updated_at = ?,
       modified_s = max(modified_s + 1, ?) WHERE id = ?`,
    ...entries.map(([, value]) => value as string | number | null),
    tx.now,
    Math.floor(tx.now_ms / 1000),
    id,
  )
}

export const removePackage = (tx: Tx, id: string): void =>
  void tx.db.run('DELETE FROM packages WHERE id = ?', id)

/** Packages whose time to be restored is over. */
export const listPackagesToPurge = (db: Db, now: Timestamp, limit: number): PackageRow[] =>
  db.all<PackageRow>('SELECT * FROM packages WHERE purge_at <= ? LIMIT ?', now, limit)

export const listPackagesOfRepo = (db: Db, repo_id: string): PackageRow[] =>
  db.all<PackageRow>('SELECT * FROM packages WHERE repo_id = ?', repo_id)

/** Deleted ones are among them until they are purged. */
export const countPackagesOfWorkspace = (db: Db, workspace_id: string): number =>
  db.one<{ count: number }>(
    'SELECT count(*) AS count FROM packages WHERE workspace_id = ?',
    workspace_id,
  )?.count ?? 0

export const findPackageRole = (db: Db, package_id: string, actor_id: string): Role | null =>
  db.one<{ role: Role }>(
    'SELECT role FROM package_roles WHERE package_id = ? AND actor_id = ?',
    package_id,
    actor_id,
  )?.role ?? null

export const putPackageRole = (tx: Tx, package_id: string, actor_id: string, role: Role): void =>
  void tx.db.run(
    `INSERT INTO package_roles (package_id, actor_id, role) VALUES (?, ?, ?)
     ON CONFLICT (package_id, actor_id) DO UPDATE SET role = excluded.role`,
    package_id,
    actor_id,
    role,
  )

export const removePackageRole = (tx: Tx, package_id: string, actor_id: string): void =>
  void tx.db.run(
    'DELETE FROM package_roles WHERE package_id = ? AND actor_id = ?',
    package_id,
    actor_id,
  )

/** Whether a version of a package with this name was purged. */
export const hadPackage = (
  db: Db,
  workspace_id: string,
  type: PackageType,
  normal_name: string,
): boolean =>
  db.one(
    'SELECT 1 FROM package_bygone WHERE workspace_id = ? AND type = ? AND normal_name = ? LIMIT 1',
    workspace_id,
    type,
    normal_name,
  ) !== null

/** The digest that a purged version had; null when the number was never used and purged. */
export const findBygoneDigest = (
  db: Db,
  { workspace_id, type, normal_name }: Pick<PackageRow, 'workspace_id' | 'type' | 'normal_name'>,
  normal_version: string,
): string | null =>
  db.one<{ digest: string }>(
    'SELECT digest FROM package_bygone WHERE workspace_id = ? AND type = ? AND normal_name = ? AND normal_version = ?',
    workspace_id,
    type,
    normal_name,
    normal_version,
  )?.digest ?? null

/** Remembers the numbers of all versions of a package that is purged. */
export const rememberVersionsOf = (tx: Tx, row: PackageRow): void =>
  void tx.db.run(
    `INSERT OR REPLACE INTO package_bygone (workspace_id, type, normal_name, normal_version, digest)
     SELECT ?, ?, ?, normal_version, digest FROM package_versions WHERE package_id = ?`,
    row.workspace_id,
    row.type,
    row.normal_name,
    row.id,
  )

export const rememberVersion = (
  tx: Tx,
  row: PackageRow,
  version: { normal_version: string; digest: string },
): void =>
  void tx.db.run(
    `INSERT OR REPLACE INTO package_bygone (workspace_id, type, normal_name, normal_version, digest)
     VALUES (?, ?, ?, ?, ?)`,
    row.workspace_id,
    row.type,
    row.normal_name,
    version.normal_version,
    version.digest,
  )
