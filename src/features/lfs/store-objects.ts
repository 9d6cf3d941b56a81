/** The table `lfs_objects`. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { Timestamp } from '#lib/time.ts'

export type LfsObjectRow = {
  readonly repo_id: string
  readonly oid: string
  readonly size_in_bytes: number
  readonly uploader_id: string
  readonly created_at: Timestamp
  readonly unused_since: Timestamp | null
}

export const findObject = (db: Db, repo_id: string, oid: string): LfsObjectRow | null =>
  db.one<LfsObjectRow>('SELECT * FROM lfs_objects WHERE repo_id = ? AND oid = ?', repo_id, oid)

export const hasObjects = (db: Db, repo_id: string): boolean =>
  db.one('SELECT 1 FROM lfs_objects WHERE repo_id = ? LIMIT 1', repo_id) !== null

/** An object that is there already stays as it is. */
export const insertObject = (
  tx: Tx,
  row: Pick<LfsObjectRow, 'repo_id' | 'oid' | 'size_in_bytes' | 'uploader_id'>,
): void =>
  void tx.db.run(
    `INSERT OR IGNORE INTO lfs_objects (repo_id, oid, size_in_bytes, uploader_id, created_at)
     VALUES (?, ?, ?, ?, ?)`,
    row.repo_id,
    row.oid,
    row.size_in_bytes,
    row.uploader_id,
    tx.now,
  )

/** Those of a repository after an oid, in order. */
export const listObjectsAfter = (
  db: Db,
  repo_id: string,
  after: string,
  limit: number,
): LfsObjectRow[] =>
  db.all<LfsObjectRow>(
    'SELECT * FROM lfs_objects WHERE repo_id = ? AND oid > ? ORDER BY oid LIMIT ?',
    repo_id,
    after,
    limit,
  )

export const setUnusedSince = (
  tx: Tx,
  repo_id: string,
  oid: string,
  since: Timestamp | null,
): void =>
  void tx.db.run(
    'UPDATE lfs_objects SET unused_since = ? WHERE repo_id = ? AND oid = ?',
    since,
    repo_id,
    oid,
  )

export const removeObject = (tx: Tx, repo_id: string, oid: string): void =>
  void tx.db.run('DELETE FROM lfs_objects WHERE repo_id = ? AND oid = ?', repo_id, oid)

/** The repositories that have large files, after an id, in order. */
export const listReposWithObjects = (db: Db, after: string, limit: number): string[] =>
  db
    .all<{ repo_id: string }>(
      'SELECT DISTINCT repo_id FROM lfs_objects WHERE repo_id > ? ORDER BY repo_id LIMIT ?',
      after,
      limit,
    )
    .map(({ repo_id }) => repo_id)

/** Deletes objects of a purged repository. The blob sweep deletes their files. */
export const removeObjectsOf = (tx: Tx, repo_id: string, limit: number): number =>
  tx.db.run(
    `DELETE FROM lfs_objects WHERE repo_id = ?1
     AND oid IN (SELECT oid FROM lfs_objects WHERE repo_id = ?1 LIMIT ?2)`,
    repo_id,
    limit,
  )

/** Whether any object has this blob. */
export const holdsBlob = (db: Db, sha256: string): boolean =>
  db.one('SELECT 1 FROM lfs_objects WHERE oid = ? LIMIT 1', sha256) !== null

export const listBlobs = (db: Db): string[] =>
  db.all<{ oid: string }>('SELECT DISTINCT oid FROM lfs_objects').map(({ oid }) => oid)
