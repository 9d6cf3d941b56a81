/**
 * Compressed bitmaps, some of them stored as the XOR difference to an earlier one
 * (gitformat-bitmap, "XOR offset").
 */
import { xorInto } from './bits.ts'
import { HEAP_TABLES, type Tables } from '../store/tables.ts'
import { decodeEwah } from './ewah.ts'

/**
 * One bitmap, serialized at `at` in `bytes`. `xorBase` is the number of the bitmap that it differs
 * from, or -1.
 */
export type StoredBitmap = {
  readonly bytes: Uint8Array
  readonly at: number
  readonly xorBase: number
}

export class StoredBitmaps {
  readonly stored: StoredBitmap[] = []
  private readonly decoded = new Map<number, Uint32Array>()

  /** `words` is the length of every bitmap, `maxDecoded` the number of decoded ones in memory. */
  constructor(
    readonly words: number,
    private readonly maxDecoded: number,
    private readonly tables: Tables = HEAP_TABLES,
  ) {}

  /**
   * Returns the bitmap with this number. The result is shared: it must not be changed, and is valid
   * until the next call.
   */
  decode(index: number): Uint32Array {
    const cached = this.decoded.get(index)
    if (cached) {
      this.decoded.delete(index)
      this.decoded.set(index, cached)
      return cached
    }
    const chain: number[] = []
    let base: Uint32Array | undefined
    for (let i = index; i >= 0 && base === undefined; i = this.stored[i]!.xorBase) {
      base = this.decoded.get(i)
      if (base === undefined) chain.push(i)
    }
    const { tables, words } = this
    const bits = tables.allocate(Uint32Array, words)
    if (base !== undefined) bits.set(base)
    for (const i of chain.reverse()) {
      const { bytes, at } = this.stored[i]!
      const own = tables.allocate(Uint32Array, words)
      decodeEwah(bytes, at, own)
      xorInto(bits, own)
      tables.release(own)
    }
    this.remember(index, bits)
    return bits
  }

  /** Keeps a decoded bitmap, which then belongs to this object. */
  remember(index: number, bits: Uint32Array): void {
    this.decoded.set(index, bits)
    if (this.decoded.size <= this.maxDecoded) return
    for (const [oldest, unused] of this.decoded) {
      this.decoded.delete(oldest)
      this.tables.release(unused)
      break
    }
  }

  get decodedBytes(): number {
    return this.decoded.size * this.words * 4
  }
}
