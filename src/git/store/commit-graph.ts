/**
 * Reads git's commit-graph file (gitformat-commit-graph): trees, parents, times and generations of
 * commits, without parsing the commits.
 */
import { join } from 'node:path'
import { bytesToOid } from '../object.ts'
import { GitError, type Oid } from '../ports.ts'
import { FILTER_SETTINGS, mayContain } from './changed-paths.ts'
import { compareOids } from './compare-oids.ts'
import { be32 } from './pack-index.ts'
import { mapFileOrNull } from './read-file.ts'

/** In place of the position of a parent that a commit does not have. */
export const NO_PARENT = 0x70000000
/** Marks the place of further parents, and the last one there. */
export const EDGE_FLAG = 0x80000000

/** A commit as history walks need it; structurally equal to the nodes of `history`. */
export type GraphNode = {
  readonly oid: Oid
  readonly tree: Oid
  readonly parents: readonly Oid[]
  readonly time: number
  readonly generation: number
}

export class CommitGraph {
  readonly count: number
  private readonly fanoutAt: number
  private readonly oidsAt: number
  private readonly commitDataAt: number
  private readonly edgesAt: number
  private readonly edgeCount: number
  /** Positions of the filters' end offsets and of the filters; -1 when the file has none. */
  private readonly filterEndsAt: number
  private readonly filtersAt: number
  private readonly filterBytes: number

  /** Throws GitError `corrupt` for an inconsistent file. */
  constructor(private readonly bytes: Uint8Array) {
    const bad = () => new GitError('corrupt', 'the commit-graph is malformed')
    const whole =
      bytes.length >= 40 &&
      be32(bytes, 0) === 0x43475048 &&
      bytes[4] === 1 &&
      bytes[5] === 1 &&
      bytes[7] === 0
    if (!whole) throw bad()
    const sum = Bun.SHA1.hash(bytes.subarray(0, bytes.length - 20)) as Uint8Array
    if (Buffer.compare(sum, bytes.subarray(bytes.length - 20)) !== 0) throw bad()
    const chunks = new Map<string, { at: number; size: number }>()
    for (let i = 0; i < bytes[6]!; i++) {
      const row = 8 + i * 12
      if (row + 24 > bytes.length) throw bad()
      const at = be32(bytes, row + 4) * 4294967296 + be32(bytes, row + 8)
      const end = be32(bytes, row + 16) * 4294967296 + be32(bytes, row + 20)
      if (end < at || end > bytes.length - 20) throw bad()
      chunks.set(Buffer.from(bytes.subarray(row, row + 4)).toString('latin1'), {
        at,
        size: end - at,
      })
    }
    const part = (name: string) => chunks.get(name) ?? { at: 0, size: -1 }
    this.fanoutAt = part('OIDF').at
    this.oidsAt = part('OIDL').at
    this.commitDataAt = part('CDAT').at
    this.edgesAt = part('EDGE').at
    this.edgeCount = Math.max(0, part('EDGE').size) / 4
    if (part('OIDF').size !== 1024) throw bad()
    this.count = be32(bytes, this.fanoutAt + 1020)
    const [ends, filters] = [part('BIDX'), part('BDAT')]
    const { version, hashes, bitsPerPath } = FILTER_SETTINGS
    const known =
      filters.size >= 12 &&
      [version, hashes, bitsPerPath].every((value, i) => be32(bytes, filters.at + i * 4) === value)
    this.filterEndsAt = known && ends.size === this.count * 4 ? ends.at : -1
    this.filtersAt = filters.at + 12
    this.filterBytes = filters.size - 12
    if (part('OIDL').size !== this.count * 20 || part('CDAT').size !== this.count * 36) throw bad()
  }

  /** Returns null when the store has no commit-graph or an unusable one. */
  static open(directory: string): CommitGraph | null {
    const bytes = mapFileOrNull(join(directory, 'objects', 'info', 'commit-graph'))
    try {
      return bytes === null ? null : new CommitGraph(bytes)
    } catch (error) {
      if (error instanceof GitError) return null
      throw error
    }
  }

  /** Returns the position of a commit, or -1. */
  position(oid: Uint8Array, at: number): number {
    const rank = this.rank(oid, at)
    return rank < this.count && compareOids(this.bytes, this.oidAt(rank), oid, at) === 0 ? rank : -1
  }

  /** Returns the number of commits whose ids are lower. */
  rank(oid: Uint8Array, at: number): number {
    const { bytes } = this
    const first = oid[at]!
    let low = first === 0 ? 0 : be32(bytes, this.fanoutAt + (first - 1) * 4)
    let high = Math.min(this.count, be32(bytes, this.fanoutAt + first * 4))
    while (low < high) {
      const mid = (low + high) >>> 1
      if (compareOids(bytes, this.oidsAt + mid * 20, oid, at) < 0) low = mid + 1
      else high = mid
    }
    return low
  }

  /** Returns the position of the commit's id in `raw`. */
  oidAt(position: number): number {
    return this.oidsAt + position * 20
  }

  /** Returns the position of the id of the commit's tree in `raw`. */
  treeAt(position: number): number {
    return this.commitDataAt + position * 36
  }

  get raw(): Uint8Array {
    return this.bytes
  }

  /** Returns the committer time in seconds since 1970. */
  time(position: number): number {
    const at = this.commitDataAt + position * 36 + 28
    return (be32(this.bytes, at) & 3) * 4294967296 + be32(this.bytes, at + 4)
  }

  /** Returns the topological level: one more than the maximum of the parents. */
  generation(position: number): number {
    return be32(this.bytes, this.commitDataAt + position * 36 + 28) >>> 2
  }

  /**
   * Returns the positions of the parents. Throws GitError `corrupt` for a position out of range.
   */
  parents(position: number): number[] {
    const at = this.commitDataAt + position * 36 + 20
    const first = be32(this.bytes, at)
    const second = be32(this.bytes, at + 4)
    if (first === NO_PARENT) return []
    if (second === NO_PARENT) return [this.requirePosition(first)]
    if (second < EDGE_FLAG) return [this.requirePosition(first), this.requirePosition(second)]
    const parents = [this.requirePosition(first)]
    for (let edge = second - EDGE_FLAG; edge < this.edgeCount; edge++) {
      const value = be32(this.bytes, this.edgesAt + edge * 4)
      parents.push(this.requirePosition(value % EDGE_FLAG))
      if (value >= EDGE_FLAG) break
    }
    return parents
  }

  /** Returns the position of one parent, without a list of them. */
  parent(position: number, nth: number): number {
    const at = this.commitDataAt + position * 36 + 20
    if (nth === 0) return this.requirePosition(be32(this.bytes, at))
    const second = be32(this.bytes, at + 4)
    if (nth === 1 && second < EDGE_FLAG) return this.requirePosition(second)
    return this.parents(position)[nth]!
  }

  /** Returns the number of parents. */
  parentCount(position: number): number {
    const at = this.commitDataAt + position * 36 + 20
    if (be32(this.bytes, at) === NO_PARENT) return 0
    const second = be32(this.bytes, at + 4)
    if (second === NO_PARENT) return 1
    return second < EDGE_FLAG ? 2 : this.parents(position).length
  }

  /**
   * Length in bytes of the changed-path filter of a commit against its first parent; 0 when there
   * is none.
   */
  filterLength(position: number): number {
    const [from, to] = this.filterRange(position)
    return to - from
  }

  /** Returns the position of a commit's filter in `raw`. */
  filterAt(position: number): number {
    return this.filtersAt + this.filterRange(position)[0]
  }

  /**
   * Whether the commit certainly leaves the path with these hashes (`pathHashes`) unchanged against
   * its first parent.
   */
  leavesUnchanged(oid: Oid, hashes: Uint32Array): boolean {
    if (this.filterEndsAt < 0) return false
    const position = this.position(Buffer.from(oid, 'hex'), 0)
    if (position < 0) return false
    const [from, to] = this.filterRange(position)
    return !mayContain(this.bytes, this.filtersAt + from, this.filtersAt + to, hashes)
  }

  private filterRange(position: number): [from: number, to: number] {
    if (this.filterEndsAt < 0) return [0, 0]
    const from = position === 0 ? 0 : be32(this.bytes, this.filterEndsAt + (position - 1) * 4)
    const to = be32(this.bytes, this.filterEndsAt + position * 4)
    return from <= to && to <= this.filterBytes ? [from, to] : [0, 0]
  }

  find(oid: Oid): GraphNode | null {
    const position = this.position(Buffer.from(oid, 'hex'), 0)
    if (position < 0) return null
    const hex = (at: number) => bytesToOid(this.bytes, at)
    return {
      oid,
      tree: hex(this.treeAt(position)),
      parents: this.parents(position).map((parent) => hex(this.oidAt(parent))),
      time: this.time(position),
      generation: this.generation(position) || Infinity,
    }
  }

  private requirePosition(position: number): number {
    if (position >= this.count)
      throw new GitError('corrupt', 'the commit-graph names a commit that it does not have')
    return position
  }
}
