/**
 * The secret of an installation, created once: 32 random bytes as hex digits in
 * `<data>/secrets/installation.key`, readable by the owner only. Keys that sign links and ids of
 * applications are derived from it.
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

/** The key of a data directory. Throws an Error when the file exists and is no key. */
export function installationKey(data: string): Uint8Array {
  const directory = join(data, 'secrets')
  const path = join(directory, 'installation.key')
  const text = readIfExists(path) ?? create(directory, path)
  const key = Buffer.from(text.trim(), 'hex')
  if (key.length !== BYTES)
    throw new Error(`${path} is not an installation key: it must hold ${BYTES} bytes as hex digits`)
  return key
}

function readIfExists(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/**
 * Writes the key under a temporary name and links it when it is on disk. The link fails when
 * another process was faster; then the key of that process is used.
 */
function create(directory: string, path: string): string {
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
