/** Object filters of partial clones (git-rev-list, "--filter"). */
import { BLOB, COMMIT, TAG, TREE } from '../pack/entry-header.ts'
import { GitError } from '../ports.ts'

export type ObjectFilter = {
  /** Excludes blobs of this size in bytes or more; 0 excludes all blobs. */
  readonly blobLimit: number
  /** Excludes trees and blobs at this depth or deeper; 0 excludes the root trees as well. */
  readonly treeDepth: number
  /** Includes only objects of this type; null for all. */
  readonly type: number | null
}

export const NO_FILTER: ObjectFilter = { blobLimit: Infinity, treeDepth: Infinity, type: null }

const SIZE_SUFFIXES: Record<string, number> = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 }
const TYPES: Record<string, number> = { commit: COMMIT, tree: TREE, blob: BLOB, tag: TAG }

/** Parses a filter specification. Throws GitError `invalid`, or `unsupported` for `sparse:`. */
export function parseFilter(spec: string, depth = 0): ObjectFilter {
  if (spec === 'blob:none') return { ...NO_FILTER, blobLimit: 0 }
  const limit = /^blob:limit=(\d{1,15})([kmg]?)$/i.exec(spec)
  if (limit)
    return { ...NO_FILTER, blobLimit: Number(limit[1]) * SIZE_SUFFIXES[limit[2]!.toLowerCase()]! }
  const tree = /^tree:(\d{1,9})$/.exec(spec)
  if (tree) return { ...NO_FILTER, treeDepth: Number(tree[1]) }
  const type = /^object:type=(\w+)$/.exec(spec)
  if (type && TYPES[type[1]!]) return { ...NO_FILTER, type: TYPES[type[1]!]! }
  if (spec.startsWith('combine:') && depth < 4) {
    const parts = spec.slice(8).split('+')
    if (parts.length > 16) throw new GitError('invalid', 'a filter combines too many filters')
    return parts.map((part) => parseFilter(decode(part), depth + 1)).reduce(combine, NO_FILTER)
  }
  if (spec.startsWith('sparse:'))
    throw new GitError('unsupported', 'filters by sparse specification are not supported')
  throw new GitError('invalid', `invalid filter-spec '${spec.slice(0, 100)}'`)
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new GitError('invalid', `invalid filter-spec '${text.slice(0, 100)}'`)
  }
}

function combine(a: ObjectFilter, b: ObjectFilter): ObjectFilter {
  // Two different types exclude every object: -1 is no object's type.
  const type = a.type === null ? b.type : b.type === null || b.type === a.type ? a.type : -1
  return {
    blobLimit: Math.min(a.blobLimit, b.blobLimit),
    treeDepth: Math.min(a.treeDepth, b.treeDepth),
    type,
  }
}
