/** Where objects of one pack went in the pack that is being written, by their rank. */
export class Written {
  /** The object is not to be sent. */
  static readonly ABSENT = -1
  static readonly NOT_YET = -2
  /** Its chain is being written. */
  static readonly STARTED = -3

  private readonly dense: Float64Array | null
  private readonly sparse: Map<number, number> | null

  constructor(ranks: Uint32Array, count: number) {
    if (ranks.length * 8 > count) {
      this.dense = new Float64Array(count).fill(Written.ABSENT)
      this.sparse = null
      for (let i = 0; i < ranks.length; i++) this.dense[ranks[i]!] = Written.NOT_YET
    } else {
      this.dense = null
      this.sparse = new Map()
      for (let i = 0; i < ranks.length; i++) this.sparse.set(ranks[i]!, Written.NOT_YET)
    }
  }

  get(rank: number): number {
    return this.dense === null ? (this.sparse!.get(rank) ?? Written.ABSENT) : this.dense[rank]!
  }

  set(rank: number, value: number): void {
    if (this.dense === null) this.sparse!.set(rank, value)
    else this.dense[rank] = value
  }
}
