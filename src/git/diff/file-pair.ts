/** The changes between two trees, with renames paired. Diffs and patches start from this list. */
import { MODE } from '../object.ts'
import type { FileStatus, ObjectReader, Oid } from '../ports.ts'
import { compareKeys, splitPath, type PathKey } from '../history/names.ts'
import { treeOf, type Entry } from '../history/tree.ts'
import { findRenames } from './renames.ts'
import { diffBelow, diffTreePaths, type TreeChange } from './tree-diff.ts'

export type FilePair = {
  /** The path in the new tree, or in the old one when it was removed. */
  readonly path: PathKey
  readonly oldPath: PathKey
  readonly old: Entry | null
  readonly new: Entry | null
  readonly status: FileStatus
  /** From 0 to 60000 for renames. */
  readonly score: number | null
}

const FORMAT = 0o170000

function statusOf(change: TreeChange): FileStatus {
  if (!change.old) return 'added'
  if (!change.new) return 'removed'
  return (change.old.mode & FORMAT) === (change.new.mode & FORMAT) ? 'modified' : 'type_changed'
}

/**
 * Sorted by path. Null is the empty tree. Throws GitError `missing`, and `too_large` above a
 * million changes.
 */
export function filePairs(
  db: ObjectReader,
  from: Oid | null,
  to: Oid | null,
  paths?: readonly string[],
): FilePair[] {
  const oldTree = from === null ? null : treeOf(db, from)
  const newTree = to === null ? null : treeOf(db, to)
  const changes = paths
    ? changesBelow(db, oldTree, newTree, paths)
    : diffTreePaths(db, oldTree, newTree)
  return pairRenames(db, changes)
}

function changesBelow(
  db: ObjectReader,
  from: Oid | null,
  to: Oid | null,
  paths: readonly string[],
): TreeChange[] {
  const changes = new Map<PathKey, TreeChange>()
  for (const path of paths)
    for (const change of diffBelow(db, from, to, splitPath(path))) changes.set(change.path, change)
  return [...changes.values()].sort((a, b) => compareKeys(a.path, b.path))
}

function pairRenames(db: ObjectReader, changes: readonly TreeChange[]): FilePair[] {
  const gone = changes.flatMap((c) => (c.old && !c.new ? [{ path: c.path, ...c.old }] : []))
  const come = changes.flatMap((c) => (c.new && !c.old ? [{ path: c.path, ...c.new }] : []))
  const renames = gone.length && come.length ? findRenames(db, gone, come) : []
  const byTarget = new Map(renames.map((rename) => [rename.to.path, rename]))
  const moved = new Set(renames.map((rename) => rename.from.path))
  const pairs: FilePair[] = []
  for (const change of changes) {
    if (!change.new && moved.has(change.path)) continue
    const rename = change.old ? undefined : byTarget.get(change.path)
    if (rename && change.new) {
      const old = { mode: rename.from.mode, oid: rename.from.oid }
      pairs.push({
        path: change.path,
        oldPath: rename.from.path,
        old,
        new: change.new,
        status: 'renamed',
        score: rename.score,
      })
    } else {
      pairs.push({
        path: change.path,
        oldPath: change.path,
        old: change.old,
        new: change.new,
        status: statusOf(change),
        score: null,
      })
    }
  }
  return pairs
}

export const isSubmodule = (entry: Entry | null): boolean => entry?.mode === MODE.submodule
