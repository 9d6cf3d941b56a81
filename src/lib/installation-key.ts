/**
 * The installation's own secret, made once: 32 random bytes as hex digits in
 * `<data>/secrets/installation.key`, readable by the owner only. What the forge signs for itself
 * (links, ids of applications) is signed with keys made from it.
 */
import {
  linkSync,
  mkdirSync,
  openSync,
  closeSync,
  fsyncSync,
  readFileSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { randomToken } from './hash.ts'

const BYTES = 32

/** The key of a data directory. Gives an Error when the file is there and is not a key. */
export function installationKey(data: string): Uint8Array {
  const directory = join(data, 'secrets')
  const path = join(directory, 'installation.key')
  const text = readIfThere(path) ?? make(directory, path)
  const key = Buffer.from(text.trim(), 'hex')
  if (key.length !== BYTES)
    throw new Error(`${path} is not an installation key: it must hold ${BYTES} bytes as hex digits`)
  return key
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/**
 * The file gets its name only when all of it is on disk, and never replaces one that another
 * process made meanwhile.
 */
function make(directory: string, path: string): string {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const partial = join(directory, `.${randomToken(9)}.partial`)
  const file = openSync(partial, 'wx', 0o600)
  try {
    writeSync(
      file,
      `${Buffer.from(crypto.getRandomValues(new Uint8Array(BYTES))).toString('hex')}\n`,
    )
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  try {
    linkSync(partial, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    unlinkSync(partial)
  }
  return readFileSync(path, 'utf8')
}
