/** Object filters of partial clones (git-rev-list, "--filter"). */
import { BLOB, COMMIT, TAG, TREE } from '../pack/entry.ts'
import { GitError } from '../ports.ts'

export type Filter = {
  /** Blobs of this size or more are left out; 0 leaves out all. */
  readonly blobLimit: number
  /** Trees and blobs at this depth or deeper are left out; 0 leaves out the root trees as well. */
  readonly treeDepth: number
  /** Only objects of this type, when given. */
  readonly type: number | null
}

export const NO_FILTER: Filter = { blobLimit: Infinity, treeDepth: Infinity, type: null }

const SCALES: Record<string, number> = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 }
const TYPES: Record<string, number> = { commit: COMMIT, tree: TREE, blob: BLOB, tag: TAG }

/** Reads a filter specification. Throws GitError `invalid` or, for `sparse:`, `unsupported`. */
export function parseFilter(spec: string, depth = 0): Filter {
  if (spec === 'blob:none') return { ...NO_FILTER, blobLimit: 0 }
  const limit = /^blob:limit=(\d{1,15})([kmg]?)$/i.exec(spec)
  if (limit) return { ...NO_FILTER, blobLimit: Number(limit[1]) * SCALES[limit[2]!.toLowerCase()]! }
  const tree = /^tree:(\d{1,9})$/.exec(spec)
  if (tree) return { ...NO_FILTER, treeDepth: Number(tree[1]) }
  const type = /^object:type=(\w+)$/.exec(spec)
  if (type && TYPES[type[1]!]) return { ...NO_FILTER, type: TYPES[type[1]!]! }
  if (spec.startsWith('combine:') && depth < 4) {
    const parts = spec.slice(8).split('+')
    if (parts.length > 16) throw new GitError('invalid', 'a filter combines too many filters')
    return parts.map((part) => parseFilter(decode(part), depth + 1)).reduce(both, NO_FILTER)
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

function both(a: Filter, b: Filter): Filter {
  // Two different types leave nothing that could pass: a code that no object has.
  const type = a.type === null ? b.type : b.type === null || b.type === a.type ? a.type : -1
  return {
    blobLimit: Math.min(a.blobLimit, b.blobLimit),
    treeDepth: Math.min(a.treeDepth, b.treeDepth),
    type,
  }
}
