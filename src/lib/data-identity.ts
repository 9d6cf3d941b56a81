/** The identity of a data directory, by which a bucket or a place of backups knows its own. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomToken } from './hash.ts'

/** It is not in backups, because a restored copy is another forge. */
const IDENTITY_FILE = 'storage.id'

/** Reads the id of a data directory, and creates it when it is missing. */
export function dataIdentity(data: string): string {
  const path = join(data, IDENTITY_FILE)
  if (existsSync(path)) return readFileSync(path, 'utf8').trim()
  const made = randomToken(24)
  writeFileSync(path, `${made}\n`, { mode: 0o600 })
  return made
}
