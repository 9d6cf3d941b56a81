/** SQL on a copied database. It runs on a thread, so it imports no other feature. */
import type { Db } from '#core/db.ts'

/** Lists the object stores of its repositories. */
export const listStoresOfSnapshot = (db: Db): string[] =>
  db
    .all<{ store: string }>(
      `SELECT store FROM repos WHERE purged_at IS NULL
       UNION SELECT store FROM private_stores WHERE purged_at IS NULL ORDER BY store`,
    )
    .map(({ store }) => store)

export const countRepositories = (db: Db): number =>
  db.one<{ n: number }>(
    'SELECT count(*) AS n FROM repos WHERE parent_id IS NULL AND purged_at IS NULL',
  )?.n ?? 0

export const newestMigration = (db: Db): string =>
  db.one<{ name: string }>('SELECT name FROM migrations ORDER BY name DESC LIMIT 1')?.name ??
  '0000_none'

/** Lists files that are also or only in a bucket. */
export const listStoredFiles = (
  db: Db,
): { name: string; store: string | null; size: number; sha256: string; modified_ms: number }[] =>
  db.all(
    'SELECT name, store, size, sha256, modified_ms FROM stored_files WHERE unneeded_at IS NULL ORDER BY name',
  )

/** Whether a bucket has files of an object store. */
export const hasRemoteCopy = (db: Db, store: string): boolean =>
  db.one('SELECT 1 FROM stored_files WHERE store = ? AND unneeded_at IS NULL LIMIT 1', store) !==
  null
