/** Packs with fewer objects are done before another thread knows of them. */
export const SHARE_FROM = 20_000

/** The columns of `Rows` as plain values. */
export type RowColumns = {
  readonly count: number
  readonly types: Uint8Array
  readonly offsets: Float64Array
  readonly sizes: Uint32Array
  readonly heads: Uint8Array
  readonly links: Int32Array
}

/** What the indexer knows of every entry of a pack, one row each in the order of the pack. */
export class Rows {
  count = 0
  /** Type code of the entry; for deltas OFS_DELTA or REF_DELTA until they are resolved. */
  types: Uint8Array
  offsets: Float64Array
  /** Inflated size of the entry's content. */
  sizes: Uint32Array
  /** Bytes before the compressed data. */
  heads: Uint8Array
  crcs: Uint32Array
  /** Row of the base for OFS_DELTA, number among `bases` for REF_DELTA, else -1. */
  links: Int32Array
  /** Number of the object's id in the indexer's `OidMap`; -1 while it is not known. */
  ids: Int32Array

  /** `expected` is what the header announces: memory that is not written to costs nothing. */
  constructor(expected: number) {
    const size = Math.max(16, expected)
    // Other threads read the columns of a large pack in place.
    const memory = (bytes: number) =>
      expected >= SHARE_FROM ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes)
    this.types = new Uint8Array(memory(size))
    this.offsets = new Float64Array(memory(size * 8))
    this.sizes = new Uint32Array(memory(size * 4))
    this.heads = new Uint8Array(memory(size))
    this.links = new Int32Array(memory(size * 4))
    this.crcs = new Uint32Array(size)
    this.ids = new Int32Array(size)
  }

  /** Rows as another thread sent them; nothing is known of their ids. */
  static of({ count, types, offsets, sizes, heads, links }: RowColumns): Rows {
    const rows = new Rows(0)
    Object.assign(rows, {
      count,
      types,
      offsets,
      sizes,
      heads,
      links,
      crcs: new Uint32Array(0),
      ids: new Int32Array(count).fill(-1),
    })
    return rows
  }

  /**
   * What another thread needs to resolve deltas: the memory is shared, each thread writes to its
   * own rows only.
   */
  get columns(): RowColumns {
    const { count, types, offsets, sizes, heads, links } = this
    return { count, types, offsets, sizes, heads, links }
  }

  add(type: number, offset: number, size: number, head: number, link: number): number {
    if (this.count === this.types.length) this.grow()
    const row = this.count++
    this.types[row] = type
    this.offsets[row] = offset
    this.sizes[row] = size
    this.heads[row] = head
    this.links[row] = link
    this.ids[row] = -1
    return row
  }

  /** The row whose entry starts at an offset, or -1. */
  find(offset: number): number {
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
    this.heads = grown(this.heads, new Uint8Array(size))
    this.crcs = grown(this.crcs, new Uint32Array(size))
    this.links = grown(this.links, new Int32Array(size))
    this.ids = grown(this.ids, new Int32Array(size))
  }
}
