/** SQL for the tables `package_upstreams` and `upstream_files`. */
import type { Db } from '#core/db.ts'
import { workspaceTotals } from '#core/workspace-totals.ts'
import type { Tx } from '#core/write.ts'
import type { Timestamp } from '#lib/time.ts'
import type { UpstreamType } from './schema.ts'

export type UpstreamRow = {
  readonly id: string
  readonly workspace_id: string
  readonly type: UpstreamType
  /** Without a slash at its end. */
  readonly url: string
  readonly username: string | null
  /** Sealed. */
  readonly secret: string | null
  /** A JSON list of texts. */
  readonly reserved: string
  readonly min_age_days: number
  readonly keep_days: number
  readonly max_bytes: number
  /** Kept by triggers. */
  readonly cached_bytes: number
  readonly last_error: string | null
  readonly failed_at: Timestamp | null
  readonly created_by: string | null
  readonly created_at: Timestamp
  readonly updated_at: Timestamp
}

export type CachedRow = {
  readonly upstream_id: string
  readonly key: string
  readonly kind: 'document' | 'file'
  readonly name: string
  readonly sha256: string
  readonly size_in_bytes: number
  readonly content_type: string
  readonly etag: string | null
  readonly last_modified: string | null
  readonly checked_at: Timestamp
  readonly changed_at: Timestamp
  readonly used_at: Timestamp
}

export const findUpstream = (db: Db, workspace_id: string, type: string): UpstreamRow | null =>
  db.one<UpstreamRow>(
    'SELECT * FROM package_upstreams WHERE workspace_id = ? AND type = ?',
    workspace_id,
    type,
  )

export const upstreamById = (db: Db, id: string): UpstreamRow | null =>
  db.one<UpstreamRow>('SELECT * FROM package_upstreams WHERE id = ?', id)

export const listUpstreamRows = (db: Db, workspace_id: string): UpstreamRow[] =>
  db.all<UpstreamRow>(
    'SELECT * FROM package_upstreams WHERE workspace_id = ? ORDER BY type',
    workspace_id,
  )

export const listAllUpstreams = (db: Db): UpstreamRow[] =>
  db.all<UpstreamRow>('SELECT * FROM package_upstreams ORDER BY id')

export type UpstreamSettings = Pick<
  UpstreamRow,
  'url' | 'username' | 'secret' | 'reserved' | 'min_age_days' | 'keep_days' | 'max_bytes'
>

export const putUpstream = (
  tx: Tx,
  row: UpstreamSettings & Pick<UpstreamRow, 'id' | 'workspace_id' | 'type' | 'created_by'>,
): void =>
  void tx.db.run(
    `INSERT INTO package_upstreams (id, workspace_id, type, url, username, secret, reserved,
       min_age_days, keep_days, max_bytes, created_by, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (workspace_id, type) DO UPDATE SET
       url = excluded.url, username = excluded.username, secret = excluded.secret,
       reserved = excluded.reserved, min_age_days = excluded.min_age_days,
       keep_days = excluded.keep_days, max_bytes = excluded.max_bytes, last_error = NULL,
       failed_at = NULL, updated_at = excluded.updated_at`,
    row.id,
    row.workspace_id,
    row.type,
    row.url,
    row.username,
    row.secret,
    row.reserved,
    row.min_age_days,
    row.keep_days,
    row.max_bytes,
    row.created_by,
    tx.now,
    tx.now,
  )

export const removeUpstream = (tx: Tx, id: string): void =>
  void tx.db.run('DELETE FROM package_upstreams WHERE id = ?', id)

/** The outcome of the last request. */
export const setUpstreamError = (tx: Tx, id: string, error: string | null): void =>
  void tx.db.run(
    'UPDATE package_upstreams SET last_error = ?, failed_at = ? WHERE id = ?',
    error,
    error === null ? null : tx.now,
    id,
  )

export const findCached = (db: Db, upstream_id: string, key: string): CachedRow | null =>
  db.one<CachedRow>(
    'SELECT * FROM upstream_files WHERE upstream_id = ? AND key = ?',
    upstream_id,
    key,
  )

export type NewCached = Omit<CachedRow, 'checked_at' | 'changed_at' | 'used_at'>

/** Adds or replaces what is cached under a key. */
export const putCached = (tx: Tx, row: NewCached): void =>
  void tx.db.run(
    `INSERT INTO upstream_files (upstream_id, key, kind, name, sha256, size_in_bytes, content_type,
       etag, last_modified, checked_at, changed_at, used_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?10, ?10, ?10)
     ON CONFLICT (upstream_id, key) DO UPDATE SET
       changed_at = iif(sha256 = excluded.sha256, changed_at, excluded.changed_at),
       sha256 = excluded.sha256, size_in_bytes = excluded.size_in_bytes,
       content_type = excluded.content_type, etag = excluded.etag,
       last_modified = excluded.last_modified, checked_at = excluded.checked_at,
       used_at = excluded.used_at`,
    row.upstream_id,
    row.key,
    row.kind,
    row.name,
    row.sha256,
    row.size_in_bytes,
    row.content_type,
    row.etag,
    row.last_modified,
    tx.now,
  )

export const setChecked = (tx: Tx, upstream_id: string, key: string): void =>
  void tx.db.run(
    'UPDATE upstream_files SET checked_at = ?3, used_at = ?3 WHERE upstream_id = ?1 AND key = ?2',
    upstream_id,
    key,
    tx.now,
  )

export const setUsed = (tx: Tx, upstream_id: string, key: string): void =>
  void tx.db.run(
    'UPDATE upstream_files SET used_at = ? WHERE upstream_id = ? AND key = ?',
    tx.now,
    upstream_id,
    key,
  )

export const removeCached = (tx: Tx, upstream_id: string, key: string): void =>
  void tx.db.run('DELETE FROM upstream_files WHERE upstream_id = ? AND key = ?', upstream_id, key)

/** Returns how many files went. */
export const emptyCache = (tx: Tx, upstream_id: string): number =>
  tx.db.all('DELETE FROM upstream_files WHERE upstream_id = ? RETURNING 1', upstream_id).length

export type CacheTotals = {
  readonly file_count: number
  readonly size_in_bytes: number
  readonly last_used_at: Timestamp | null
}

export const cacheTotals = (db: Db, upstream_id: string): CacheTotals =>
  db.one<CacheTotals>(
    `SELECT count(*) AS file_count, coalesce(sum(size_in_bytes), 0) AS size_in_bytes,
       max(used_at) AS last_used_at FROM upstream_files WHERE upstream_id = ?`,
    upstream_id,
  ) ?? { file_count: 0, size_in_bytes: 0, last_used_at: null }

export type LeastUsed = Pick<CachedRow, 'key' | 'size_in_bytes' | 'used_at'>

/** Files of the cache, the one that was read longest ago first. */
export const listLeastUsed = (db: Db, upstream_id: string, limit: number): LeastUsed[] =>
  db.all(
    'SELECT key, size_in_bytes, used_at FROM upstream_files WHERE upstream_id = ? ORDER BY used_at LIMIT ?',
    upstream_id,
    limit,
  )

export type CachedPackage = {
  readonly name: string
  readonly file_count: number
  readonly size_in_bytes: number
  readonly last_used_at: Timestamp
}

/** Packages of the cache by name. */
export const listCachedPackages = (
  db: Db,
  upstream_id: string,
  window: { limit: number; offset: number },
): CachedPackage[] =>
  db.all<CachedPackage>(
    `SELECT name, count(*) AS file_count, sum(size_in_bytes) AS size_in_bytes,
       max(used_at) AS last_used_at
     FROM upstream_files WHERE upstream_id = ? GROUP BY name ORDER BY name LIMIT ? OFFSET ?`,
    upstream_id,
    window.limit,
    window.offset,
  )

export const countCachedPackages = (db: Db, upstream_id: string): number =>
  db.one<{ count: number }>(
    'SELECT count(DISTINCT name) AS count FROM upstream_files WHERE upstream_id = ?',
    upstream_id,
  )?.count ?? 0

/** Bytes of all caches of workspaces. What two of them hold counts twice. */
export const countUpstreamBytes = (
  db: Db,
  workspace_ids: readonly string[],
): ReadonlyMap<string, number> =>
  workspaceTotals(
    db,
    `SELECT workspace_id, sum(cached_bytes) AS total FROM package_upstreams
     WHERE workspace_id IN (SELECT value FROM json_each(?)) GROUP BY workspace_id`,
    workspace_ids,
  )

export const isBlobOfUpstream = (db: Db, sha256: string): boolean =>
  db.one('SELECT 1 FROM upstream_files WHERE sha256 = ? LIMIT 1', sha256) !== null

export const listBlobsOfUpstreams = (db: Db): string[] =>
  db
    .all<{ sha256: string }>('SELECT DISTINCT sha256 FROM upstream_files')
    .map(({ sha256 }) => sha256)
