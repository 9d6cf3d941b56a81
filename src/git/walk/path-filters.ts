/**
 * Changed-path filters of a new commit-graph: those of the previous file, and a limited number of
 * new ones.
 */
import type { CommitGraph } from '../store/commit-graph.ts'
import { growTable } from '../store/tables.ts'
import type { CommitGraphRows } from './commit-graph-rows.ts'
import { NumberList } from './number-list.ts'
import { sortLatestFirst } from './sort-by-time.ts'

/**
 * At least so many filters are computed in one run, and an eighth of a long history: each run
 * writes the whole file.
 */
const MIN_NEW_FILTERS = 20_000
const NEW_SHARE = 1 / 8

/**
 * Computes the filter of the differences between two root trees. Without a parent every path of the
 * tree is changed.
 */
export type BuildFilter = (parentTree: string | null, tree: string) => Uint8Array

export class PathFilters {
  /** The new filters, one after the other, and the end of each. */
  private bytes: Uint8Array
  private readonly ends: NumberList
  /** Number of the new filter by position, plus one. */
  private readonly numbers: Int32Array

  private constructor(
    private readonly rows: CommitGraphRows,
    private readonly before: CommitGraph | null,
    /** Number of commits whose filter is left for a later run. */
    readonly remaining: number,
  ) {
    this.bytes = rows.tables.allocate(Uint8Array, 1 << 16)
    this.ends = new NumberList(rows.tables)
    this.numbers = rows.tables.allocate(Int32Array, rows.count)
  }

  /** Computes filters of the latest commits that have none, and pauses regularly. */
  static *compute(
    rows: CommitGraphRows,
    before: CommitGraph | null,
    build: BuildFilter,
    maxNew: number = Math.max(MIN_NEW_FILTERS, Math.floor(rows.count * NEW_SHARE)),
  ): Generator<'pause', PathFilters, unknown> {
    const { tables } = rows
    const missing = tables.allocate(Uint32Array, rows.count)
    let count = 0
    yield* rows.forEach((position) => {
      const previous = rows.previousPosition(position)
      if (previous < 0 || before!.filterLength(previous) === 0) missing[count++] = position
    })
    // The latest, because most queries concern them.
    const listed = missing.subarray(0, count)
    sortLatestFirst(listed, (position) => rows.time(position), tables)
    const chosen = listed.subarray(0, maxNew)
    const filters = new PathFilters(rows, before, count - chosen.length)
    for (let i = 0; i < chosen.length; i++) {
      const position = chosen[i]!
      const hasParent = rows.parentCount(position) > 0
      const parentTree = hasParent ? rows.treeOid(rows.parent(position, 0)) : null
      filters.add(position, build(parentTree, rows.treeOid(position)))
      if (i % 16 === 15) yield 'pause'
    }
    tables.release(missing)
    return filters
  }

  /** Number of new filters. */
  get added(): number {
    return this.ends.length
  }

  /** Length of the filter of a row in bytes; 0 when it has none, which git treats as missing. */
  length(position: number): number {
    const number = this.numbers[position]! - 1
    if (number >= 0) return this.ends.at(number) - this.start(number)
    const previous = this.rows.previousPosition(position)
    return previous < 0 ? 0 : this.before!.filterLength(previous)
  }

  /** Passes the filter of a row to `put`. */
  copy(position: number, put: (bytes: Uint8Array, from: number, to: number) => void): void {
    const number = this.numbers[position]! - 1
    if (number >= 0) return put(this.bytes, this.start(number), this.ends.at(number))
    const previous = this.rows.previousPosition(position)
    if (previous < 0) return
    const from = this.before!.filterAt(previous)
    put(this.before!.raw, from, from + this.before!.filterLength(previous))
  }

  private start(number: number): number {
    return number === 0 ? 0 : this.ends.at(number - 1)
  }

  private add(position: number, filter: Uint8Array): void {
    const from = this.start(this.added)
    const to = from + filter.length
    if (to > this.bytes.length) this.bytes = growTable(this.rows.tables, this.bytes, to * 2)
    this.bytes.set(filter, from)
    this.ends.push(to)
    this.numbers[position] = this.ends.length
  }

  /** Ends the use of the filters. */
  release(): void {
    this.rows.tables.release(this.bytes)
    this.rows.tables.release(this.numbers)
    this.ends.release()
  }
}
