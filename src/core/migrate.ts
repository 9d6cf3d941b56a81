/**
 * Migrates a database to the schema of this executable. Migrations are append-only files. Each runs
 * in one transaction with the row that records it, so a killed start continues where it stopped. A
 * new database gets all of them in one transaction.
 */
import { transaction, type DatabaseHandle } from './db.ts'
import { readMigrations } from './migrations.macro.ts' with { type: 'macro' }
import { lazy } from '#lib/lazy.ts'
import { packedText } from '#lib/packed-text.ts'
import type { Timestamp } from '#lib/time.ts'

export type Migration = { readonly name: string; readonly sql: string }

const { names, packed } = readMigrations()
const readSql = packedText(packed)
const sqlByNumber = lazy(() => JSON.parse(readSql()) as readonly string[])

/** Their SQL is 500 KB, and is unpacked when one of them has to run. */
export const migrations: readonly Migration[] = names.map((name, number) => ({
  name,
  get sql() {
    return sqlByNumber()[number] ?? ''
  },
}))

/** The database has migrations of a newer executable. */
export class NewerDatabase extends Error {
  constructor(readonly unknown: readonly string[]) {
    super(`the database is newer than this executable: it has ${unknown.join(', ')}`)
    this.name = 'NewerDatabase'
  }
}

/** The migrations that a database has had, in order; none for a new database. */
export const recordedMigrations = (db: DatabaseHandle): readonly string[] =>
  db.one(`SELECT 1 FROM sqlite_schema WHERE name = 'migrations'`)
    ? db.all<{ name: string }>('SELECT name FROM migrations ORDER BY name').map((row) => row.name)
    : []

/** The migrations that have not run yet. Throws NewerDatabase for a recorded unknown one. */
export function pendingMigrations(
  db: DatabaseHandle,
  known: readonly Migration[] = migrations,
): readonly Migration[] {
  const recorded = recordedMigrations(db)
  const names = new Set(known.map(({ name }) => name))
  const unknown = recorded.filter((name) => !names.has(name))
  if (unknown.length > 0) throw new NewerDatabase(unknown)
  const done = new Set(recorded)
  return known.filter(({ name }) => !done.has(name))
}

/**
 * Runs the pending migrations and returns their names. `onApplied` receives each name with its
 * duration in milliseconds. Throws NewerDatabase.
 */
export function migrate(
  db: DatabaseHandle,
  now: Timestamp,
  known: readonly Migration[] = migrations,
  onApplied: (name: string, ms: number) => void = () => {},
): readonly string[] {
  const pending = pendingMigrations(db, known)
  db.exec(
    'CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied_at TEXT NOT NULL) STRICT',
  )
  const apply = (list: readonly Migration[]): void => {
    for (const { name, sql } of list) {
      const startedMs = performance.now()
      db.exec(sql)
      db.run('INSERT INTO migrations (name, applied_at) VALUES (?, ?)', name, now)
      onApplied(name, performance.now() - startedMs)
    }
    requireParents(db, list.at(-1)?.name ?? '')
  }
  // A new database has no data to lose, so one transaction syncs the disk and checks rows only once.
  if (pending.length === known.length) transaction(db, () => apply(pending))
  else for (const one of pending) transaction(db, () => apply([one]))
  return pending.map(({ name }) => name)
}

/** Throws when a migration left rows whose parent is missing. */
function requireParents(db: DatabaseHandle, name: string): void {
  const broken = db.all('PRAGMA foreign_key_check')
  if (broken.length > 0)
    throw new Error(`migration ${name} leaves ${broken.length} rows with a missing parent`)
}

/**
 * The whole schema as one text in a fixed order. A test compares it with `migrations/schema.sql`.
 */
export function schemaOf(db: DatabaseHandle): string {
  const rows = db.all<{ sql: string }>(
    `SELECT sql FROM sqlite_schema
     WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' AND name NOT GLOB '*_fts_*'
     ORDER BY tbl_name, type DESC, name`,
  )
  return `${rows.map(({ sql }) => `${sql};`).join('\n\n')}\n`
}
