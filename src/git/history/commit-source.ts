/**
 * Where a walk gets what it needs of a commit: parents, tree, time and generation. This is the
 * narrow place where a commit-graph file can stand in for parsing objects; everything else that
 * walks history asks only here.
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
  /** Topological level, larger than that of every ancestor; Infinity when it is not known. */
  readonly generation: number
}

/**
 * What a database may offer beside objects: nodes from a commit-graph, null for a commit that it
 * does not cover.
 */
export type CommitGraph = {
  find(oid: Oid): CommitNode | null
  /** Whether a commit surely leaves a path as it is in its first parent (`pathHashes`). */
  leaves?(oid: Oid, hashes: Uint32Array): boolean
}

export type CommitSource = {
  get(oid: Oid): CommitNode
  /**
   * Whether a commit surely leaves a path as it is in its first parent: then no tree need be read.
   */
  leaves?(oid: Oid, hashes: Uint32Array): boolean
}

/**
 * Nodes are remembered per database in two halves: when the young half is full it becomes the old
 * one.
 */
const HALF = 1 << 16

class CachedSource implements CommitSource {
  private young = new Map<Oid, CommitNode>()
  private old = new Map<Oid, CommitNode>()

  constructor(private readonly db: ObjectReader & { readonly commitGraph?: CommitGraph | null }) {}

  get(oid: Oid): CommitNode {
    const known = this.young.get(oid)
    if (known) return known
    const node = this.old.get(oid) ?? this.db.commitGraph?.find(oid) ?? this.parse(oid)
    if (this.young.size >= HALF) {
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
    return parseNode(oid, object.data)
  }
}

const sources = new WeakMap<ObjectReader, CommitSource>()

/** The source of a database; its memory lives as long as the database object does. */
export function commitSource(db: ObjectReader): CommitSource {
  let source = sources.get(db)
  if (!source) sources.set(db, (source = new CachedSource(db)))
  return source
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

/**
 * Reads tree, parents and the committer's time straight from the bytes; the message is never
 * touched.
 */
export function parseNode(oid: Oid, bytes: Uint8Array): CommitNode {
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
