/**
 * Finds the files that a tree has and another does not, of those whose content somebody wants. No
 * list of all files is made: a tree with millions of them takes the memory of one directory of each
 * depth. Equal directories are walked once, however many paths lead to them.
 */
import { compareNames, MAX_CHANGES } from '../diff/tree-diff.ts'
import { GitError, type ObjectReader, type Oid } from '../ports.ts'
import { joinKey, MAX_DEPTH, type PathKey } from './names.ts'
import type { PausableWork } from './pausable-work.ts'
import { isBlob, isDir, readTree, TreeCursor, type Entry } from './tree.ts'

/** A file of the new tree. `old` is the file of the same path in the old one. */
export type AddedFile = {
  readonly path: PathKey
  readonly old: Entry | null
  readonly new: Entry
}

/** Directories without a wanted file that are remembered. */
const MAX_KNOWN_DIRECTORIES = 1 << 18
/** Other work of the thread may run after so many entries. */
const ENTRIES_PER_TURN = 1024

export type FileFilter = {
  /** `old` is the file of the same path that it replaces. */
  readonly wants: (blob: Oid, old: Oid | null) => boolean
  /** Whether `wants` has done so much work that other work should get a turn. */
  readonly isTurnOver: () => boolean
}

export class AddedFiles {
  /** Pairs of an old and a new directory that have no wanted file. */
  private readonly withoutAny = new Set<string>()
  private found: AddedFile[] = []
  private entries = 0

  constructor(
    private readonly db: ObjectReader,
    private readonly filter: FileFilter,
  ) {}

  /** The wanted files of `to` that differ from those of `from` (null is the empty tree). */
  *find(from: Oid | null, to: Oid): PausableWork<readonly AddedFile[]> {
    this.found = []
    if (from !== to) yield* this.walk('', from, to, 1)
    return this.found
  }

  private *walk(path: PathKey, from: Oid | null, to: Oid, depth: number): PausableWork<void> {
    if (depth > MAX_DEPTH) throw new GitError('too_large', 'tree is nested too deeply')
    const pair = `${from ?? ''}${to}`
    if (this.withoutAny.has(pair)) return
    const foundBefore = this.found.length
    const old = from === null ? null : new TreeCursor(readTree(this.db, from))
    const now = new TreeCursor(readTree(this.db, to))
    let hasOld = old?.next() ?? false
    while (now.next()) {
      let order = 1
      while (hasOld && old !== null && (order = compareNames(old, now)) < 0) hasOld = old.next()
      const replaced = hasOld && order === 0 ? old : null
      if (replaced === null || !now.isSameObject(replaced))
        yield* this.enter(path, replaced, now, depth)
      if (++this.entries % ENTRIES_PER_TURN === 0) yield 'pause'
    }
    if (this.found.length > foundBefore) return
    if (this.withoutAny.size >= MAX_KNOWN_DIRECTORIES) this.withoutAny.clear()
    this.withoutAny.add(pair)
  }

  /** Looks at one entry of a new directory; `old` is at the entry of the same name and kind. */
  private *enter(
    path: PathKey,
    old: TreeCursor | null,
    now: TreeCursor,
    depth: number,
  ): PausableWork<void> {
    const oid = now.oid()
    const oldOid = old?.oid() ?? null
    if (isDir(now.mode)) yield* this.walk(joinKey(path, now.name()), oldOid, oid, depth + 1)
    else if (isBlob(now.mode) && this.filter.wants(oid, old && isBlob(old.mode) ? oldOid : null)) {
      if (this.found.length >= MAX_CHANGES)
        throw new GitError('too_large', `more than ${MAX_CHANGES} paths differ`)
      this.found.push({
        path: joinKey(path, now.name()),
        old: old !== null && oldOid !== null ? { mode: old.mode, oid: oldOid } : null,
        new: { mode: now.mode, oid },
      })
    }
    if (this.filter.isTurnOver()) yield 'pause'
  }
}
