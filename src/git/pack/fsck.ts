/**
 * Checks objects as `git fsck --strict` does, on what comes from outside
 * (https://git-scm.com/docs/git-fsck, "FSCK MESSAGES"). A push is refused for everything that git
 * calls an error or a warning. History that is imported was made elsewhere, long ago, and nobody
 * can make it anew: there, what harms nobody passes, as git itself takes it with its checks off,
 * and what does harm is refused all the same.
 *
 * - Always passes: zeroPaddedFilemode and the mode 100664 (much old history has them),
 *   extraHeaderEntry, badTagName,
 *   missingTaggerEntry, gitignoreSymlink, mailmapSymlink, gitmodulesParse: none of them misleads
 *   anybody.
 * - Passes in an import, is refused in a push: badDate, badDateOverflow, badEmail, badName,
 *   badTimezone, missingAuthor,
 *   missingCommitter, missingEmail, missingNameBeforeEmail, missingSpaceBeforeDate,
 *   missingSpaceBeforeEmail,
 *   multipleAuthors, nulInCommit, zeroPaddedDate, badFilemode of plain files, nullSha1 of
 *   submodules, gitattributesSymlink.
 * - Always refused, because a check-out or a reader could be misled: hasDotgit, hasDot, hasDotdot,
 *   emptyName,
 *   fullPathname, largePathname, duplicateEntries, treeNotSorted, other badFilemode and nullSha1,
 *   gitmodulesName,
 *   -Url, -Path, -Update, -Symlink and -Blob, gitattributesLarge, -LineLength and -Blob,
 *   nulInHeader.
 * - Always refused, because git cannot read them either: badTree, badTreeSha1, badParentSha1,
 *   badObjectSha1, badType,
 *   missingTree, missingObject, missingType, missingTag, unterminatedHeader, unknownType.
 */
import { GitError } from '../ports.ts'
import { readHex } from '../walk/commit-table.ts'
import { BLOB, COMMIT, TAG, TREE, typeCode } from './entry.ts'
import { isOdd, specialName } from './names.ts'

/** Hears of every id that an object names, with the type that it must have (0 when any will do). */
export interface Links {
  /** Whether the objects are imported: what harms nobody passes. */
  readonly imported: boolean
  link(bytes: Uint8Array, at: number, type: number): void
  /** A blob that git reads settings from: its content is checked as well. */
  settings(bytes: Uint8Array, at: number, kind: 'gitmodules' | 'gitattributes'): void
}

const MAX_NAME = 4096
/** Bytes that make a name worth a look: a slash, and what `isOdd` says. */
const CLASSES = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte === 0x2f || isOdd(byte) ? 1 : 0,
)

const refuse = (id: string, what: string): GitError => new GitError('invalid', `${id}: ${what}`)

/** Throws GitError `invalid` with git's own name for what is wrong. */
export function checkObject(
  type: number,
  bytes: Uint8Array,
  from: number,
  to: number,
  links: Links,
): void {
  if (type === TREE) checkTree(bytes, from, to, links)
  else if (type === COMMIT) checkCommit(bytes, from, to, links)
  else if (type === TAG) checkTag(bytes, from, to, links)
  else if (type !== BLOB) throw refuse('unknownType', `unknown type ${type}`)
}

function checkTree(bytes: Uint8Array, from: number, to: number, links: Links): void {
  let previous = -1
  let previousEnd = 0
  let previousDir = false
  /** Files whose names a later directory could repeat: `a` sorts before `a.b`, `a/` after it. */
  const candidates: number[] = []
  while (from < to) {
    let mode = 0
    let digits = 0
    while (from < to && bytes[from] !== 0x20) {
      const digit = bytes[from++]! - 0x30
      if (digit < 0 || digit > 7 || ++digits > 7)
        throw refuse('badTree', 'cannot be parsed as a tree')
      mode = mode * 8 + digit
    }
    const name = ++from
    let flags = 0
    while (from < to && bytes[from] !== 0) flags |= CLASSES[bytes[from++]!]!
    const end = from
    const oid = from + 1
    from = oid + 20
    if (from > to || digits === 0) throw refuse('badTree', 'cannot be parsed as a tree')
    const dir = mode === 0o40000
    if (flags !== 0 || bytes[name] === 0x2e || end - name > MAX_NAME || end === name)
      checkName(bytes, name, end, mode, oid, links)
    if (dir) links.link(bytes, oid, TREE)
    else if (mode === 0o100644 || mode === 0o100755 || mode === 0o120000 || mode === 0o100664)
      links.link(bytes, oid, BLOB)
    else if (links.imported && (mode & 0o170000) === 0o100000) links.link(bytes, oid, BLOB)
    else if (mode !== 0o160000) throw refuse('badFilemode', 'contains bad file modes')
    if (isNull(bytes, oid) && !(links.imported && mode === 0o160000))
      throw refuse('nullSha1', 'contains entries pointing to null sha1')
    if (previous >= 0) {
      const order = compare(bytes, previous, previousEnd, previousDir, name, end, dir)
      if (order === 0 || repeats(bytes, candidates, name, end, dir))
        throw refuse('duplicateEntries', 'contains duplicate file entries')
      if (order > 0) throw refuse('treeNotSorted', 'not properly sorted')
    }
    if (!dir) track(bytes, candidates, name, end)
    previous = name
    previousEnd = end
    previousDir = dir
  }
}

/**
 * Compares two entries' names as git sorts them; 0 also for a file and a directory of one name next
 * to each other.
 */
function compare(
  bytes: Uint8Array,
  a: number,
  aEnd: number,
  aDir: boolean,
  b: number,
  bEnd: number,
  bDir: boolean,
): number {
  while (a < aEnd && b < bEnd) {
    const order = bytes[a++]! - bytes[b++]!
    if (order !== 0) return order
  }
  if (a === aEnd && b === bEnd) return 0
  return (a < aEnd ? bytes[a]! : aDir ? 0x2f : 0) - (b < bEnd ? bytes[b]! : bDir ? 0x2f : 0)
}

/**
 * Keeps the names of files that may still be repeated as a directory: those that are a prefix of
 * what comes now.
 */
function track(bytes: Uint8Array, candidates: number[], name: number, end: number): void {
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

function repeats(
  bytes: Uint8Array,
  candidates: number[],
  name: number,
  end: number,
  dir: boolean,
): boolean {
  while (candidates.length > 0) {
    const from = candidates[candidates.length - 2]!
    const to = candidates[candidates.length - 1]!
    if (isPrefix(bytes, from, to, name, end)) return dir && to - from === end - name
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
  links: Links,
): void {
  const length = to - from
  if (length === 0) throw refuse('emptyName', 'contains empty pathname')
  if (length > MAX_NAME) throw refuse('largePathname', 'contains an overly large pathname')
  for (let i = from; i < to; i++)
    if (bytes[i] === 0x2f) throw refuse('fullPathname', 'contains full pathnames')
  if (length === 1 && bytes[from] === 0x2e) throw refuse('hasDot', "contains '.'")
  if (length === 2 && bytes[from] === 0x2e && bytes[from + 1] === 0x2e)
    throw refuse('hasDotdot', "contains '..'")
  const special = specialName(bytes, from, to)
  if (special === null) return
  if (special === 'git') throw refuse('hasDotgit', "contains '.git'")
  if (mode === 0o120000) {
    // Git itself reads no attributes through a link, wherever it leads.
    if (special === 'gitmodules' || (special === 'gitattributes' && !links.imported))
      throw refuse(`${special}Symlink`, `.${special} is a symbolic link`)
    return
  }
  if (special === 'gitmodules') {
    if (mode === 0o40000) throw refuse('gitmodulesBlob', '.gitmodules is not a file')
    links.settings(bytes, oid, 'gitmodules')
  } else if (special === 'gitattributes' && mode !== 0o40000)
    links.settings(bytes, oid, 'gitattributes')
}

function isNull(bytes: Uint8Array, at: number): boolean {
  for (let i = 0; i < 20; i++) if (bytes[at + i] !== 0) return false
  return true
}

/** Reads the header lines of a commit or tag one after the other. */
class Lines {
  private readonly oid = new Uint8Array(20)

  constructor(
    readonly bytes: Uint8Array,
    public at: number,
    readonly to: number,
  ) {
    // A header ends at an empty line or with the object, and holds no NUL.
    for (let i = at; i < to; i++) {
      if (bytes[i] === 0) throw refuse('nulInHeader', 'unterminated header: NUL')
      if (bytes[i] === 10 && (i + 1 >= to || bytes[i + 1] === 10)) return
    }
    if (to === at || bytes[to - 1] !== 10) throw refuse('unterminatedHeader', 'unterminated header')
  }

  starts(word: string): boolean {
    if (this.at + word.length > this.to) return false
    for (let i = 0; i < word.length; i++)
      if (this.bytes[this.at + i] !== word.charCodeAt(i)) return false
    return true
  }

  /** The text behind a word, up to the end of the line, which is consumed. */
  rest(word: string): string {
    const from = this.at + word.length
    let end = from
    while (end < this.to && this.bytes[end] !== 10) end++
    this.at = end + 1
    return Buffer.from(this.bytes.buffer, this.bytes.byteOffset + from, end - from).toString(
      'latin1',
    )
  }

  /** The raw id behind a word; the line is consumed. Null when it is malformed. */
  id(word: string): Uint8Array | null {
    const from = this.at + word.length
    if (!readHex(this.bytes, from, this.to, this.oid, 0) || this.bytes[from + 40] !== 10)
      return null
    this.at = from + 41
    return this.oid
  }
}

function checkCommit(bytes: Uint8Array, from: number, to: number, links: Links): void {
  const lines = new Lines(bytes, from, to)
  if (!lines.starts('tree ')) throw refuse('missingTree', "invalid format - expected 'tree' line")
  const tree = lines.id('tree ')
  if (tree === null) throw refuse('badTreeSha1', "invalid 'tree' line format - bad sha1")
  links.link(tree, 0, TREE)
  while (lines.starts('parent ')) {
    const parent = lines.id('parent ')
    if (parent === null) throw refuse('badParentSha1', "invalid 'parent' line format - bad sha1")
    links.link(parent, 0, COMMIT)
  }
  if (links.imported) return
  if (!lines.starts('author '))
    throw refuse('missingAuthor', "invalid format - expected 'author' line")
  checkIdentity(lines.rest('author '))
  if (lines.starts('author '))
    throw refuse('multipleAuthors', "invalid format - multiple 'author' lines")
  if (!lines.starts('committer '))
    throw refuse('missingCommitter', "invalid format - expected 'committer' line")
  checkIdentity(lines.rest('committer '))
  for (let i = lines.at; i < to; i++)
    if (bytes[i] === 0) throw refuse('nulInCommit', 'NUL byte in the commit object body')
}

function checkTag(bytes: Uint8Array, from: number, to: number, links: Links): void {
  const lines = new Lines(bytes, from, to)
  if (!lines.starts('object '))
    throw refuse('missingObject', "invalid format - expected 'object' line")
  const object = lines.id('object ')?.slice()
  if (!object) throw refuse('badObjectSha1', "invalid 'object' line format - bad sha1")
  if (!lines.starts('type '))
    throw refuse('missingTypeEntry', "invalid format - expected 'type' line")
  const type = lines.rest('type ')
  if (type !== 'commit' && type !== 'tree' && type !== 'blob' && type !== 'tag')
    throw refuse('badType', "invalid 'type' value")
  links.link(object, 0, typeCode(type))
  if (!lines.starts('tag ')) throw refuse('missingTagEntry', "invalid format - expected 'tag' line")
  lines.rest('tag ')
  // Tags of git's early years have no tagger; git lets them pass and so do we.
  if (!links.imported && lines.starts('tagger ')) checkIdentity(lines.rest('tagger '))
}

/** `Name <address> seconds zone`, as git's fsck_ident reads it. */
function checkIdentity(line: string): void {
  if (line.startsWith('<'))
    throw refuse(
      'missingNameBeforeEmail',
      'invalid author/committer line - missing space before email',
    )
  const open = line.search(/[<>]/)
  if (open < 0) throw refuse('missingEmail', 'invalid author/committer line - missing email')
  if (line[open] === '>') throw refuse('badName', 'invalid author/committer line - bad name')
  if (line[open - 1] !== ' ')
    throw refuse(
      'missingSpaceBeforeEmail',
      'invalid author/committer line - missing space before email',
    )
  const close = open + 1 + line.slice(open + 1).search(/[<>]/)
  if (close === open || line[close] !== '>')
    throw refuse('badEmail', 'invalid author/committer line - bad email')
  if (line[close + 1] !== ' ')
    throw refuse(
      'missingSpaceBeforeDate',
      'invalid author/committer line - missing space before date',
    )
  const date = /^(\d+) ([+-]\d{4})$/.exec(line.slice(close + 2))
  if (date === null) {
    if (!/^\d+ /.test(line.slice(close + 2)))
      throw refuse('badDate', 'invalid author/committer line - bad date')
    throw refuse('badTimezone', 'invalid author/committer line - bad time zone')
  }
  if (date[1]!.length > 1 && date[1]!.startsWith('0'))
    throw refuse('zeroPaddedDate', 'invalid author/committer line - zero-padded date')
  if (Number(date[1]) > Number.MAX_SAFE_INTEGER)
    throw refuse('badDateOverflow', 'invalid author/committer line - date causes integer overflow')
}
