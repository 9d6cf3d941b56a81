/**
 * Checks the paths of new commits. It refuses what git refuses to check out, and what would write
 * into `.git` on some operating system (`verify_path` with core.protectHFS and core.protectNTFS;
 * https://git-scm.com/docs/git-config).
 */
import { specialDotName, type SpecialName } from '../pack/dotgit-names.ts'
import { GitError } from '../ports.ts'
import { keyToBytes, MAX_PATH_BYTES, textToKey, type PathKey } from '../history/names.ts'

/** The special file or folder of git that a name means on some file system, or null. */
export function standsFor(name: PathKey): SpecialName {
  const bytes = keyToBytes(name)
  return specialDotName(bytes, 0, bytes.length)
}

const MAX_NAME_BYTES = 255

/** The path as a key. Throws GitError `invalid` with the path and the fault. */
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
    // A backslash is a path separator on Windows.
    if (segment.split('\\').includes('..')) refuse('has the segment ..')
    if (standsFor(segment) === 'git') refuse('names .git')
  }
  return key
}
