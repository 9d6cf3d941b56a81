/** Offsets of one pack's objects in the pack that is being written, by pack position. */
export class WrittenOffsets {
  /** The object is not part of the new pack. */
  static readonly NOT_SELECTED = -1
  static readonly NOT_WRITTEN = -2
  /** The object waits for its base, which is being written. */
  static readonly IN_PROGRESS = -3

  private readonly dense: Float64Array | null
  private readonly sparse: Map<number, number> | null

  constructor(packPositions: Uint32Array, count: number) {
    if (packPositions.length * 8 > count) {
      this.dense = new Float64Array(count).fill(WrittenOffsets.NOT_SELECTED)
      this.sparse = null
      for (let i = 0; i < packPositions.length; i++)
        this.dense[packPositions[i]!] = WrittenOffsets.NOT_WRITTEN
    } else {
      this.dense = null
      this.sparse = new Map()
      for (let i = 0; i < packPositions.length; i++)
        this.sparse.set(packPositions[i]!, WrittenOffsets.NOT_WRITTEN)
    }
  }

  get(packPos: number): number {
    return this.dense === null
      ? (this.sparse!.get(packPos) ?? WrittenOffsets.NOT_SELECTED)
      : this.dense[packPos]!
  }

  set(packPos: number, value: number): void {
    if (this.dense === null) this.sparse!.set(packPos, value)
    else this.dense[packPos] = value
  }
}
