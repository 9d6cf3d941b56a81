/** What a snapshot says of itself; asked on a thread, so this knows no other feature. */
import type { Db } from '#core/db.ts'

/** The object stores that its repositories use. */
export const storesOf = (db: Db): string[] =>
  db
    .all<{ store: string }>(
      'SELECT DISTINCT store FROM repos WHERE purged_at IS NULL ORDER BY store',
    )
    .map(({ store }) => store)

export const countRepositories = (db: Db): number =>
  db.one<{ n: number }>(
    'SELECT count(*) AS n FROM repos WHERE parent_id IS NULL AND purged_at IS NULL',
  )?.n ?? 0

export const newestMigration = (db: Db): string =>
  db.one<{ name: string }>('SELECT name FROM migrations ORDER BY name DESC LIMIT 1')?.name ??
  '0000_none'

/** Files that are in a bucket too, or only. */
export const listStoredFiles = (
  db: Db,
): { name: string; store: string | null; size: number; sha256: string; modified_ms: number }[] =>
  db.all(
    'SELECT name, store, size, sha256, modified_ms FROM stored_files WHERE unneeded_at IS NULL ORDER BY name',
  )

/** Whether a bucket has something of an object store. */
export const isStored = (db: Db, store: string): boolean =>
  db.one('SELECT 1 FROM stored_files WHERE store = ? AND unneeded_at IS NULL LIMIT 1', store) !==
  null
