/**
 * Compressed sets, some stored as the difference to an earlier one (gitformat-bitmap, "XOR
 * offset").
 */
import { xorInto } from './bits.ts'
import { decodeEwah } from './ewah.ts'

/**
 * One set: serialized at `at` in `bytes`; `base` is the number of the set that it differs from, or
 * -1.
 */
export type StoredSet = { readonly bytes: Uint8Array; readonly at: number; readonly base: number }

export class BitmapSets {
  readonly sets: StoredSet[] = []
  private readonly kept = new Map<number, Uint32Array>()

  /** `words` is the length of every set, `limit` how many decoded ones are kept. */
  constructor(
    readonly words: number,
    private readonly limit: number,
  ) {}

  /** The set with this number; not to be changed. */
  decode(index: number): Uint32Array {
    const have = this.kept.get(index)
    if (have) {
      this.kept.delete(index)
      this.kept.set(index, have)
      return have
    }
    const chain: number[] = []
    let base: Uint32Array | undefined
    for (let i = index; i >= 0 && base === undefined; i = this.sets[i]!.base) {
      base = this.kept.get(i)
      if (base === undefined) chain.push(i)
    }
    const bits = base === undefined ? new Uint32Array(this.words) : base.slice()
    for (const i of chain.reverse()) {
      const { bytes, at } = this.sets[i]!
      const own = new Uint32Array(this.words)
      decodeEwah(bytes, at, own)
      xorInto(bits, own)
    }
    this.keep(index, bits)
    return bits
  }

  keep(index: number, bits: Uint32Array): void {
    this.kept.set(index, bits)
    if (this.kept.size > this.limit) this.kept.delete(this.kept.keys().next().value!)
  }

  get keptBytes(): number {
    return this.kept.size * this.words * 4
  }
}
