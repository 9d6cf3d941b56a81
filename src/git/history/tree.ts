/**
 * Trees as raw bytes: a cursor over the entries that allocates nothing per entry, and lookups built
 * on it. Modes are normalised like git's `canon_mode`: a regular file is 644 or 755, whatever mode
 * old versions of git have stored.
 */
import { bytesToOid, EMPTY_TREE, MODE, parseTag } from '../object.ts'
import { GitError, type GitObject, type ObjectReader, type Oid } from '../ports.ts'
import { bytesToKey, keyToBytes, keyToText, type PathKey } from './names.ts'

/** The entry of a name in a tree: canonical mode and object id. */
export type Entry = { readonly mode: number; readonly oid: Oid }

export const sameEntry = (a: Entry | null, b: Entry | null): boolean =>
  a === b || (a !== null && b !== null && a.oid === b.oid && a.mode === b.mode)

export const isDir = (mode: number): boolean => mode === MODE.dir
export const isFile = (mode: number): boolean => mode === MODE.file || mode === MODE.executable
/** File, executable or link: everything whose object is a blob. */
export const isBlob = (mode: number): boolean => isFile(mode) || mode === MODE.symlink

const FORMAT_MASK = 0o170000

export function canonicalMode(mode: number): number {
  switch (mode & FORMAT_MASK) {
    case 0o100000:
      return mode & 0o100 ? MODE.executable : MODE.file
    case MODE.symlink:
      return MODE.symlink
    case MODE.dir:
      return MODE.dir
    default:
      return MODE.submodule
  }
}

/** Walks the entries of a tree object. Call `next()` until it returns false; read the fields. */
export class TreeCursor {
  mode = 0
  nameStart = 0
  nameEnd = 0
  oidStart = 0

  /** `at` is the offset of the first entry to read. */
  constructor(
    readonly data: Uint8Array,
    private at = 0,
  ) {}

  next(): boolean {
    const { data } = this
    let at = this.at
    if (at >= data.length) return false
    let mode = 0
    let byte = data[at]
    while (byte !== 0x20) {
      if (byte === undefined || byte < 0x30 || byte > 0x37)
        throw new GitError('corrupt', 'tree entry has a malformed mode')
      mode = ((mode << 3) | (byte - 0x30)) & 0xffffff
      byte = data[++at]
    }
    this.nameStart = ++at
    while (data[at] !== 0)
      if (++at >= data.length) throw new GitError('corrupt', 'tree entry is truncated')
    this.nameEnd = at
    this.oidStart = at + 1
    this.at = at + 21
    if (this.at > data.length) throw new GitError('corrupt', 'tree entry is truncated')
    this.mode = canonicalMode(mode)
    return true
  }

  name(): PathKey {
    return bytesToKey(this.data, this.nameStart, this.nameEnd)
  }

  oid(): Oid {
    return bytesToOid(this.data, this.oidStart)
  }

  /** Whether both are at entries of the same object. */
  isSameObject({ data, oidStart }: TreeCursor): boolean {
    for (let i = 0; i < 20; i++)
      if (this.data[this.oidStart + i] !== data[oidStart + i]) return false
    return true
  }

  /** Whether the name is exactly these bytes. */
  nameIs(name: Uint8Array): boolean {
    const length = this.nameEnd - this.nameStart
    if (length !== name.length) return false
    for (let i = 0; i < length; i++) if (this.data[this.nameStart + i] !== name[i]) return false
    return true
  }
}

const emptyTree = new Uint8Array(0)

/**
 * The bytes of a tree. Throws GitError `missing`, or `corrupt` for an object of another type. The
 * empty tree need not be stored.
 */
export const readTree = (db: ObjectReader, oid: Oid): Uint8Array =>
  treeBytes(oid, oid === EMPTY_TREE ? null : db.read(oid))

/** The same, in memory that is valid only until the next object is read. */
export const viewTree = (db: ObjectReader, oid: Oid): Uint8Array =>
  treeBytes(oid, oid === EMPTY_TREE ? null : db.view ? db.view(oid) : db.read(oid))

function treeBytes(oid: Oid, object: GitObject | null): Uint8Array {
  if (oid === EMPTY_TREE) return emptyTree
  if (!object) throw new GitError('missing', `tree ${oid} is missing`)
  if (object.type !== 'tree')
    throw new GitError('corrupt', `object ${oid} is a ${object.type}, not a tree`)
  return object.data
}

/** The bytes of a blob. Throws GitError `missing` or `corrupt`. */
export const readBlob = (db: ObjectReader, oid: Oid): Uint8Array => blobBytes(oid, db.read(oid))

/** The same, in memory that is valid only until the next object is read. */
export const viewBlob = (db: ObjectReader, oid: Oid): Uint8Array =>
  blobBytes(oid, db.view ? db.view(oid) : db.read(oid))

function blobBytes(oid: Oid, object: GitObject | null): Uint8Array {
  if (!object) throw new GitError('missing', `blob ${oid} is missing`)
  if (object.type !== 'blob')
    throw new GitError('corrupt', `object ${oid} is a ${object.type}, not a blob`)
  return object.data
}

/** Less is not worth to be reserved. */
const MIN_HELD_BYTES = 1 << 20

/**
 * Reserves memory for work on large blobs. Returns what releases it. Throws GitError `busy` or
 * `too_large`.
 */
export const hold = (db: ObjectReader, bytes: number): (() => void) =>
  (bytes > MIN_HELD_BYTES ? db.hold?.(bytes) : undefined) ?? (() => {})

/** The same; null in place of `too_large`. */
export function holdOrNull(db: ObjectReader, bytes: number): (() => void) | null {
  try {
    return hold(db, bytes)
  } catch (error) {
    if (error instanceof GitError && error.code === 'too_large') return null
    throw error
  }
}

/** The size of a blob, read from its header. Throws GitError `missing`. */
export function blobSize(db: ObjectReader, oid: Oid): number {
  const header = db.header(oid)
  if (!header) throw new GitError('missing', `blob ${oid} is missing`)
  return header.size
}

const MAX_TAG_DEPTH = 32

/** The tree of a commit, tag or tree. Throws GitError `missing`, and `invalid` for a blob. */
export function treeOf(db: ObjectReader, oid: Oid): Oid {
  let at = oid
  for (let depth = 0; depth < MAX_TAG_DEPTH; depth++) {
    if (at === EMPTY_TREE) return at
    const object = db.read(at)
    if (!object) throw new GitError('missing', `object ${at} is missing`)
    if (object.type === 'tree') return at
    if (object.type === 'blob')
      throw new GitError('invalid', `object ${at} is a blob, not a commit or tree`)
    if (object.type === 'tag') at = parseTag(at, object.data).object
    else at = Buffer.from(object.data.buffer, object.data.byteOffset + 5, 40).toString('latin1')
  }
  throw new GitError('invalid', `tag ${oid} is nested too deeply`)
}

/**
 * The entry of a name in a tree, or null. A name with U+FFFD also matches the invalid UTF-8 bytes
 * that are displayed that way.
 */
export function findInTree(data: Uint8Array, name: PathKey): Entry | null {
  const bytes = keyToBytes(name)
  const cursor = new TreeCursor(data)
  while (cursor.next()) if (cursor.nameIs(bytes)) return { mode: cursor.mode, oid: cursor.oid() }
  if (!name.includes('\xef\xbf\xbd')) return null
  const shown = keyToText(name)
  const again = new TreeCursor(data)
  while (again.next())
    if (keyToText(again.name()) === shown) return { mode: again.mode, oid: again.oid() }
  return null
}

/** The entry at a path below a tree, or null. Without segments it is the tree itself. */
export function entryAt(db: ObjectReader, tree: Oid, segments: readonly PathKey[]): Entry | null {
  let entry: Entry = { mode: MODE.dir, oid: tree }
  for (const segment of segments) {
    if (!isDir(entry.mode)) return null
    const found = findInTree(viewTree(db, entry.oid), segment)
    if (!found) return null
    entry = found
  }
  return entry
}

/** Every entry of one tree, by name. */
export function entriesOf(db: ObjectReader, tree: Oid): Map<PathKey, Entry> {
  const entries = new Map<PathKey, Entry>()
  const cursor = new TreeCursor(readTree(db, tree))
  while (cursor.next()) entries.set(cursor.name(), { mode: cursor.mode, oid: cursor.oid() })
  return entries
}
