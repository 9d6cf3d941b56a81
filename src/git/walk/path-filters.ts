/**
 * Changed-path filters of a new commit-graph: those of the previous file, and a limited number of
 * new ones.
 */
import type { CommitGraph } from '../store/commit-graph.ts'
import type { CommitGraphRows } from './commit-graph-rows.ts'

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
  private bytes = new Uint8Array(1 << 16)
  private readonly ends: number[] = []
  /** Number of the new filter by position, plus one. */
  private readonly numbers: Int32Array

  private constructor(
    private readonly rows: CommitGraphRows,
    private readonly before: CommitGraph | null,
    /** Number of commits whose filter is left for a later run. */
    readonly remaining: number,
  ) {
    this.numbers = new Int32Array(rows.count)
  }

  /** Computes filters of the latest commits that have none, and pauses regularly. */
  static *compute(
    rows: CommitGraphRows,
    before: CommitGraph | null,
    build: BuildFilter,
    maxNew: number = Math.max(MIN_NEW_FILTERS, Math.floor(rows.count * NEW_SHARE)),
  ): Generator<'pause', PathFilters, unknown> {
    const missing = new Uint32Array(rows.count)
    let count = 0
    yield* rows.forEach((position) => {
      const previous = rows.previousPosition(position)
      if (previous < 0 || before!.filterLength(previous) === 0) missing[count++] = position
    })
    const chosen = latest(rows, missing.subarray(0, count), maxNew)
    const filters = new PathFilters(rows, before, count - chosen.length)
    for (const [i, position] of chosen.entries()) {
      const hasParent = rows.parentCount(position) > 0
      const parentTree = hasParent ? rows.treeOid(rows.parent(position, 0)) : null
      filters.add(position, build(parentTree, rows.treeOid(position)))
      if (i % 16 === 15) yield 'pause'
    }
    return filters
  }

  /** Number of new filters. */
  get added(): number {
    return this.ends.length
  }

  /** Length of the filter of a row in bytes; 0 when it has none, which git treats as missing. */
  length(position: number): number {
    const number = this.numbers[position]! - 1
    if (number >= 0) return this.ends[number]! - this.start(number)
    const previous = this.rows.previousPosition(position)
    return previous < 0 ? 0 : this.before!.filterLength(previous)
  }

  /** Passes the filter of a row to `put`. */
  copy(position: number, put: (bytes: Uint8Array, from: number, to: number) => void): void {
    const number = this.numbers[position]! - 1
    if (number >= 0) return put(this.bytes, this.start(number), this.ends[number]!)
    const previous = this.rows.previousPosition(position)
    if (previous < 0) return
    const from = this.before!.filterAt(previous)
    put(this.before!.raw, from, from + this.before!.filterLength(previous))
  }

  private start(number: number): number {
    return number === 0 ? 0 : this.ends[number - 1]!
  }

  private add(position: number, filter: Uint8Array): void {
    const from = this.ends.at(-1) ?? 0
    const to = from + filter.length
    if (to > this.bytes.length) {
      const grown = new Uint8Array(to * 2)
      grown.set(this.bytes)
      this.bytes = grown
    }
    this.bytes.set(filter, from)
    this.numbers[position] = this.ends.push(to)
  }
}

/** Returns the latest `max` of these rows, latest first, because most queries concern them. */
function latest(rows: CommitGraphRows, positions: Uint32Array, max: number): Uint32Array {
  const times = new Float64Array(positions.length)
  for (let i = 0; i < times.length; i++) times[i] = rows.time(positions[i]!)
  const oldest = times.sort()[Math.max(0, times.length - max)] ?? 0
  const chosen = positions.filter((position) => rows.time(position) >= oldest)
  return chosen.sort((a, b) => rows.time(b) - rows.time(a)).subarray(0, max)
}
