/**
 * Checks received objects as `git fsck --strict` does (https://git-scm.com/docs/git-fsck, "FSCK
 * MESSAGES"). A push is refused for every message that git classifies as error or warning. Imported
 * history is old and cannot be rewritten. So an import accepts harmless faults, as git does with
 * its checks off, and refuses harmful ones.
 *
 * - Accepted always, because they mislead nobody: zeroPaddedFilemode and the mode 100664 (common in
 *   old history), extraHeaderEntry, badTagName, missingTaggerEntry, gitignoreSymlink,
 *   mailmapSymlink, gitmodulesParse.
 * - Accepted in an import, refused in a push: badDate, badDateOverflow, badEmail, badName,
 *   badTimezone, missingAuthor, missingCommitter, missingEmail, missingNameBeforeEmail,
 *   missingSpaceBeforeDate, missingSpaceBeforeEmail, multipleAuthors, nulInCommit, zeroPaddedDate,
 *   badFilemode of plain files, nullSha1 of submodules, gitattributesSymlink.
 * - Refused always, because they can mislead a checkout or a reader: hasDotgit, hasDot, hasDotdot,
 *   emptyName, fullPathname, largePathname, duplicateEntries, treeNotSorted, other badFilemode and
 *   nullSha1, gitmodulesName, -Url, -Path, -Update, -Symlink and -Blob, gitattributesLarge,
 *   -LineLength and -Blob, nulInHeader.
 * - Refused always, because git cannot read them either: badTree, badTreeSha1, badParentSha1,
 *   badObjectSha1, badType, missingTree, missingObject, missingType, missingTag,
 *   unterminatedHeader, unknownType.
 */
import { GitError } from '../ports.ts'
import { readHex } from '../walk/commit-table.ts'
import { BLOB, COMMIT, TAG, TREE, typeCode } from './entry-header.ts'
import { isSuspectByte, specialDotName } from './dotgit-names.ts'

/** Receives every id that an object names and the type that the id must have (0 for any type). */
export interface LinkVisitor {
  /** Whether the objects are imported, which accepts harmless faults. */
  readonly imported: boolean
  link(bytes: Uint8Array, at: number, type: number): void
  /** Receives a `.gitmodules` or `.gitattributes` blob. Its content is checked as well. */
  settings(bytes: Uint8Array, at: number, kind: 'gitmodules' | 'gitattributes'): void
}

const MAX_NAME_BYTES = 4096
/**
 * 1 for each byte that needs a check of the whole name: a slash, and the bytes of `isSuspectByte`.
 */
const SUSPECT_BYTES = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte === 0x2f || isSuspectByte(byte) ? 1 : 0,
)

const fsckError = (id: string, what: string): GitError => new GitError('invalid', `${id}: ${what}`)

/** Throws GitError `invalid` with git's message id for the fault. */
export function checkObject(
  type: number,
  bytes: Uint8Array,
  from: number,
  to: number,
  links: LinkVisitor,
): void {
  if (type === TREE) checkTree(bytes, from, to, links)
  else if (type === COMMIT) checkCommit(bytes, from, to, links)
  else if (type === TAG) checkTag(bytes, from, to, links)
  else if (type !== BLOB) throw fsckError('unknownType', `unknown type ${type}`)
}

function checkTree(bytes: Uint8Array, from: number, to: number, links: LinkVisitor): void {
  let previous = -1
  let previousEnd = 0
  let previousIsDir = false
  /**
   * Names of files that a later directory could repeat: `a` sorts before `a.b`, but `a/` after it.
   */
  const candidates: number[] = []
  while (from < to) {
    let mode = 0
    let digits = 0
    while (from < to && bytes[from] !== 0x20) {
      const digit = bytes[from++]! - 0x30
      if (digit < 0 || digit > 7 || ++digits > 7)
        throw fsckError('badTree', 'cannot be parsed as a tree')
      mode = mode * 8 + digit
    }
    const name = ++from
    let flags = 0
    while (from < to && bytes[from] !== 0) flags |= SUSPECT_BYTES[bytes[from++]!]!
    const end = from
    const oid = from + 1
    from = oid + 20
    if (from > to || digits === 0) throw fsckError('badTree', 'cannot be parsed as a tree')
    const isDir = mode === 0o40000
    if (flags !== 0 || bytes[name] === 0x2e || end - name > MAX_NAME_BYTES || end === name)
      checkName(bytes, name, end, mode, oid, links)
    if (isDir) links.link(bytes, oid, TREE)
    else if (mode === 0o100644 || mode === 0o100755 || mode === 0o120000 || mode === 0o100664)
      links.link(bytes, oid, BLOB)
    else if (links.imported && (mode & 0o170000) === 0o100000) links.link(bytes, oid, BLOB)
    else if (mode !== 0o160000) throw fsckError('badFilemode', 'contains bad file modes')
    if (isNullOid(bytes, oid) && !(links.imported && mode === 0o160000))
      throw fsckError('nullSha1', 'contains entries pointing to null sha1')
    if (previous >= 0) {
      const order = compareEntries(bytes, previous, previousEnd, previousIsDir, name, end, isDir)
      if (order === 0 || repeatsFile(bytes, candidates, name, end, isDir))
        throw fsckError('duplicateEntries', 'contains duplicate file entries')
      if (order > 0) throw fsckError('treeNotSorted', 'not properly sorted')
    }
    if (!isDir) trackFile(bytes, candidates, name, end)
    previous = name
    previousEnd = end
    previousIsDir = isDir
  }
}

/**
 * Compares the names of two entries in git's sort order. Also returns 0 for an adjacent file and
 * directory with the same name.
 */
function compareEntries(
  bytes: Uint8Array,
  a: number,
  aEnd: number,
  aIsDir: boolean,
  b: number,
  bEnd: number,
  bIsDir: boolean,
): number {
  while (a < aEnd && b < bEnd) {
    const order = bytes[a++]! - bytes[b++]!
    if (order !== 0) return order
  }
  if (a === aEnd && b === bEnd) return 0
  return (a < aEnd ? bytes[a]! : aIsDir ? 0x2f : 0) - (b < bEnd ? bytes[b]! : bIsDir ? 0x2f : 0)
}

/**
 * Keeps the files that a directory can still repeat: those whose name is a prefix of the current
 * name.
 */
function trackFile(bytes: Uint8Array, candidates: number[], name: number, end: number): void {
  while (
    candidates.length > 0 &&
    !isPrefix(
      bytes,
      candidates[candidates.length - 2]!,
      candidates[candidates.length - 1]!,
      name,
      end,
    )
  ) {
    candidates.length -= 2
  }
  candidates.push(name, end)
}

function repeatsFile(
  bytes: Uint8Array,
  candidates: number[],
  name: number,
  end: number,
  isDir: boolean,
): boolean {
  while (candidates.length > 0) {
    const from = candidates[candidates.length - 2]!
    const to = candidates[candidates.length - 1]!
    if (isPrefix(bytes, from, to, name, end)) return isDir && to - from === end - name
    candidates.length -= 2
  }
  return false
}

function isPrefix(bytes: Uint8Array, from: number, to: number, name: number, end: number): boolean {
  if (to - from > end - name) return false
  for (let i = 0; i < to - from; i++) if (bytes[from + i] !== bytes[name + i]) return false
  return true
}

function checkName(
  bytes: Uint8Array,
  from: number,
  to: number,
  mode: number,
  oid: number,
  links: LinkVisitor,
): void {
  const length = to - from
  if (length === 0) throw fsckError('emptyName', 'contains empty pathname')
  if (length > MAX_NAME_BYTES) throw fsckError('largePathname', 'contains an overly large pathname')
  for (let i = from; i < to; i++)
    if (bytes[i] === 0x2f) throw fsckError('fullPathname', 'contains full pathnames')
  if (length === 1 && bytes[from] === 0x2e) throw fsckError('hasDot', "contains '.'")
  if (length === 2 && bytes[from] === 0x2e && bytes[from + 1] === 0x2e)
    throw fsckError('hasDotdot', "contains '..'")
  const special = specialDotName(bytes, from, to)
  if (special === null) return
  if (special === 'git') throw fsckError('hasDotgit', "contains '.git'")
  if (mode === 0o120000) {
    // Git reads no attributes through a symbolic link, so an imported link is harmless.
    if (special === 'gitmodules' || (special === 'gitattributes' && !links.imported))
      throw fsckError(`${special}Symlink`, `.${special} is a symbolic link`)
    return
  }
  if (special === 'gitmodules') {
    if (mode === 0o40000) throw fsckError('gitmodulesBlob', '.gitmodules is not a file')
    links.settings(bytes, oid, 'gitmodules')
  } else if (special === 'gitattributes' && mode !== 0o40000)
    links.settings(bytes, oid, 'gitattributes')
}

function isNullOid(bytes: Uint8Array, at: number): boolean {
  for (let i = 0; i < 20; i++) if (bytes[at + i] !== 0) return false
  return true
}

/** Reads the header lines of a commit or tag in order. */
class HeaderLines {
  private readonly oid = new Uint8Array(20)

  constructor(
    readonly bytes: Uint8Array,
    public at: number,
    readonly to: number,
  ) {
    // The header ends at an empty line or at the end of the object, and contains no NUL.
    for (let i = at; i < to; i++) {
      if (bytes[i] === 0) throw fsckError('nulInHeader', 'unterminated header: NUL')
      if (bytes[i] === 10 && (i + 1 >= to || bytes[i + 1] === 10)) return
    }
    if (to === at || bytes[to - 1] !== 10)
      throw fsckError('unterminatedHeader', 'unterminated header')
  }

  starts(word: string): boolean {
    if (this.at + word.length > this.to) return false
    for (let i = 0; i < word.length; i++)
      if (this.bytes[this.at + i] !== word.charCodeAt(i)) return false
    return true
  }

  /** Returns the text after a keyword up to the end of the line, and consumes the line. */
  rest(word: string): string {
    const from = this.at + word.length
    let end = from
    while (end < this.to && this.bytes[end] !== 10) end++
    this.at = end + 1
    return Buffer.from(this.bytes.buffer, this.bytes.byteOffset + from, end - from).toString(
      'latin1',
    )
  }

  /**
   * Returns the raw id after a keyword and consumes the line. Returns null when the line is
   * malformed.
   */
  id(word: string): Uint8Array | null {
    const from = this.at + word.length
    if (!readHex(this.bytes, from, this.to, this.oid, 0) || this.bytes[from + 40] !== 10)
      return null
    this.at = from + 41
    return this.oid
  }
}

function checkCommit(bytes: Uint8Array, from: number, to: number, links: LinkVisitor): void {
  const lines = new HeaderLines(bytes, from, to)
  if (!lines.starts('tree '))
    throw fsckError('missingTree', "invalid format - expected 'tree' line")
  const tree = lines.id('tree ')
  if (tree === null) throw fsckError('badTreeSha1', "invalid 'tree' line format - bad sha1")
  links.link(tree, 0, TREE)
  while (lines.starts('parent ')) {
    const parent = lines.id('parent ')
    if (parent === null) throw fsckError('badParentSha1', "invalid 'parent' line format - bad sha1")
    links.link(parent, 0, COMMIT)
  }
  if (links.imported) return
  if (!lines.starts('author '))
    throw fsckError('missingAuthor', "invalid format - expected 'author' line")
  checkIdentity(lines.rest('author '))
  if (lines.starts('author '))
    throw fsckError('multipleAuthors', "invalid format - multiple 'author' lines")
  if (!lines.starts('committer '))
    throw fsckError('missingCommitter', "invalid format - expected 'committer' line")
  checkIdentity(lines.rest('committer '))
  for (let i = lines.at; i < to; i++)
    if (bytes[i] === 0) throw fsckError('nulInCommit', 'NUL byte in the commit object body')
}

function checkTag(bytes: Uint8Array, from: number, to: number, links: LinkVisitor): void {
  const lines = new HeaderLines(bytes, from, to)
  if (!lines.starts('object '))
    throw fsckError('missingObject', "invalid format - expected 'object' line")
  const object = lines.id('object ')?.slice()
  if (!object) throw fsckError('badObjectSha1', "invalid 'object' line format - bad sha1")
  if (!lines.starts('type '))
    throw fsckError('missingTypeEntry', "invalid format - expected 'type' line")
  const type = lines.rest('type ')
  if (type !== 'commit' && type !== 'tree' && type !== 'blob' && type !== 'tag')
    throw fsckError('badType', "invalid 'type' value")
  links.link(object, 0, typeCode(type))
  if (!lines.starts('tag '))
    throw fsckError('missingTagEntry', "invalid format - expected 'tag' line")
  lines.rest('tag ')
  // Tags of git's early years have no tagger. Git accepts them.
  if (!links.imported && lines.starts('tagger ')) checkIdentity(lines.rest('tagger '))
}

/** Checks `Name <address> seconds zone` as git's `fsck_ident` does. */
function checkIdentity(line: string): void {
  if (line.startsWith('<'))
    throw fsckError(
      'missingNameBeforeEmail',
      'invalid author/committer line - missing space before email',
    )
  const open = line.search(/[<>]/)
  if (open < 0) throw fsckError('missingEmail', 'invalid author/committer line - missing email')
  if (line[open] === '>') throw fsckError('badName', 'invalid author/committer line - bad name')
  if (line[open - 1] !== ' ')
    throw fsckError(
      'missingSpaceBeforeEmail',
      'invalid author/committer line - missing space before email',
    )
  const close = open + 1 + line.slice(open + 1).search(/[<>]/)
  if (close === open || line[close] !== '>')
    throw fsckError('badEmail', 'invalid author/committer line - bad email')
  if (line[close + 1] !== ' ')
    throw fsckError(
      'missingSpaceBeforeDate',
      'invalid author/committer line - missing space before date',
    )
  const date = /^(\d+) ([+-]\d{4})$/.exec(line.slice(close + 2))
  if (date === null) {
    if (!/^\d+ /.test(line.slice(close + 2)))
      throw fsckError('badDate', 'invalid author/committer line - bad date')
    throw fsckError('badTimezone', 'invalid author/committer line - bad time zone')
  }
  if (date[1]!.length > 1 && date[1]!.startsWith('0'))
    throw fsckError('zeroPaddedDate', 'invalid author/committer line - zero-padded date')
  if (Number(date[1]) > Number.MAX_SAFE_INTEGER)
    throw fsckError(
      'badDateOverflow',
      'invalid author/committer line - date causes integer overflow',
    )
}
