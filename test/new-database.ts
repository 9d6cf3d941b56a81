/**
 * The database of a new forge, for tests to begin with. To run all migrations takes 80 ms, which
 * would be half of the time of most tests; `core/migrate.test.ts` and `upgrade.test.ts` run them.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '#core/db.ts'
import { migrate } from '#core/migrate.ts'
import { timestamp } from '#lib/time.ts'
import { lazy } from '#lib/lazy.ts'
import { START } from './settings.ts'

/** The bytes of the file. */
export const newDatabase = lazy((): Uint8Array => {
  const directory = mkdtempSync(join(tmpdir(), 'hearth-new-database-'))
  try {
    const path = join(directory, 'hearth.db')
    const database = openDatabase({ path })
    migrate(database, timestamp(START))
    // Closing moves what is in the log into the file.
    database.close()
    return readFileSync(path)
  } finally {
    rmSync(directory, { recursive: true })
  }
})
