/**
 * Which paths may be made by a commit: what git refuses to check out or what would write into
 * `.git` on some system (`verify_path` with core.protectHFS and core.protectNTFS;
 * https://git-scm.com/docs/git-config).
 */
import { specialName, type SpecialName } from '../pack/names.ts'
import { GitError } from '../ports.ts'
import { keyToBytes, MAX_PATH_BYTES, textToKey, type PathKey } from '../history/names.ts'

/**
 * Which file or folder that git treats in its own way a name may stand for on some file system, or
 * null.
 */
export function standsFor(name: PathKey): SpecialName {
  const bytes = keyToBytes(name)
  return specialName(bytes, 0, bytes.length)
}

const MAX_NAME_BYTES = 255

/** The path as a key. Gives GitError `invalid` naming the path and what is wrong with it. */
export function checkPath(path: string): PathKey {
  const refuse = (why: string): never => {
    throw new GitError('invalid', `path ${JSON.stringify(path.slice(0, 200))} ${why}`)
  }
  const key = textToKey(path)
  if (path === '') refuse('is empty')
  if (key.length > MAX_PATH_BYTES) refuse(`is longer than ${MAX_PATH_BYTES} bytes`)
  if (path.includes('\0')) refuse('holds a NUL')
  if (!path.isWellFormed()) refuse('is not valid Unicode')
  if (path.startsWith('/') || path.endsWith('/')) refuse('begins or ends with a slash')
  for (const segment of key.split('/')) {
    if (segment === '') refuse('has an empty segment')
    if (segment === '.' || segment === '..') refuse(`has the segment ${segment}`)
    if (segment.length > MAX_NAME_BYTES) refuse(`has a name longer than ${MAX_NAME_BYTES} bytes`)
    // A backslash separates names on Windows.
    if (segment.split('\\').includes('..')) refuse('has the segment ..')
    if (standsFor(segment) === 'git') refuse('names .git')
  }
  return key
}
