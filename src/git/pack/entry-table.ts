/** Smaller packs are resolved on one thread: distributing them takes longer than the work. */
export const MIN_SHARED_OBJECTS = 20_000

/** The columns of an `EntryTable` as plain values, for messages to other threads. */
export type EntryColumns = {
  readonly count: number
  readonly types: Uint8Array
  readonly offsets: Float64Array
  readonly sizes: Uint32Array
  readonly headerLengths: Uint8Array
  readonly links: Int32Array
}

/** What the indexer knows of each entry of a pack: one row an entry, in pack order. */
export class EntryTable {
  count = 0
  /** Type code of the entry. Deltas have OFS_DELTA or REF_DELTA until they are resolved. */
  types: Uint8Array
  offsets: Float64Array
  /** Inflated size of the entry's data, in bytes. */
  sizes: Uint32Array
  /** Length of the entry's header, in bytes. */
  headerLengths: Uint8Array
  crcs: Uint32Array
  /** Row of the base for OFS_DELTA; number of the base id for REF_DELTA; else -1. */
  links: Int32Array
  /** Number of the object's id in the indexer's `OidMap`; -1 while it is unknown. */
  ids: Int32Array

  /**
   * `expected` is the count in the pack header. An untouched page of memory costs nothing, so a
   * wrong count does no harm.
   */
  constructor(expected: number) {
    const size = Math.max(16, expected)
    // Other threads read the columns of a large pack in place.
    const memory = (bytes: number) =>
      expected >= MIN_SHARED_OBJECTS ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes)
    this.types = new Uint8Array(memory(size))
    this.offsets = new Float64Array(memory(size * 8))
    this.sizes = new Uint32Array(memory(size * 4))
    this.headerLengths = new Uint8Array(memory(size))
    this.links = new Int32Array(memory(size * 4))
    this.crcs = new Uint32Array(size)
    this.ids = new Int32Array(size)
  }

  /** Creates a table from the columns that another thread sent. All ids are unknown. */
  static fromColumns({
    count,
    types,
    offsets,
    sizes,
    headerLengths,
    links,
  }: EntryColumns): EntryTable {
    const rows = new EntryTable(0)
    Object.assign(rows, {
      count,
      types,
      offsets,
      sizes,
      headerLengths,
      links,
      crcs: new Uint32Array(0),
      ids: new Int32Array(count).fill(-1),
    })
    return rows
  }

  /**
   * The columns that another thread needs to resolve deltas. The memory is shared, and each thread
   * writes only to its own rows.
   */
  get columns(): EntryColumns {
    const { count, types, offsets, sizes, headerLengths, links } = this
    return { count, types, offsets, sizes, headerLengths, links }
  }

  add(type: number, offset: number, size: number, headerLength: number, link: number): number {
    if (this.count === this.types.length) this.grow()
    const row = this.count++
    this.types[row] = type
    this.offsets[row] = offset
    this.sizes[row] = size
    this.headerLengths[row] = headerLength
    this.links[row] = link
    this.ids[row] = -1
    return row
  }

  /** Returns the row whose entry starts at an offset, or -1. */
  findByOffset(offset: number): number {
    let low = 0
    let high = this.count
    while (low < high) {
      const mid = (low + high) >>> 1
      if (this.offsets[mid]! < offset) low = mid + 1
      else high = mid
    }
    return low < this.count && this.offsets[low] === offset ? low : -1
  }

  private grow(): void {
    const size = Math.ceil(this.types.length * 1.25) + 16
    const grown = <T extends Uint8Array | Uint32Array | Int32Array | Float64Array>(
      from: T,
      to: T,
    ): T => {
      to.set(from)
      return to
    }
    this.types = grown(this.types, new Uint8Array(size))
    this.offsets = grown(this.offsets, new Float64Array(size))
    this.sizes = grown(this.sizes, new Uint32Array(size))
    this.headerLengths = grown(this.headerLengths, new Uint8Array(size))
    this.crcs = grown(this.crcs, new Uint32Array(size))
    this.links = grown(this.links, new Int32Array(size))
    this.ids = grown(this.ids, new Int32Array(size))
  }
}
