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
    this.types = new Uint8Array(size)
    this.offsets = new Float64Array(size)
    this.sizes = new Uint32Array(size)
    this.heads = new Uint8Array(size)
    this.crcs = new Uint32Array(size)
    this.links = new Int32Array(size)
    this.ids = new Int32Array(size)
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
    const grown = <T extends Uint8Array | Uint32Array | Int32Array | Float64Array>(from: T, to: T): T => {
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
