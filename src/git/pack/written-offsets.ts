import type { ReverseIndex } from '../store/reverse-index.ts'
import type { Tables } from '../store/tables.ts'

/** Offsets of one pack's objects in the pack that is being written, by pack position. */
export class WrittenOffsets {
  /** The object is not part of the new pack. */
  static readonly NOT_SELECTED = -1
  static readonly NOT_WRITTEN = -2
  /** The object waits for its base, which is being written. */
  static readonly IN_PROGRESS = -3

  private readonly dense: Float64Array | null
  private readonly sparse: Map<number, number> | null

  /**
   * The selected positions; null for a pack that is copied as a whole to the beginning of the new
   * one, so that the offsets are its own.
   */
  constructor(
    packPositions: Uint32Array | null,
    private readonly reverseIndex: ReverseIndex,
    tables: Tables,
  ) {
    this.dense = null
    this.sparse = null
    if (packPositions === null) return
    const { count } = reverseIndex
    if (packPositions.length * 8 > count) {
      this.dense = tables.allocate(Float64Array, count).fill(WrittenOffsets.NOT_SELECTED)
      for (let i = 0; i < packPositions.length; i++)
        this.dense[packPositions[i]!] = WrittenOffsets.NOT_WRITTEN
    } else {
      this.sparse = new Map()
      for (let i = 0; i < packPositions.length; i++)
        this.sparse.set(packPositions[i]!, WrittenOffsets.NOT_WRITTEN)
    }
  }

  get(packPos: number): number {
    if (this.dense !== null) return this.dense[packPos]!
    if (this.sparse !== null) return this.sparse.get(packPos) ?? WrittenOffsets.NOT_SELECTED
    return this.reverseIndex.offsetAt(packPos)
  }

  set(packPos: number, value: number): void {
    if (this.dense !== null) this.dense[packPos] = value
    else this.sparse!.set(packPos, value)
  }
}
