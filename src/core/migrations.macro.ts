/**
 * Reads the migration files at build time, so that the executable contains them. It is called as a
 * macro (https://bun.sh/docs/bundler/macros): its result is a constant in the output.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packText } from '#lib/packed-text.ts'

/** `packed` unpacks to the list of their SQL as JSON (`packedText`). */
export function readMigrations(): { names: string[]; packed: string } {
  const directory = join(import.meta.dir, '../../migrations')
  const files = readdirSync(directory)
    .filter((name) => /^\d{4}_[a-z_]+\.sql$/.test(name))
    .sort()
  return {
    names: files.map((name) => name.replace(/\.sql$/, '')),
    packed: packText(
      JSON.stringify(files.map((name) => readFileSync(join(directory, name), 'utf8'))),
    ),
  }
}
