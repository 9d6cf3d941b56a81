/**
 * Reads what walks need of a commit: parents, tree, time and generation. All walks read commits
 * here, so that a commit-graph file can replace the parsing of objects.
 */
import { isOid } from '../object.ts'
import { GitError, type ObjectReader, type Oid } from '../ports.ts'
import { committerTime } from '../walk/commit-table.ts'

/** The part of a commit that walks need. `time` is the committer's, in seconds. */
export type CommitNode = {
  readonly oid: Oid
  readonly tree: Oid
  readonly parents: readonly Oid[]
  readonly time: number
  /** Topological level, larger than that of every ancestor; Infinity when unknown. */
  readonly generation: number
}

/** The commit-graph of a database; `find` returns null for a commit that it does not contain. */
export type CommitGraph = {
  find(oid: Oid): CommitNode | null
  /** Whether a commit certainly has a path as in its first parent (`pathHashes`). */
  leaves?(oid: Oid, hashes: Uint32Array): boolean
}

export type CommitSource = {
  get(oid: Oid): CommitNode
  /** Whether a commit certainly has a path as in its first parent; then no tree is read. */
  leaves?(oid: Oid, hashes: Uint32Array): boolean
}

/**
 * A database with a commit-graph, and with a field for the source that `commitSource` creates. The
 * parsed nodes live as long as the database.
 */
type CommitDatabase = ObjectReader & {
  readonly commitGraph?: CommitGraph | null
  commitSource?: CommitSource | null
}

/** Two generations of nodes are cached: when the young one is full, it replaces the old one. */
const MAX_NODES_PER_GENERATION = 1 << 16

class CachedSource implements CommitSource {
  private young = new Map<Oid, CommitNode>()
  private old = new Map<Oid, CommitNode>()

  constructor(private readonly db: CommitDatabase) {}

  get(oid: Oid): CommitNode {
    const known = this.young.get(oid)
    if (known) return known
    const node = this.old.get(oid) ?? this.db.commitGraph?.find(oid) ?? this.parse(oid)
    if (this.young.size >= MAX_NODES_PER_GENERATION) {
      this.old = this.young
      this.young = new Map()
    }
    this.young.set(oid, node)
    return node
  }

  leaves(oid: Oid, hashes: Uint32Array): boolean {
    return this.db.commitGraph?.leaves?.(oid, hashes) ?? false
  }

  private parse(oid: Oid): CommitNode {
    const object = this.db.read(oid)
    if (!object) throw new GitError('missing', `commit ${oid} is missing`)
    if (object.type !== 'commit')
      throw new GitError('invalid', `object ${oid} is a ${object.type}, not a commit`)
    const node = parseCommitNode(oid, object.data)
    return this.db.shallowRoots?.has(oid) ? { ...node, parents: [] } : node
  }
}

/** The source of a database. A database without a field for it gets a new source each time. */
export function commitSource(db: CommitDatabase): CommitSource {
  if (db.commitSource === undefined) return new CachedSource(db)
  return (db.commitSource ??= new CachedSource(db))
}

const oidAt = (data: Buffer, at: number): Oid => {
  const oid = data.toString('latin1', at, at + 40)
  if (!isOid(oid)) throw new GitError('corrupt', 'commit names a malformed object')
  return oid
}

const startsWith = (data: Uint8Array, at: number, text: string): boolean => {
  for (let i = 0; i < text.length; i++) if (data[at + i] !== text.charCodeAt(i)) return false
  return true
}

/** Parses tree, parents and committer time from the bytes of a commit, without its message. */
export function parseCommitNode(oid: Oid, bytes: Uint8Array): CommitNode {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (!startsWith(data, 0, 'tree ') || data[45] !== 0x0a)
    throw new GitError('corrupt', `commit ${oid} has no tree`)
  const tree = oidAt(data, 5)
  const parents: Oid[] = []
  let at = 46
  while (startsWith(data, at, 'parent ') && data[at + 47] === 0x0a) {
    parents.push(oidAt(data, at + 7))
    at += 48
  }
  return { oid, tree, parents, time: committerTime(data, at, data.length), generation: Infinity }
}
