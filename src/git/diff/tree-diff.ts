/**
 * The paths that differ between two trees (git-diff-tree `-r`). Both trees are walked in parallel;
 * equal subtrees are skipped.
 */
import { GitError, type ObjectReader, type Oid } from '../ports.ts'
import { compareKeys, joinKey, MAX_DEPTH, type PathKey } from '../history/names.ts'
import { entryAt, isDir, readTree, TreeCursor, type Entry } from '../history/tree.ts'

/** A path that differs between the sides; never a directory. */
export type TreeChange = {
  readonly path: PathKey
  readonly old: Entry | null
  readonly new: Entry | null
}

/** More changes are refused. */
export const MAX_CHANGES = 1_000_000

/** All changes between two trees (null is the empty tree), in byte order of their paths. */
export function diffTreePaths(db: ObjectReader, from: Oid | null, to: Oid | null): TreeChange[] {
  return new TreeDiff(db).run('', dirEntry(from), dirEntry(to))
}

/** The changes at one path and below it. */
export function diffBelow(
  db: ObjectReader,
  from: Oid | null,
  to: Oid | null,
  segments: readonly PathKey[],
): TreeChange[] {
  const old = from === null ? null : entryAt(db, from, segments)
  const now = to === null ? null : entryAt(db, to, segments)
  return new TreeDiff(db).run(segments.join('/'), old, now)
}

const dirEntry = (oid: Oid | null): Entry | null => (oid === null ? null : { mode: 0o040000, oid })

class TreeDiff {
  private readonly changes: TreeChange[] = []
  private steps = 0

  constructor(private readonly db: ObjectReader) {}

  run(path: PathKey, old: Entry | null, now: Entry | null): TreeChange[] {
    this.compare(path, old, now, 0)
    return this.changes.sort((a, b) => compareKeys(a.path, b.path))
  }

  private compare(path: PathKey, old: Entry | null, now: Entry | null, depth: number): void {
    if (old && now && old.oid === now.oid && old.mode === now.mode) return
    const oldFile = old && !isDir(old.mode) ? old : null
    const newFile = now && !isDir(now.mode) ? now : null
    if (oldFile || newFile) {
      this.changes.push({ path, old: oldFile, new: newFile })
      if (this.changes.length > MAX_CHANGES)
        throw new GitError('too_large', `more than ${MAX_CHANGES} paths differ`)
    }
    const oldDir = old && isDir(old.mode) ? old.oid : null
    const newDir = now && isDir(now.mode) ? now.oid : null
    if (oldDir ?? newDir) this.descend(path, oldDir, newDir, depth + 1)
  }

  private descend(path: PathKey, oldDir: Oid | null, newDir: Oid | null, depth: number): void {
    if (depth > MAX_DEPTH) throw new GitError('too_large', 'tree is nested too deeply')
    if (++this.steps > MAX_CHANGES)
      throw new GitError('too_large', `more than ${MAX_CHANGES} directories differ`)
    const a = oldDir === null ? null : new TreeCursor(readTree(this.db, oldDir))
    const b = newDir === null ? null : new TreeCursor(readTree(this.db, newDir))
    let moreA = a?.next() ?? false
    let moreB = b?.next() ?? false
    while (moreA || moreB) {
      const order = !moreA || !a ? 1 : !moreB || !b ? -1 : compareNames(a, b)
      if (order === 0 && a && b) {
        if (a.mode !== b.mode || !sameOid(a, b))
          this.compare(joinKey(path, a.name()), entryOf(a), entryOf(b), depth)
      } else if (order < 0 && a) this.compare(joinKey(path, a.name()), entryOf(a), null, depth)
      else if (b) this.compare(joinKey(path, b.name()), null, entryOf(b), depth)
      if (order <= 0) moreA = a?.next() ?? false
      if (order >= 0) moreB = b?.next() ?? false
    }
  }
}

const entryOf = (cursor: TreeCursor): Entry => ({ mode: cursor.mode, oid: cursor.oid() })

function sameOid(a: TreeCursor, b: TreeCursor): boolean {
  for (let i = 0; i < 20; i++) if (a.data[a.oidStart + i] !== b.data[b.oidStart + i]) return false
  return true
}

/** Git's order of entries: by bytes of the names, with a slash after those of directories. */
export function compareNames(a: TreeCursor, b: TreeCursor): number {
  const lengthA = a.nameEnd - a.nameStart
  const lengthB = b.nameEnd - b.nameStart
  const shared = Math.min(lengthA, lengthB)
  for (let i = 0; i < shared; i++) {
    const difference = (a.data[a.nameStart + i] as number) - (b.data[b.nameStart + i] as number)
    if (difference !== 0) return difference
  }
  const endA =
    lengthA > shared ? (a.data[a.nameStart + shared] as number) : isDir(a.mode) ? 0x2f : 0
  const endB =
    lengthB > shared ? (b.data[b.nameStart + shared] as number) : isDir(b.mode) ? 0x2f : 0
  return endA - endB
}
