/**
 * Which paths may be made by a commit: what git refuses to check out or what would write into `.git` on some system
 * (`verify_path` with core.protectHFS and core.protectNTFS; https://git-scm.com/docs/git-config).
 */
import { GitError } from '../ports.ts'
import { keyToText, MAX_PATH_BYTES, textToKey, type PathKey } from '../history/names.ts'

/** Code points that HFS+ leaves out when it compares names. */
const IGNORED_BY_HFS = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g

function isGitFolder(name: string): boolean {
  // NTFS knows streams (`.git::$INDEX_ALLOCATION`), drops dots and spaces at the end, and has a short name.
  const [plain = ''] = name.toLowerCase().split(':')
  const ntfs = plain.replace(/[. ]+$/, '')
  if (ntfs === '.git' || ntfs === 'git~1') return true
  return name.replace(IGNORED_BY_HFS, '').toLowerCase() === '.git'
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
    // A backslash separates names on Windows, so each part must be harmless too.
    const text = keyToText(segment)
    for (const part of text.split('\\')) if (isGitFolder(part)) refuse('names .git')
    if (text.split('\\').some((part) => part === '..')) refuse('has the segment ..')
  }
  return key
}
