/**
 * Looks up one path in tree after tree, remembering each directory on the way: neighbours in
 * history share most of them.
 */
import { type ObjectReader, type Oid } from '../ports.ts'
import type { PathKey } from './names.ts'
import { findInTree, isDir, viewTree, type Entry } from './tree.ts'

/** The entry at the path below a root tree, or null. */
export type PathProbe = (tree: Oid) => Entry | null

const REMEMBERED = 4096

export function pathProbe(db: ObjectReader, segments: readonly PathKey[]): PathProbe {
  const levels = segments.map(() => new Map<Oid, Entry | null>())
  return (tree) => {
    let entry: Entry | null = null
    let at = tree
    for (const [depth, segment] of segments.entries()) {
      const level = levels[depth] ?? new Map<Oid, Entry | null>()
      let found = level.get(at)
      if (found === undefined) {
        found = findInTree(viewTree(db, at), segment)
        if (level.size >= REMEMBERED) level.clear()
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
