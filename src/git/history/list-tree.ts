/** Directories and entries at a commit (git-ls-tree). */
import { MODE } from '../object.ts'
import {
  GitError,
  type ListTreeOptions,
  type ObjectReader,
  type Oid,
  type OutlineOptions,
  type TreeEntry,
  type TreeEntryType,
  type TreeOutline,
  type TreeOutlineEntry,
} from '../ports.ts'
import {
  baseKey,
  joinKey,
  keyToText,
  MAX_DEPTH,
  MAX_PATH_BYTES,
  splitPath,
  type PathKey,
} from './names.ts'
import {
  blobSize,
  entryAt,
  isBlob,
  isDir,
  readTree,
  TreeCursor,
  treeOf,
  type Entry,
} from './tree.ts'

/** Larger walks are refused: a few nested trees can represent billions of paths. */
export const MAX_ENTRIES = 5_000_000
/** Maximum entries of a listing, which is held in memory. */
export const MAX_LISTED_ENTRIES = 1_000_000

export const tooManyEntries = (most: number): GitError =>
  new GitError('too_large', `the tree has more than ${most.toLocaleString('en')} entries`)

export const tooDeep = (): GitError =>
  new GitError(
    'too_large',
    `the tree is nested too deeply: it has more than ${MAX_DEPTH} levels, or paths of more than ${MAX_PATH_BYTES} bytes`,
  )

export const modeText = (mode: number): string => mode.toString(8).padStart(6, '0')

export function entryType(mode: number): TreeEntryType {
  if (mode === MODE.dir) return 'dir'
  if (mode === MODE.symlink) return 'symlink'
  return mode === MODE.submodule ? 'submodule' : 'file'
}

function toTreeEntry(db: ObjectReader, path: PathKey, entry: Entry, sizes: boolean): TreeEntry {
  return {
    path: keyToText(path),
    name: keyToText(baseKey(path)),
    type: entryType(entry.mode),
    mode: modeText(entry.mode),
    oid: entry.oid,
    size: sizes && isBlob(entry.mode) ? blobSize(db, entry.oid) : null,
  }
}

/**
 * All entries below a tree in the order of `git ls-tree -r -t`: directories before their entries.
 * Uses a stack of its own instead of recursion.
 */
export function* walkTree(
  db: ObjectReader,
  tree: Oid,
  prefix: PathKey = '',
): Generator<{ path: PathKey; entry: Entry }, void> {
  const stack = [{ cursor: new TreeCursor(readTree(db, tree)), path: prefix }]
  let seen = 0
  for (let top = stack.at(-1); top; top = stack.at(-1)) {
    const { cursor } = top
    if (!cursor.next()) {
      stack.pop()
      continue
    }
    if (++seen > MAX_ENTRIES) throw tooManyEntries(MAX_ENTRIES)
    const entry = { mode: cursor.mode, oid: cursor.oid() }
    const path = joinKey(top.path, cursor.name())
    yield { path, entry }
    if (!isDir(entry.mode)) continue
    if (stack.length >= MAX_DEPTH || path.length > MAX_PATH_BYTES) throw tooDeep()
    stack.push({ cursor: new TreeCursor(readTree(db, entry.oid)), path })
  }
}

/** Whether a name is one of some. One `*` in those stands for any text. */
function nameFilter(names: readonly string[]): (name: PathKey) => boolean {
  const exact = new Set<PathKey>()
  const wild: (readonly [start: PathKey, end: PathKey])[] = []
  for (const name of names) {
    const key = splitPath(name)[0] ?? ''
    const star = key.indexOf('*')
    if (star < 0) exact.add(key)
    else wild.push([key.slice(0, star), key.slice(star + 1)])
  }
  return (name) =>
    exact.has(name) ||
    wild.some(
      ([start, end]) =>
        name.length >= start.length + end.length && name.startsWith(start) && name.endsWith(end),
    )
}

/**
 * The entries of the directory at `path` of a commit or tree ('' is the root); null when there is
 * no such directory. Recursive listings include directories. With `names`, only entries with these
 * names are listed. Throws GitError `missing`, and `too_large` above `MAX_LISTED_ENTRIES`.
 */
export function listTree(
  db: ObjectReader,
  commit: Oid,
  path: string,
  options: ListTreeOptions = {},
): TreeEntry[] | null {
  const found = entryAt(db, treeOf(db, commit), splitPath(path))
  if (!found || !isDir(found.mode)) return null
  const { sizes = false, offset = 0, limit = Infinity } = options
  const entries: TreeEntry[] = []
  let skipped = 0
  if (options.recursive) {
    const isNamed = options.names ? nameFilter(options.names) : null
    for (const { path: below, entry } of walkTree(db, found.oid)) {
      if (entries.length >= limit) break
      if (isNamed?.(baseKey(below)) === false || skipped++ < offset) continue
      if (entries.length >= MAX_LISTED_ENTRIES) throw tooManyEntries(MAX_LISTED_ENTRIES)
      entries.push(toTreeEntry(db, below, entry, sizes))
    }
    return entries
  }
  const cursor = new TreeCursor(readTree(db, found.oid))
  while (entries.length < limit && cursor.next())
    if (skipped++ >= offset)
      entries.push(toTreeEntry(db, cursor.name(), { mode: cursor.mode, oid: cursor.oid() }, sizes))
  return entries
}

/**
 * The first `limit` entries of a directory, folders first, and the entry called `include`; null when
 * there is no such directory.
 */
export function outlineTree(
  db: ObjectReader,
  commit: Oid,
  path: string,
  { limit, include }: OutlineOptions,
): TreeOutline | null {
  const found = entryAt(db, treeOf(db, commit), splitPath(path))
  if (!found || !isDir(found.mode)) return null
  const included = include === null ? null : (splitPath(include)[0] ?? null)
  const kept = { folders: [] as TreeOutlineEntry[], files: [] as TreeOutlineEntry[] }
  let last: TreeOutlineEntry | null = null
  let total = 0
  const cursor = new TreeCursor(readTree(db, found.oid))
  for (; cursor.next(); total++) {
    const folder = isDir(cursor.mode)
    const list = folder ? kept.folders : kept.files
    const isIncluded = included !== null && cursor.name() === included
    if (list.length >= limit && !isIncluded) continue
    const entry = { name: keyToText(cursor.name()), folder }
    if (isIncluded) last = entry
    if (list.length < limit) list.push(entry)
  }
  const entries = [...kept.folders, ...kept.files].slice(0, limit)
  if (last !== null && !entries.includes(last)) entries.push(last)
  return { entries, total }
}

/**
 * The entry at a path of a commit or tree, with its size, or null; '' is the root directory itself.
 */
export function findEntry(db: ObjectReader, commit: Oid, path: string): TreeEntry | null {
  const segments = splitPath(path)
  const entry = entryAt(db, treeOf(db, commit), segments)
  return entry && toTreeEntry(db, segments.join('/'), entry, true)
}
