/**
 * Names and paths of trees are bytes. Inside the engine a path is a *key*: a string with one
 * character per byte (Latin-1). So `===` and `<` compare bytes, and maps can use paths as keys. Keys
 * are converted to text (UTF-8, with U+FFFD for invalid bytes) and back only in the interface.
 */
import { bytesToLatin1 } from '#lib/byte-text.ts'
import { GitError } from '../ports.ts'

/** A path or name with one character per byte. */
export type PathKey = string

const ascii = /^[\0-\x7f]*$/

export const keyToText = (key: PathKey): string =>
  ascii.test(key) ? key : Buffer.from(key, 'latin1').toString('utf8')
export const textToKey = (text: string): PathKey =>
  ascii.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1')
export const keyToBytes = (key: PathKey): Uint8Array => Buffer.from(key, 'latin1')
export const bytesToKey = (bytes: Uint8Array, from = 0, to = bytes.length): PathKey =>
  bytesToLatin1(bytes, from, to)

export const joinKey = (directory: PathKey, name: PathKey): PathKey =>
  directory === '' ? name : `${directory}/${name}`

/** `a/b/c` → `a/b`; '' for a name at the root. */
export function parentKey(path: PathKey): PathKey {
  const slash = path.lastIndexOf('/')
  return slash < 0 ? '' : path.slice(0, slash)
}

export const baseKey = (path: PathKey): PathKey => path.slice(path.lastIndexOf('/') + 1)

/** Byte order. */
export const compareKeys = (a: PathKey, b: PathKey): number => (a < b ? -1 : a > b ? 1 : 0)

/**
 * Paths longer than this are refused everywhere, which also bounds how deep a tree may be
 * (`core.longpaths`, PATH_MAX).
 */
export const MAX_PATH_BYTES = 4096
/** Nesting of directories. Deeper trees are hostile: no file system could check them out. */
export const MAX_DEPTH = 2048

/** The segments of a caller's path. '' is the root; leading and trailing slashes are ignored. */
export function splitPath(path: string): PathKey[] {
  const key = textToKey(path)
  if (key.length > MAX_PATH_BYTES)
    throw new GitError('invalid', `path is longer than ${MAX_PATH_BYTES} bytes`)
  return key.split('/').filter((segment) => segment !== '')
}
