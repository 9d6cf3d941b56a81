/**
 * The rows of a new commit-graph: those of the previous file, and commits that it lacks. Only the
 * latter are parsed, so a small push into a long history needs little work and memory.
 */
import { bytesToOid } from '../object.ts'
import { sortRows } from '../pack/index-writer.ts'
import type { CommitGraph } from '../store/commit-graph.ts'
import type { Tables } from '../store/tables.ts'
import type { CommitTable } from './commit-table.ts'
import { CommitMarks } from './commit-marks.ts'
import { NumberList } from './number-list.ts'

/** The file has 30 bits for a generation, and 34 bits for a time in seconds. */
const MAX_GENERATION = 0x3fffffff
const MAX_TIME_S = 2 ** 34 - 1
/** Rows that are processed at once. */
const PAUSE_ROWS = 1 << 16
const PAUSE_COMMITS = 1 << 10

/** Marks of a walk: a commit was found, and all of its parents were left before it. */
const ENTERED = 1
const LEFT = 2

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
    const { tables } = table
    const order = sortRows({
      count: fresh.length,
      oids: table.oids,
      ids: new Int32Array(fresh.buffer, fresh.byteOffset, fresh.length),
      tables,
    })
    this.positions = tables.allocate(Uint32Array, staying.length)
    this.freshPositions = tables.allocate(Uint32Array, fresh.length)
    this.sources = tables.allocate(Int32Array, staying.length + fresh.length)
    let count = 0
    let old = 0
    const addStaying = (end: number): void => {
      for (; old < end; old++) {
        if (staying[old] === 0) continue
        this.positions[old] = count
        this.sources[count++] = old
      }
    }
    // `for … of` would make an object for each of millions of rows.
    for (let i = 0; i < order.length; i++) {
      const row = order[i]!
      if (before !== null) addStaying(before.rank(table.oids, fresh[row]! * 20))
      this.freshPositions[row] = count
      this.sources[count++] = ~row
    }
    addStaying(staying.length)
    this.count = count
    tables.release(order)
    tables.release(staying)
    this.freshNumbers = tables.allocate(Int32Array, table.size).fill(-1)
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
    const staying = table.tables.allocate(Uint8Array, before?.count ?? 0).fill(keepsAll ? 1 : 0)
    const fresh = yield* collectFresh(table, tips, before, staying)
    return new CommitGraphRows(table, before, staying, fresh)
  }

  get tables(): Tables {
    return this.table.tables
  }

  /** Ends the use of the rows. */
  release(): void {
    for (const used of [
      this.sources,
      this.positions,
      this.fresh,
      this.freshPositions,
      this.freshNumbers,
      this.generations,
    ])
      this.tables.release(used)
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
    return bytesToOid(this.treeBytes(position), this.treeAt(position))
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
    const generations = this.tables.allocate(Uint32Array, fresh.length)
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
  const marks = new CommitMarks(table.tables)
  const stack = new NumberList(table.tables)
  const fresh = new NumberList(table.tables)
  let loaded = 0
  for (const tip of tips) {
    stack.push(tip)
    while (stack.length > 0) {
      const commit = stack.last
      if (marks.add(commit, ENTERED)) {
        const old = before?.position(table.oids, commit * 20) ?? -1
        if (old >= 0) {
          marks.add(commit, LEFT)
          stack.pop()
          yield* markAncestors(before!, old, staying, table.tables)
          continue
        }
        table.load(commit)
        if (++loaded % PAUSE_COMMITS === 0) yield 'pause'
        for (let i = 0; i < table.parentCount(commit); i++) {
          const parent = table.parent(commit, i)
          if (!marks.get(parent)) stack.push(parent)
        }
        continue
      }
      stack.pop()
      if (marks.add(commit, LEFT)) fresh.push(commit)
    }
  }
  marks.release()
  stack.release()
  return fresh.view
}

/** Marks a row of a commit-graph and everything that it reaches. */
function* markAncestors(
  graph: CommitGraph,
  start: number,
  marks: Uint8Array,
  tables: Tables,
): Generator<'pause', void, unknown> {
  if (marks[start] !== 0) return
  marks[start] = 1
  const stack = new NumberList(tables)
  stack.push(start)
  let steps = 0
  while (stack.length > 0) {
    const position = stack.pop()
    for (let nth = graph.parentCount(position) - 1; nth >= 0; nth--) {
      const parent = graph.parent(position, nth)
      if (marks[parent] !== 0) continue
      marks[parent] = 1
      stack.push(parent)
    }
    if (++steps % PAUSE_ROWS === 0) yield 'pause'
  }
  stack.release()
}
