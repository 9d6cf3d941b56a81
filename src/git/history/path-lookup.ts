/**
 * Looks up one path in many trees. It caches the result per directory, since neighbouring commits
 * share most directories.
 */
import type { ObjectReader, Oid } from '../ports.ts'
import type { PathKey } from './names.ts'
import { findInTree, isDir, viewTree, type Entry } from './tree.ts'

/** Returns the entry at the path below a root tree, or null. */
export type PathLookup = (tree: Oid) => Entry | null

const MAX_REMEMBERED_TREES = 4096

export function createPathLookup(db: ObjectReader, segments: readonly PathKey[]): PathLookup {
  const levels = segments.map(() => new Map<Oid, Entry | null>())
  return (tree) => {
    let entry: Entry | null = null
    let at = tree
    for (const [depth, segment] of segments.entries()) {
      const level = levels[depth] ?? new Map<Oid, Entry | null>()
      let found = level.get(at)
      if (found === undefined) {
        found = findInTree(viewTree(db, at), segment)
        if (level.size >= MAX_REMEMBERED_TREES) level.clear()
        level.set(at, found)
      }
      if (!found) return null
      if (depth < segments.length - 1 && !isDir(found.mode)) return null
      entry = found
      at = found.oid
    }
    return entry
  }
}
