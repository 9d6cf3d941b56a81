/**
 * The rows of a new commit-graph: those of the previous file, and commits that it lacks. Only the
 * latter are parsed, so a small push into a long history needs little work and memory.
 */
import { sortRows } from '../pack/index-writer.ts'
import type { CommitGraph } from '../store/commit-graph.ts'
import type { CommitTable } from './commit-table.ts'
import { CommitMarks } from './commit-marks.ts'

/** The file has 30 bits for a generation, and 34 bits for a time in seconds. */
const MAX_GENERATION = 0x3fffffff
const MAX_TIME_S = 2 ** 34 - 1
/** Rows that are processed at once. */
const PAUSE_ROWS = 1 << 16
const PAUSE_COMMITS = 1 << 10

/** Rows by position, which is the rank of the commit's id. */
export class CommitGraphRows {
  readonly count: number
  /** Position in the previous file of each row; `~i` for the new commit number i. */
  private readonly sources: Int32Array
  /** New position of each row of the previous file. */
  private readonly positions: Uint32Array
  /** New position of each new commit. */
  private readonly freshPositions: Uint32Array
  private readonly generations: Uint32Array
  /** Number of the new commit that has this number in the table; -1 for others. */
  private readonly freshNumbers: Int32Array

  private constructor(
    private readonly table: CommitTable,
    private readonly before: CommitGraph | null,
    /** One byte for each row of the previous file: whether it stays. */
    staying: Uint8Array,
    /** New commits, each after its parents. */
    private readonly fresh: Uint32Array,
  ) {
    const order = sortRows({
      count: fresh.length,
      oids: table.oids,
      ids: new Int32Array(fresh.buffer, fresh.byteOffset, fresh.length),
    })
    this.positions = new Uint32Array(staying.length)
    this.freshPositions = new Uint32Array(fresh.length)
    this.sources = new Int32Array(staying.length + fresh.length)
    let count = 0
    let old = 0
    const addStaying = (end: number): void => {
      for (; old < end; old++) {
        if (staying[old] === 0) continue
        this.positions[old] = count
        this.sources[count++] = old
      }
    }
    for (const row of order) {
      if (before !== null) addStaying(before.rank(table.oids, fresh[row]! * 20))
      this.freshPositions[row] = count
      this.sources[count++] = ~row
    }
    addStaying(staying.length)
    this.count = count
    this.freshNumbers = new Int32Array(table.size).fill(-1)
    fresh.forEach((commit, i) => void (this.freshNumbers[commit] = i))
    this.generations = this.computeGenerations()
  }

  /**
   * Collects the commits that the tips reach, and pauses regularly. With `keepsAll`, rows of the
   * previous file stay although no tip may reach them any more: their commits must be in the store.
   */
  static *collect(
    table: CommitTable,
    tips: readonly number[],
    before: CommitGraph | null,
    keepsAll: boolean,
  ): Generator<'pause', CommitGraphRows, unknown> {
    const staying = new Uint8Array(before?.count ?? 0).fill(keepsAll ? 1 : 0)
    const fresh = yield* collectFresh(table, tips, before, staying)
    return new CommitGraphRows(table, before, staying, fresh)
  }

  /** Whether the commits are those of the previous file. */
  get isUnchanged(): boolean {
    return this.fresh.length === 0 && this.count === this.before?.count
  }

  /** Calls `each` for every position, and pauses regularly. */
  *forEach(each: (position: number) => void): Generator<'pause', void, unknown> {
    for (let position = 0; position < this.count; position++) {
      each(position)
      if (position % PAUSE_ROWS === PAUSE_ROWS - 1) yield 'pause'
    }
  }

  /** The position of a row in the previous file, or -1. */
  previousPosition(position: number): number {
    return Math.max(-1, this.sources[position]!)
  }

  /** The bytes that contain the id of a row at `oidAt`. */
  oidBytes(position: number): Uint8Array {
    return this.sources[position]! < 0 ? this.table.oids : this.before!.raw
  }

  oidAt(position: number): number {
    const source = this.sources[position]!
    return source < 0 ? this.fresh[~source]! * 20 : this.before!.oidAt(source)
  }

  /** The bytes that contain the id of the tree of a row at `treeAt`. */
  treeBytes(position: number): Uint8Array {
    return this.sources[position]! < 0 ? this.table.treeOids : this.before!.raw
  }

  treeAt(position: number): number {
    const source = this.sources[position]!
    return source < 0 ? this.fresh[~source]! * 20 : this.before!.treeAt(source)
  }

  treeOid(position: number): string {
    const at = this.treeAt(position)
    return Buffer.from(this.treeBytes(position).subarray(at, at + 20)).toString('hex')
  }

  /** Committer time in seconds since 1970. */
  time(position: number): number {
    const source = this.sources[position]!
    return source < 0
      ? Math.min(this.table.time(this.fresh[~source]!), MAX_TIME_S)
      : this.before!.time(source)
  }

  /** The topological level: one more than the maximum of the parents. */
  generation(position: number): number {
    const source = this.sources[position]!
    return source < 0 ? this.generations[~source]! : this.before!.generation(source)
  }

  parentCount(position: number): number {
    const source = this.sources[position]!
    return source < 0
      ? this.table.parentCount(this.fresh[~source]!)
      : this.before!.parentCount(source)
  }

  /** The position of a parent. */
  parent(position: number, nth: number): number {
    const source = this.sources[position]!
    if (source >= 0) return this.positions[this.before!.parent(source, nth)]!
    const parent = this.table.parent(this.fresh[~source]!, nth)
    const number = this.freshNumbers[parent]!
    return number >= 0 ? this.freshPositions[number]! : this.positions[this.find(parent)]!
  }

  /** The position in the previous file of a commit of the table. */
  private find(commit: number): number {
    return this.before!.position(this.table.oids, commit * 20)
  }

  private computeGenerations(): Uint32Array {
    const { table, fresh } = this
    const generations = new Uint32Array(fresh.length)
    fresh.forEach((commit, i) => {
      let level = 0
      for (let nth = 0; nth < table.parentCount(commit); nth++) {
        const parent = table.parent(commit, nth)
        const number = this.freshNumbers[parent]!
        level = Math.max(
          level,
          number >= 0 ? generations[number]! : this.before!.generation(this.find(parent)),
        )
      }
      generations[i] = Math.min(level + 1, MAX_GENERATION)
    })
    return generations
  }
}

/**
 * Returns the commits that the tips reach and the previous file lacks, each after its parents. The
 * rows that they reach there get a mark in `staying`.
 */
function* collectFresh(
  table: CommitTable,
  tips: readonly number[],
  before: CommitGraph | null,
  staying: Uint8Array,
): Generator<'pause', Uint32Array, unknown> {
  const entered = new CommitMarks()
  const left = new CommitMarks()
  let fresh = new Uint32Array(256)
  let count = 0
  let loaded = 0
  for (const tip of tips) {
    const stack = [tip]
    while (stack.length > 0) {
      const commit = stack[stack.length - 1]!
      if (entered.add(commit, 1)) {
        const old = before?.position(table.oids, commit * 20) ?? -1
        if (old >= 0) {
          left.add(commit, 1)
          stack.pop()
          yield* markAncestors(before!, old, staying)
          continue
        }
        table.load(commit)
        if (++loaded % PAUSE_COMMITS === 0) yield 'pause'
        for (let i = 0; i < table.parentCount(commit); i++) {
          const parent = table.parent(commit, i)
          if (!entered.get(parent)) stack.push(parent)
        }
        continue
      }
      stack.pop()
      if (!left.add(commit, 1)) continue
      if (count === fresh.length) {
        const grown = new Uint32Array(count * 2)
        grown.set(fresh)
        fresh = grown
      }
      fresh[count++] = commit
    }
  }
  return fresh.slice(0, count)
}

/** Marks a row of a commit-graph and everything that it reaches. */
function* markAncestors(
  graph: CommitGraph,
  start: number,
  marks: Uint8Array,
): Generator<'pause', void, unknown> {
  if (marks[start] !== 0) return
  marks[start] = 1
  const stack = [start]
  let steps = 0
  while (stack.length > 0) {
    const position = stack.pop()!
    for (let nth = graph.parentCount(position) - 1; nth >= 0; nth--) {
      const parent = graph.parent(position, nth)
      if (marks[parent] !== 0) continue
      marks[parent] = 1
      stack.push(parent)
    }
    if (++steps % PAUSE_ROWS === 0) yield 'pause'
  }
}
