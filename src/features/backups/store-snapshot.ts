/** What a snapshot says of itself; asked on a thread, so this knows no other feature. */
import type { Db } from '#core/db.ts'

/** The object stores that its repositories use. */
export const storesOf = (db: Db): string[] => db.all<{ store: string }>('SELECT DISTINCT store FROM repos WHERE purged_at IS NULL ORDER BY store').map(({ store }) => store)

export const countRepositories = (db: Db): number => db.one<{ n: number }>('SELECT count(*) AS n FROM repos WHERE parent_id IS NULL AND purged_at IS NULL')?.n ?? 0

export const newestMigration = (db: Db): string => db.one<{ name: string }>('SELECT name FROM migrations ORDER BY name DESC LIMIT 1')?.name ?? '0000_none'
