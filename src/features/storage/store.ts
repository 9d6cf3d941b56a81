/** SQL for the files in the bucket. */
import type { Db, WritableDb } from '#core/db.ts'
import type { Timestamp } from '#lib/time.ts'

export type StoredRow = {
  name: string
  store: string | null
  size: number
  sha256: string
  modified_ms: number
  stored_at: string
  used_ms: number
  proven: 0 | 1
  away: 0 | 1
  unneeded_at: string | null
}

export type NewStored = Pick<
  StoredRow,
  'name' | 'store' | 'size' | 'sha256' | 'modified_ms' | 'away'
>

export const findStored = (db: Db, name: string): StoredRow | null =>
  db.one<StoredRow>('SELECT * FROM stored_files WHERE name = ?', name)

export const listStored = (db: Db, store: string): StoredRow[] =>
  db.all<StoredRow>('SELECT * FROM stored_files WHERE store = ? ORDER BY name', store)

export const hasStored = (db: Db, store: string): boolean =>
  db.one('SELECT 1 FROM stored_files WHERE store = ? LIMIT 1', store) !== null

/** Whether a repository uses a store. */
export const isStoreNamed = (db: Db, store: string): boolean =>
  db.one(
    'SELECT 1 FROM repos WHERE store = ?1 UNION ALL SELECT 1 FROM private_stores WHERE store = ?1 LIMIT 1',
    store,
  ) !== null

/** Lists uploaded files after a name, in name order. */
export const listStoredBlobs = (db: Db, after: string, limit: number): StoredRow[] =>
  db.all<StoredRow>(
    'SELECT * FROM stored_files WHERE store IS NULL AND name > ? ORDER BY name LIMIT ?',
    after,
    limit,
  )

export const hasOffloaded = (db: Db): boolean =>
  db.one('SELECT 1 FROM stored_files WHERE away = 1 LIMIT 1') !== null

/** Inserts a file; an existing row is marked as needed again. */
export function insertStored(db: WritableDb, row: NewStored, now: Timestamp, now_ms: number): void {
  db.run(
    `INSERT INTO stored_files (name, store, size, sha256, modified_ms, stored_at, used_ms, away)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET size = excluded.size, sha256 = excluded.sha256,
       modified_ms = excluded.modified_ms, away = excluded.away, proven = 0, unneeded_at = NULL`,
    row.name,
    row.store,
    row.size,
    row.sha256,
    row.modified_ms,
    now,
    now_ms,
    row.away,
  )
}

export const setOffloaded = (db: WritableDb, name: string, away: boolean): number =>
  db.run('UPDATE stored_files SET away = ?1 WHERE name = ?2 AND away <> ?1', away ? 1 : 0, name)
export const setProven = (db: WritableDb, name: string): number =>
  db.run('UPDATE stored_files SET proven = 1 WHERE name = ?', name)
export const setUnneeded = (db: WritableDb, name: string, at: Timestamp | null): number =>
  db.run('UPDATE stored_files SET unneeded_at = ? WHERE name = ?', at, name)
export const removeStored = (db: WritableDb, name: string): number =>
  db.run('DELETE FROM stored_files WHERE name = ?', name)

/** Deletes the rows of local files, so that they are copied again. */
export const removeLocalRows = (db: WritableDb): number =>
  db.run('DELETE FROM stored_files WHERE away = 0')

/** Stores when a store or an uploaded file was last used. */
export const setUsed = (
  db: WritableDb,
  unit: { store: string } | { name: string },
  at_ms: number,
): number =>
  'store' in unit
    ? db.run('UPDATE stored_files SET used_ms = ? WHERE store = ?', at_ms, unit.store)
    : db.run('UPDATE stored_files SET used_ms = ? WHERE name = ?', at_ms, unit.name)

export const listUnneeded = (db: Db, before: Timestamp, limit: number): StoredRow[] =>
  db.all<StoredRow>(
    'SELECT * FROM stored_files WHERE unneeded_at < ? ORDER BY unneeded_at LIMIT ?',
    before,
    limit,
  )

/** Lists stores with rows that no repository uses any more. */
export const listUnusedStores = (db: Db): string[] =>
  db
    .all<{ store: string }>(
      `SELECT DISTINCT store FROM stored_files WHERE store IS NOT NULL AND unneeded_at IS NULL AND NOT EXISTS (SELECT 1 FROM repos WHERE repos.store = stored_files.store)`,
    )
    .map(({ store }) => store)

export type StoredTotals = {
  readonly files: number
  readonly bytes: number
  readonly local: number
  readonly away: number
}

/**
 * Returns the bytes of needed files: all, those also on this disk, and those only in the bucket.
 * Triggers keep them.
 */
export const sumStored = (db: Db): StoredTotals =>
  db.one<StoredTotals>(
    `SELECT sum(files) AS files, sum(bytes) AS bytes, sum(iif(away, 0, bytes)) AS local,
       sum(iif(away, bytes, 0)) AS away
     FROM stored_totals`,
  ) ?? { files: 0, bytes: 0, local: 0, away: 0 }

/**
 * Lists what can be evicted: the packs of one store together, or one uploaded file; the least
 * recently used first.
 */
export const listEvictable = (
  db: Db,
  before_ms: number,
  limit: number,
): { store: string | null; name: string; bytes: number }[] =>
  db.all(
    `SELECT store, min(name) AS name, sum(size) AS bytes FROM stored_files
     WHERE away = 0 AND unneeded_at IS NULL AND used_ms < ?1
       AND (store IS NULL OR name LIKE '%.pack')
     GROUP BY coalesce(store, name) ORDER BY max(used_ms), 2 LIMIT ?2`,
    before_ms,
    limit,
  )
