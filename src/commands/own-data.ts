/** Checks first that the data directory is writable, so that a person gets a one-line remedy. */
import { prepareData } from '#src/app.ts'
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { CommandError } from './command.ts'

/** What must be writable: the directories, and the database with its log. */
const MUST_BE_WRITABLE = [
  '',
  'repos',
  'tmp',
  'secrets',
  'hearth.db',
  'hearth.db-wal',
  'hearth.db-shm',
  'tmp/serve.lock',
]

const REASONS: Readonly<Record<string, string>> = {
  EROFS: 'its file system can only be read',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
}

/**
 * Creates what is missing of a data directory, for its owner only. Throws CommandError without a
 * change when this account cannot write there. Other errors, such as a full disk, pass through.
 */
export function requireOwnData(data: string): void {
  let existing = resolve(data)
  while (!existsSync(existing)) existing = dirname(existing)
  let where = existing
  try {
    for (const name of existing === resolve(data) ? MUST_BE_WRITABLE : ['']) {
      where = join(existing, name)
      if (existsSync(where)) accessSync(where, constants.W_OK)
    }
    where = existing
    prepareData(data)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    const reason = REASONS[code]
    if (reason === undefined) throw error
    const uid = process.getuid?.()
    const owner = existsSync(where) ? statSync(where).uid : undefined
    const accounts =
      uid === undefined || owner === undefined || owner === uid
        ? ''
        : `; it belongs to user ${owner}, and this is user ${uid}`
    throw new CommandError(
      `${where === resolve(data) ? '' : `${resolve(data)} cannot be used: `}${where} cannot be written, because ${reason}${accounts}. Make it writable for this account, or name another directory with --data. Nothing was changed`,
    )
  }
}
