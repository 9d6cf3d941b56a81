/**
 * The commits of a store as numbers: each commit that a walk meets is parsed once per thread and
 * kept as its tree, its parents and its time. Walks keep their marks in arrays over these numbers.
 */
import { COMMIT } from '../pack/entry.ts'
import { GitError } from '../ports.ts'
import type { ObjectStore } from '../store/object-store.ts'
import type { CommitGraph } from '../store/commit-graph.ts'
import { OidMap } from '../store/oid-map.ts'

const UNKNOWN = -1
const NOT_A_COMMIT = -2

export class CommitTable {
  private readonly ids = new OidMap(256)
  private trees = new Uint8Array(256 * 20)
  private times = new Float64Array(256).fill(UNKNOWN)
  /** Where a commit's parents start in `edges`, and how many there are. */
  private firsts = new Uint32Array(256)
  private counts = new Uint16Array(256)
  private edges = new Uint32Array(512)
  private edgeCount = 0

  constructor(private readonly store: ObjectStore) {}

  get size(): number {
    return this.ids.size
  }

  /** Bytes of memory that the table holds. */
  get bytes(): number {
    return this.times.length * 60 + this.edges.length * 4
  }

  /** The number of an id; nothing is read. */
  number(oid: Uint8Array, at: number): number {
    const index = this.ids.add(oid, at)
    if (index >= this.times.length) this.grow()
    return index
  }

  numberOf(oid: string): number {
    return this.number(Buffer.from(oid, 'hex'), 0)
  }

  oid(index: number): string {
    return this.ids.hex(index)
  }

  /** The raw ids of all numbers, a view valid until the next `number`. */
  get oids(): Uint8Array {
    return this.ids.bytes
  }

  /** The number of an id whose commit has been parsed already, or -1; nothing is read. */
  parsed(oid: Uint8Array, at: number): number {
    const index = this.ids.get(oid, at)
    return index >= 0 && this.times[index]! >= 0 ? index : -1
  }

  /** Whether the object is there and is a commit. */
  isCommit(index: number): boolean {
    this.tryLoad(index)
    return this.times[index]! >= 0
  }

  /** Parses the commit if that has not happened. Throws GitError `missing` or `corrupt`. */
  load(index: number): void {
    this.store.reader.meter?.step()
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

  /** Committer time in seconds; after `load`. */
  time(index: number): number {
    return this.times[index]!
  }

  parentCount(index: number): number {
    return this.counts[index]!
  }

  parent(index: number, nth: number): number {
    return this.edges[this.firsts[index]! + nth]!
  }

  /** All trees' raw ids; the tree of commit `i` is at `20 * i`. */
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
      throw this.broken(index)
    this.trees.set(raw, index * 20)
    at += 46
    const parents: number[] = []
    while (startsWith(bytes, at, to, PARENT_LINE)) {
      if (!readHex(bytes, at + 7, to, raw, 0)) throw this.broken(index)
      parents.push(this.number(raw, 0))
      at += 48
    }
    if (parents.length > 65535) throw this.broken(index)
    this.setParents(index, parents)
    this.times[index] = committerTime(bytes, at, to)
  }

  private copyFrom(graph: CommitGraph, position: number, index: number): void {
    const tree = graph.treeAt(position)
    const parents = graph
      .parents(position)
      .map((parent) => this.number(graph.raw, graph.oidAt(parent)))
    this.trees.set(graph.raw.subarray(tree, tree + 20), index * 20)
    this.setParents(index, parents)
    this.times[index] = graph.time(position)
  }

  private setParents(index: number, parents: readonly number[]): void {
    if (this.edgeCount + parents.length > this.edges.length) {
      const grown = new Uint32Array((this.edgeCount + parents.length) * 2)
      grown.set(this.edges)
      this.edges = grown
    }
    this.firsts[index] = this.edgeCount
    this.counts[index] = parents.length
    for (const parent of parents) this.edges[this.edgeCount++] = parent
  }

  private broken(index: number): GitError {
    return new GitError('corrupt', `commit ${this.oid(index)} is malformed`)
  }

  private grow(): void {
    const length = this.times.length * 2
    const trees = new Uint8Array(length * 20)
    trees.set(this.trees)
    this.trees = trees
    const times = new Float64Array(length).fill(UNKNOWN)
    times.set(this.times)
    this.times = times
    const firsts = new Uint32Array(length)
    firsts.set(this.firsts)
    this.firsts = firsts
    const counts = new Uint16Array(length)
    counts.set(this.counts)
    this.counts = counts
  }
}

const TREE_LINE = Buffer.from('tree ')
const PARENT_LINE = Buffer.from('parent ')
const AUTHOR = Buffer.from('author')
const COMMITTER = Buffer.from('committer')

function startsWith(bytes: Uint8Array, at: number, to: number, text: Uint8Array): boolean {
  if (at + text.length > to) return false
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text[i]) return false
  return true
}

/** Turns 40 hex digits into 20 bytes; false when they are not hex or not all there. */
export function readHex(
  bytes: Uint8Array,
  at: number,
  to: number,
  out: Uint8Array,
  outAt: number,
): boolean {
  if (at + 40 > to) return false
  for (let i = 0; i < 20; i++) {
    const high = digit(bytes[at + i * 2]!)
    const low = digit(bytes[at + i * 2 + 1]!)
    if (high < 0 || low < 0) return false
    out[outAt + i] = (high << 4) | low
  }
  return true
}

function digit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  if (byte >= 0x61 && byte <= 0x66) return byte - 0x57
  if (byte >= 0x41 && byte <= 0x46) return byte - 0x37
  return -1
}

/**
 * The seconds on the committer line, read as git reads them (`parse_commit_date`): behind the last
 * `>`, with or without space, and 0 where the line does not follow the author's or says no number.
 * `at` is behind the parents.
 */
export function committerTime(bytes: Uint8Array, at: number, to: number): number {
  if (!startsWith(bytes, at, to, AUTHOR)) return 0
  while (at < to && bytes[at] !== 10) at++
  if (!startsWith(bytes, ++at, to, COMMITTER)) return 0
  let end = at
  while (end < to && bytes[end] !== 10) end++
  // A line that does not end counts as none.
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
