/**
 * Git's commit-graph file (gitformat-commit-graph): trees, parents, times and generations of
 * commits without parsing them.
 */
import { join } from 'node:path'
import { GitError, type Oid } from '../ports.ts'
import { FILTER_SETTINGS, mayHold } from './changed-paths.ts'
import { be32 } from './pack-index.ts'
import { readWhole } from './read-whole.ts'

const NONE = 0x70000000
const EDGE = 0x80000000

/** What walks need of a commit; the same shape as `history`'s nodes. */
export type GraphNode = {
  readonly oid: Oid
  readonly tree: Oid
  readonly parents: readonly Oid[]
  readonly time: number
  readonly generation: number
}

export class CommitGraph {
  readonly count: number
  private readonly fanout: number
  private readonly names: number
  private readonly data: number
  private readonly edges: number
  private readonly edgeCount: number
  /** Where the ends of the filters and the filters are; -1 without any. */
  private readonly filterEnds: number
  private readonly filters: number
  private readonly filterBytes: number

  /** Throws GitError `corrupt` when it does not fit itself. */
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
    this.fanout = part('OIDF').at
    this.names = part('OIDL').at
    this.data = part('CDAT').at
    this.edges = part('EDGE').at
    this.edgeCount = Math.max(0, part('EDGE').size) / 4
    if (part('OIDF').size !== 1024) throw bad()
    this.count = be32(bytes, this.fanout + 1020)
    const [ends, filters] = [part('BIDX'), part('BDAT')]
    const { version, hashes, bitsPerPath } = FILTER_SETTINGS
    const known =
      filters.size >= 12 &&
      [version, hashes, bitsPerPath].every((value, i) => be32(bytes, filters.at + i * 4) === value)
    this.filterEnds = known && ends.size === this.count * 4 ? ends.at : -1
    this.filters = filters.at + 12
    this.filterBytes = filters.size - 12
    if (part('OIDL').size !== this.count * 20 || part('CDAT').size !== this.count * 36) throw bad()
  }

  /** Null when the store has none, or one that cannot be used. */
  static open(directory: string): CommitGraph | null {
    const bytes = readWhole(join(directory, 'objects', 'info', 'commit-graph'))
    try {
      return bytes === null ? null : new CommitGraph(bytes)
    } catch (error) {
      if (error instanceof GitError) return null
      throw error
    }
  }

  /** The position of a commit, or -1. */
  position(oid: Uint8Array, at: number): number {
    const { bytes } = this
    const first = oid[at]!
    let low = first === 0 ? 0 : be32(bytes, this.fanout + (first - 1) * 4)
    let high = Math.min(this.count, be32(bytes, this.fanout + first * 4))
    while (low < high) {
      const mid = (low + high) >>> 1
      const place = this.names + mid * 20
      let order = 0
      for (let i = 0; order === 0 && i < 20; i++) order = oid[at + i]! - bytes[place + i]!
      if (order === 0) return mid
      if (order > 0) low = mid + 1
      else high = mid
    }
    return -1
  }

  /** Where in `raw` the commit's id is. */
  oidAt(position: number): number {
    return this.names + position * 20
  }

  /** Where in `raw` the id of the commit's tree is. */
  treeAt(position: number): number {
    return this.data + position * 36
  }

  get raw(): Uint8Array {
    return this.bytes
  }

  /** Committer time in seconds. */
  time(position: number): number {
    const at = this.data + position * 36 + 28
    return (be32(this.bytes, at) & 3) * 4294967296 + be32(this.bytes, at + 4)
  }

  /** Topological level: one more than the largest of the parents. */
  generation(position: number): number {
    return be32(this.bytes, this.data + position * 36 + 28) >>> 2
  }

  /** Positions of the parents. Throws GitError `corrupt` for one that is not there. */
  parents(position: number): number[] {
    const at = this.data + position * 36 + 20
    const first = be32(this.bytes, at)
    const second = be32(this.bytes, at + 4)
    if (first === NONE) return []
    if (second === NONE) return [this.checked(first)]
    if (second < EDGE) return [this.checked(first), this.checked(second)]
    const parents = [this.checked(first)]
    for (let edge = second - EDGE; edge < this.edgeCount; edge++) {
      const value = be32(this.bytes, this.edges + edge * 4)
      parents.push(this.checked(value % EDGE))
      if (value >= EDGE) break
    }
    return parents
  }

  /**
   * The filter of the paths that a commit changes against its first parent; null when there is
   * none.
   */
  filter(position: number): Uint8Array | null {
    const [from, to] = this.filterRange(position)
    return to > from ? this.bytes.subarray(this.filters + from, this.filters + to) : null
  }

  /**
   * Whether a commit surely leaves the path with these hashes (`pathHashes`) as it is in its first
   * parent.
   */
  leaves(oid: Oid, hashes: Uint32Array): boolean {
    if (this.filterEnds < 0) return false
    const position = this.position(Buffer.from(oid, 'hex'), 0)
    if (position < 0) return false
    const [from, to] = this.filterRange(position)
    return !mayHold(this.bytes, this.filters + from, this.filters + to, hashes)
  }

  private filterRange(position: number): [from: number, to: number] {
    if (this.filterEnds < 0) return [0, 0]
    const from = position === 0 ? 0 : be32(this.bytes, this.filterEnds + (position - 1) * 4)
    const to = be32(this.bytes, this.filterEnds + position * 4)
    return from <= to && to <= this.filterBytes ? [from, to] : [0, 0]
  }

  find(oid: Oid): GraphNode | null {
    const position = this.position(Buffer.from(oid, 'hex'), 0)
    if (position < 0) return null
    const hex = (at: number) =>
      Buffer.from(this.bytes.buffer, this.bytes.byteOffset + at, 20).toString('hex')
    return {
      oid,
      tree: hex(this.treeAt(position)),
      parents: this.parents(position).map((parent) => hex(this.oidAt(parent))),
      time: this.time(position),
      generation: this.generation(position) || Infinity,
    }
  }

  private checked(position: number): number {
    if (position >= this.count)
      throw new GitError('corrupt', 'the commit-graph names a commit that it does not have')
    return position
  }
}
