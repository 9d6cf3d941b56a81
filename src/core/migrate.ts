/**
 * Brings a database to the schema of this executable. Migrations are append-only files, each in one
 * transaction together with the row that records it, so a start that is killed goes on where it
 * was.
 */
import { transaction, type DatabaseHandle } from './db.ts'
import { readMigrations } from './migrations.macro.ts' with { type: 'macro' }
import type { Timestamp } from '#lib/time.ts'

export type Migration = { name: string; sql: string }

export const migrations: readonly Migration[] = readMigrations()

/** The database was written by a newer executable than this one. */
export class NewerDatabase extends Error {
  constructor(readonly unknown: readonly string[]) {
    super(`the database is newer than this executable: it has ${unknown.join(', ')}`)
    this.name = 'NewerDatabase'
  }
}

/** The migrations that a database has been through, in order; none for one that is new. */
export const recordedMigrations = (db: DatabaseHandle): readonly string[] =>
  db.one(`SELECT 1 FROM sqlite_schema WHERE name = 'migrations'`)
    ? db.all<{ name: string }>('SELECT name FROM migrations ORDER BY name').map((row) => row.name)
    : []

/**
 * The migrations that are still to run. Gives NewerDatabase when one is recorded that this
 * executable does not know.
 */
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
 * Runs what is pending and gives the names; `ran` is told of each and its time in milliseconds.
 * Gives NewerDatabase as above.
 */
export function migrate(
  db: DatabaseHandle,
  now: Timestamp,
  known: readonly Migration[] = migrations,
  ran: (name: string, ms: number) => void = () => {},
): readonly string[] {
  const pending = pendingMigrations(db, known)
  db.exec(
    'CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied_at TEXT NOT NULL) STRICT',
  )
  for (const { name, sql } of pending) {
    const started = performance.now()
    transaction(db, () => {
      db.exec(sql)
      const broken = db.all('PRAGMA foreign_key_check')
      if (broken.length > 0)
        throw new Error(`migration ${name} leaves ${broken.length} rows with a missing parent`)
      db.run('INSERT INTO migrations (name, applied_at) VALUES (?, ?)', name, now)
    })
    ran(name, performance.now() - started)
  }
  return pending.map(({ name }) => name)
}

/**
 * The whole schema as one text, in a fixed order; the page `migrations/schema.sql` is held equal to
 * it by a test.
 */
export function schemaOf(db: DatabaseHandle): string {
  const rows = db.all<{ sql: string }>(
    `SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' AND name NOT GLOB '*_fts_*' ORDER BY tbl_name, type DESC, name`,
  )
  return `${rows.map(({ sql }) => `${sql};`).join('\n\n')}\n`
}
