/**
 * Marks objects of one pack, a bit each. Marks in pack order combine with the bitmaps of the pack.
 * Marks in index order need no reverse index, which takes 16 bytes for each object.
 */
import type { PackFile } from '../store/pack-file.ts'
import { bitWords, countBits, getBit, listBits, setBit } from './bits.ts'

export class PackMarks {
  constructor(
    readonly pack: PackFile,
    readonly order: 'pack' | 'index',
    /** One bit for each object, in that order. */
    readonly bits: Uint32Array,
  ) {}

  /** Makes marks of which none is set. */
  static none(pack: PackFile, order: PackMarks['order']): PackMarks {
    const bits = pack.tables.allocate(Uint32Array, bitWords(pack.index.count))
    return new PackMarks(pack, order, bits)
  }

  /** Number of marked objects. */
  get count(): number {
    return countBits(this.bits)
  }

  has(indexPos: number): boolean {
    return getBit(this.bits, this.bitOf(indexPos))
  }

  /** Marks an object. Returns whether it had no mark. */
  add(indexPos: number): boolean {
    const bit = this.bitOf(indexPos)
    if (getBit(this.bits, bit)) return false
    setBit(this.bits, bit)
    return true
  }

  /** Makes marks of the same pack and order of which none is set. */
  empty(): PackMarks {
    return PackMarks.none(this.pack, this.order)
  }

  copy(): PackMarks {
    return new PackMarks(this.pack, this.order, this.bits.slice())
  }

  /** Returns the pack positions of the marked objects, ascending; null when all are marked. */
  packPositions(): Uint32Array | null {
    const { pack, bits } = this
    if (this.count === pack.index.count) return null
    const list = listBits(bits, pack.tables)
    if (this.order === 'pack') return list
    const { reverseIndex } = pack
    for (let i = 0; i < list.length; i++) list[i] = reverseIndex.packPosOf(list[i]!)
    return list.sort()
  }

  private bitOf(indexPos: number): number {
    return this.order === 'pack' ? this.pack.reverseIndex.packPosOf(indexPos) : indexPos
  }
}
