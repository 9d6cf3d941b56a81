/**
 * Numbers the commits of a store. Each commit is parsed once per thread and stored as its tree,
 * parents and time. Walks keep their flags in arrays indexed by these numbers.
 */
import { COMMIT } from '../pack/entry-header.ts'
import { GitError } from '../ports.ts'
import type { ObjectStore } from '../store/object-store.ts'
import type { CommitGraph } from '../store/commit-graph.ts'
import { OidMap } from '../store/oid-map.ts'
import { growTable, type Tables } from '../store/tables.ts'

const UNKNOWN = -1
const NOT_A_COMMIT = -2

export class CommitTable {
  readonly tables: Tables
  private readonly ids: OidMap
  private trees: Uint8Array
  private times: Float64Array
  /** Start of a commit's parents in `edges`, and their number. */
  private firsts: Uint32Array
  private counts: Uint16Array
  private edges: Uint32Array
  private edgeCount = 0

  constructor(private readonly store: ObjectStore) {
    const { tables } = store
    this.tables = tables
    this.ids = new OidMap(256, tables)
    this.trees = tables.allocate(Uint8Array, 256 * 20)
    this.times = tables.allocate(Float64Array, 256).fill(UNKNOWN)
    this.firsts = tables.allocate(Uint32Array, 256)
    this.counts = tables.allocate(Uint16Array, 256)
    this.edges = tables.allocate(Uint32Array, 512)
  }

  get size(): number {
    return this.ids.size
  }

  /** Memory of the table in bytes. */
  get heldBytes(): number {
    return this.times.length * 60 + this.edges.length * 4
  }

  /** Returns the number of an id. Reads nothing. */
  numberOfRaw(oid: Uint8Array, at: number): number {
    const index = this.ids.add(oid, at)
    if (index >= this.times.length) this.grow()
    return index
  }

  numberOf(oid: string): number {
    return this.numberOfRaw(Buffer.from(oid, 'hex'), 0)
  }

  oid(index: number): string {
    return this.ids.hex(index)
  }

  /** The raw ids by number, as a view that is valid until the next new number. */
  get oids(): Uint8Array {
    return this.ids.bytes
  }

  /** Returns the number of a commit that has been parsed already, or -1. Reads nothing. */
  parsedNumber(oid: Uint8Array, at: number): number {
    const index = this.ids.get(oid, at)
    return index >= 0 && this.times[index]! >= 0 ? index : -1
  }

  /** Whether the object exists and is a commit. */
  isCommit(index: number): boolean {
    this.tryLoad(index)
    return this.times[index]! >= 0
  }

  /** Parses the commit unless it has been parsed. Throws GitError `missing` or `corrupt`. */
  load(index: number): void {
    this.store.reader.budget?.countStep()
    if (this.times[index]! >= 0) return
    this.tryLoad(index)
    if (this.times[index]! < 0) {
      const there = this.times[index] === NOT_A_COMMIT
      throw new GitError(
        there ? 'invalid' : 'missing',
        `${this.oid(index)} is ${there ? 'not a commit' : 'not in the store'}`,
      )
    }
  }

  get hasShallowRoots(): boolean {
    return this.store.shallowRoots !== null
  }

  /** Whether history ends at this commit although it names parents. */
  isShallowRoot(index: number): boolean {
    return this.store.shallowRoots?.has(this.oid(index)) ?? false
  }

  /** Returns the committer time in seconds since 1970; after `load`. */
  time(index: number): number {
    return this.times[index]!
  }

  parentCount(index: number): number {
    return this.counts[index]!
  }

  parent(index: number, nth: number): number {
    return this.edges[this.firsts[index]! + nth]!
  }

  /** Raw ids of all trees; the tree of commit `i` is at `20 * i`. */
  get treeOids(): Uint8Array {
    return this.trees
  }

  private tryLoad(index: number): void {
    if (this.times[index]! >= 0 || this.times[index] === NOT_A_COMMIT) return
    const graph = this.store.commitGraph
    const position = graph === null ? -1 : graph.position(this.ids.bytes, index * 20)
    if (graph !== null && position >= 0) {
      this.copyFrom(graph, position, index)
      return
    }
    if (!this.store.load(this.ids.bytes, index * 20)) return
    const reader = this.store.reader
    if (reader.type !== COMMIT) this.times[index] = NOT_A_COMMIT
    else this.parse(index, reader.bytes, reader.from, reader.to)
  }

  private parse(index: number, bytes: Uint8Array, from: number, to: number): void {
    const raw = new Uint8Array(20)
    let at = from
    if (!startsWith(bytes, at, to, TREE_LINE) || !readHex(bytes, at + 5, to, raw, 0))
      throw this.corruptCommit(index)
    this.trees.set(raw, index * 20)
    at += 46
    const parents: number[] = []
    while (startsWith(bytes, at, to, PARENT_LINE)) {
      if (!readHex(bytes, at + 7, to, raw, 0)) throw this.corruptCommit(index)
      parents.push(this.numberOfRaw(raw, 0))
      at += 48
    }
    if (parents.length > 65535) throw this.corruptCommit(index)
    this.setParents(index, this.isShallowRoot(index) ? [] : parents)
    this.times[index] = committerTime(bytes, at, to)
  }

  private copyFrom(graph: CommitGraph, position: number, index: number): void {
    const tree = graph.treeAt(position)
    const parents = graph
      .parents(position)
      .map((parent) => this.numberOfRaw(graph.raw, graph.oidAt(parent)))
    this.trees.set(graph.raw.subarray(tree, tree + 20), index * 20)
    this.setParents(index, parents)
    this.times[index] = graph.time(position)
  }

  private setParents(index: number, parents: readonly number[]): void {
    const end = this.edgeCount + parents.length
    if (end > this.edges.length) this.edges = growTable(this.tables, this.edges, end * 2)
    this.firsts[index] = this.edgeCount
    this.counts[index] = parents.length
    for (const parent of parents) this.edges[this.edgeCount++] = parent
  }

  private corruptCommit(index: number): GitError {
    return new GitError('corrupt', `commit ${this.oid(index)} is malformed`)
  }

  private grow(): void {
    const { tables } = this
    const before = this.times.length
    const length = before * 2
    this.trees = growTable(tables, this.trees, length * 20)
    this.times = growTable(tables, this.times, length).fill(UNKNOWN, before)
    this.firsts = growTable(tables, this.firsts, length)
    this.counts = growTable(tables, this.counts, length)
  }
}

const TREE_LINE = Buffer.from('tree ')
const PARENT_LINE = Buffer.from('parent ')
const AUTHOR_LINE = Buffer.from('author')
const COMMITTER_LINE = Buffer.from('committer')

function startsWith(bytes: Uint8Array, at: number, to: number, text: Uint8Array): boolean {
  if (at + text.length > to) return false
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text[i]) return false
  return true
}

/** Decodes 40 hex digits into 20 bytes. Returns false for other characters and short input. */
export function readHex(
  bytes: Uint8Array,
  at: number,
  to: number,
  out: Uint8Array,
  outAt: number,
): boolean {
  if (at + 40 > to) return false
  for (let i = 0; i < 20; i++) {
    const high = hexDigit(bytes[at + i * 2]!)
    const low = hexDigit(bytes[at + i * 2 + 1]!)
    if (high < 0 || low < 0) return false
    out[outAt + i] = (high << 4) | low
  }
  return true
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  if (byte >= 0x61 && byte <= 0x66) return byte - 0x57
  if (byte >= 0x41 && byte <= 0x46) return byte - 0x37
  return -1
}

/**
 * Returns the committer time in seconds, parsed as git's `parse_commit_date` does: the number after
 * the last `>`. Returns 0 when the line does not follow the author line or has no number. `at` is
 * the position after the parents.
 */
export function committerTime(bytes: Uint8Array, at: number, to: number): number {
  if (!startsWith(bytes, at, to, AUTHOR_LINE)) return 0
  while (at < to && bytes[at] !== 10) at++
  if (!startsWith(bytes, ++at, to, COMMITTER_LINE)) return 0
  let end = at
  while (end < to && bytes[end] !== 10) end++
  // A line without an end does not count.
  if (end >= to) return 0
  let i = end
  while (i > at && bytes[i - 1] !== 0x3e) i--
  if (i === at) return 0
  while (i < end && (bytes[i] === 0x20 || (bytes[i]! >= 9 && bytes[i]! <= 13))) i++
  let seconds = 0
  for (; i < end && bytes[i]! >= 0x30 && bytes[i]! <= 0x39 && seconds < 2 ** 48; i++)
    seconds = seconds * 10 + bytes[i]! - 0x30
  return seconds
}
