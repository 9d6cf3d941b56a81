/**
 * Reads the migration files at build time, so that the executable contains them. It is called as a
 * macro (https://bun.sh/docs/bundler/macros): its result is a constant in the output.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export function readMigrations(): { name: string; sql: string }[] {
  const directory = join(import.meta.dir, '../../migrations')
  return readdirSync(directory)
    .filter((name) => /^\d{4}_[a-z_]+\.sql$/.test(name))
    .sort()
    .map((name) => ({
      name: name.replace(/\.sql$/, ''),
      sql: readFileSync(join(directory, name), 'utf8'),
    }))
}
