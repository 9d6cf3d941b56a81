/** The table `caches`. */
import type { RepoGrant } from '#core/access.ts'
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import { storageOfRepo } from '#features/repos/index.ts'
import { notFound } from '#lib/errors.ts'
import type { Timestamp } from '#lib/time.ts'
import type { Cache } from './schema.ts'

export type CacheRow = {
  readonly seq: number
  readonly id: string
  readonly repo_id: string
  readonly ref: string
  readonly key: string
  readonly version: string
  readonly size_in_bytes: number
  readonly sha256: string
  readonly created_at: Timestamp
  readonly last_used_at: Timestamp
}

export const cacheRecord = (row: CacheRow): Cache => ({
  id: row.id,
  key: row.key,
  ref: row.ref,
  size_in_bytes: row.size_in_bytes,
  created_at: row.created_at,
  last_used_at: row.last_used_at,
})

/** Throws 404 for a cache of another repository. */
export function requireCache(db: Db, repo: Pick<RepoGrant, 'id'>, id: string): CacheRow {
  const row = db.one<CacheRow>('SELECT * FROM caches WHERE id = ?', id)
  if (row?.repo_id !== repo.id) throw notFound(`the cache ${id}`)
  return row
}

/** The last character of Unicode, behind every key with a prefix. */
const LAST_CHARACTER = '\u{10FFFF}'

/** Those of a repository whose key begins with a text, the last used first. */
export const listCacheRows = (
  db: Db,
  repo_id: string,
  prefix: string,
  window: { limit: number; offset: number },
): CacheRow[] =>
  db.all<CacheRow>(
    `SELECT * FROM caches WHERE repo_id = ?1 AND key >= ?2 AND key <= ?3
     ORDER BY last_used_at DESC, seq DESC LIMIT ?4 OFFSET ?5`,
    repo_id,
    prefix,
    `${prefix}${LAST_CHARACTER}`,
    window.limit,
    window.offset,
  )

/** The cache of a ref with this key, else the newest whose key begins with it. */
export const findCache = (
  db: Db,
  where: { repo_id: string; ref: string; version: string; key: string },
): CacheRow | null =>
  db.one<CacheRow>(
    `SELECT * FROM caches WHERE repo_id = ?1 AND ref = ?2 AND version = ?3
       AND key >= ?4 AND key <= ?5 ORDER BY key = ?4 DESC, seq DESC LIMIT 1`,
    where.repo_id,
    where.ref,
    where.version,
    where.key,
    `${where.key}${LAST_CHARACTER}`,
  )

/** False when the ref has a cache of this key already: caches do not change. */
export const insertCache = (
  tx: Tx,
  row: Omit<CacheRow, 'seq' | 'created_at' | 'last_used_at'>,
): boolean =>
  tx.db.run(
    `INSERT OR IGNORE INTO caches (id, repo_id, ref, key, version, size_in_bytes, sha256, created_at,
       last_used_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    row.repo_id,
    row.ref,
    row.key,
    row.version,
    row.size_in_bytes,
    row.sha256,
    tx.now,
    tx.now,
  ) === 1

export const setCacheUsed = (tx: Tx, id: string): void =>
  void tx.db.run('UPDATE caches SET last_used_at = ? WHERE id = ?', tx.now, id)

export const removeCache = (tx: Tx, id: string): void =>
  void tx.db.run('DELETE FROM caches WHERE id = ?', id)

/** Deletes the caches of a repository that were not used for longest, until the rest fits. */
export function evictCaches(tx: Tx, repo_id: string, maxBytes: number): void {
  if (storageOfRepo(tx.db, repo_id, 'caches').bytes <= maxBytes) return
  tx.db.run(
    `DELETE FROM caches WHERE seq IN (
       SELECT seq FROM (
         SELECT seq, sum(size_in_bytes) OVER (ORDER BY last_used_at DESC, seq DESC) AS bytes
         FROM caches WHERE repo_id = ?)
       WHERE bytes > ?)`,
    repo_id,
    maxBytes,
  )
}

/**
 * Deletes caches of all repositories of a workspace that were not used for longest, until so many
 * bytes are free.
 */
export function evictWorkspaceCaches(tx: Tx, workspace_id: string, bytes: number): void {
  tx.db.run(
    `DELETE FROM caches WHERE seq IN (
       SELECT seq FROM (
         SELECT c.seq, sum(c.size_in_bytes) OVER (ORDER BY c.last_used_at, c.seq)
           - c.size_in_bytes AS freed
         FROM repos p CROSS JOIN caches c ON c.repo_id = p.id
         WHERE p.workspace_id = ? AND p.parent_id IS NULL)
       WHERE freed < ?)`,
    workspace_id,
    bytes,
  )
}

export const removeUnusedCaches = (tx: Tx, before: Timestamp, limit: number): number =>
  tx.db.run(
    'DELETE FROM caches WHERE seq IN (SELECT seq FROM caches WHERE last_used_at < ? LIMIT ?)',
    before,
    limit,
  )

export const holdsCacheBlob = (db: Db, sha256: string): boolean =>
  db.one('SELECT 1 FROM caches WHERE sha256 = ? LIMIT 1', sha256) !== null

export const listCacheBlobs = (db: Db): string[] =>
  db.all<{ sha256: string }>('SELECT DISTINCT sha256 FROM caches').map(({ sha256 }) => sha256)

/** Deletes caches of a purged repository. The blob sweep deletes their files. */
export const removeCachesOfRepo = (tx: Tx, repo_id: string, limit: number): number =>
  tx.db.run(
    'DELETE FROM caches WHERE seq IN (SELECT seq FROM caches WHERE repo_id = ? LIMIT ?)',
    repo_id,
    limit,
  )
