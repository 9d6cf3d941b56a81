/** The table `lfs_locks`. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import { notFound } from '#lib/errors.ts'
import type { Timestamp } from '#lib/time.ts'

export type LockRow = {
  readonly id: string
  readonly repo_id: string
  readonly path: string
  readonly owner_id: string
  readonly locked_at: Timestamp
}

export const findLockOfPath = (db: Db, repo_id: string, path: string): LockRow | null =>
  db.one<LockRow>('SELECT * FROM lfs_locks WHERE repo_id = ? AND path = ?', repo_id, path)

/** Throws 404 for a lock of another repository. */
export function requireLock(db: Db, repo_id: string, id: string): LockRow {
  const row = db.one<LockRow>('SELECT * FROM lfs_locks WHERE id = ?', id)
  if (row?.repo_id !== repo_id) throw notFound(`the lock ${id.slice(0, 100)}`)
  return row
}

/** Newest first. */
export const listLocks = (
  db: Db,
  repo_id: string,
  { path = null }: { path?: string | null },
  window: { limit: number; offset: number },
): LockRow[] =>
  db.all<LockRow>(
    `SELECT * FROM lfs_locks WHERE repo_id = ?1 AND (?2 IS NULL OR path = ?2)
     ORDER BY id DESC LIMIT ?3 OFFSET ?4`,
    repo_id,
    path,
    window.limit,
    window.offset,
  )

export const countLocks = (db: Db, repo_id: string): number =>
  db.one<{ count: number }>('SELECT count(*) AS count FROM lfs_locks WHERE repo_id = ?', repo_id)
    ?.count ?? 0

export const insertLock = (tx: Tx, row: LockRow): void =>
  void tx.db.run(
    'INSERT INTO lfs_locks (id, repo_id, path, owner_id, locked_at) VALUES (?, ?, ?, ?, ?)',
    row.id,
    row.repo_id,
    row.path,
    row.owner_id,
    row.locked_at,
  )

export const removeLock = (tx: Tx, id: string): void =>
  void tx.db.run('DELETE FROM lfs_locks WHERE id = ?', id)
