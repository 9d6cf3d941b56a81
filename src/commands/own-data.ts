/**
 * Whether a data directory may be written, found out before anything else, so that whoever starts
 * it reads one line that says what to do.
 */
import { prepareData } from '#src/app.ts'
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { CommandError } from './command.ts'

/**
 * What must be written: the directories, and the database with its log. Files of tmp are the
 * forge's own.
 */
const WRITTEN = [
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
 * Makes what is missing of a data directory, open to the owner only. Gives CommandError for one
 * that this account may not write; nothing was changed then. Other errors, of a full disk say, pass
 * through.
 */
export function requireOwnData(data: string): void {
  let there = resolve(data)
  while (!existsSync(there)) there = dirname(there)
  let where = there
  try {
    for (const name of there === resolve(data) ? WRITTEN : ['']) {
      where = join(there, name)
      if (existsSync(where)) accessSync(where, constants.W_OK)
    }
    where = there
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
