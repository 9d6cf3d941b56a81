/**
 * Compressed bitmaps, some of them stored as the XOR difference to an earlier one
 * (gitformat-bitmap, "XOR offset").
 */
import { xorInto } from './bits.ts'
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
  ) {}

  /** Returns the bitmap with this number. The result is shared and must not be changed. */
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
    const bits = base === undefined ? new Uint32Array(this.words) : base.slice()
    for (const i of chain.reverse()) {
      const { bytes, at } = this.stored[i]!
      const own = new Uint32Array(this.words)
      decodeEwah(bytes, at, own)
      xorInto(bits, own)
    }
    this.remember(index, bits)
    return bits
  }

  remember(index: number, bits: Uint32Array): void {
    this.decoded.set(index, bits)
    if (this.decoded.size > this.maxDecoded) this.decoded.delete(this.decoded.keys().next().value!)
  }

  get decodedBytes(): number {
    return this.decoded.size * this.words * 4
  }
}
