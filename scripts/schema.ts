/**
 * Writes `migrations/schema.sql`: what all migrations together make, on one page. A test holds it
 * equal.
 */
import { openDatabase } from '#core/db.ts'
import { migrate, schemaOf } from '#core/migrate.ts'
import { fileURLToPath } from 'node:url'

export function currentSchema(): string {
  const database = openDatabase({ path: ':memory:' })
  try {
    migrate(database, '2026-01-01T00:00:00.000Z')
    return schemaOf(database)
  } finally {
    database.close()
  }
}

export const SCHEMA_FILE = fileURLToPath(new URL('../migrations/schema.sql', import.meta.url))

if (import.meta.main) await Bun.write(SCHEMA_FILE, currentSchema())
