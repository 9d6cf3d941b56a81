/** Where a pack finds its own objects: the slot of each by its offset. */
export type Owner = Map<number, number>

/**
 * A cache of inflated objects in one ring of memory: writing goes round, what is written over is
 * forgotten. Results are views, valid until the next object is put.
 */
export class Arena {
  readonly memory: Buffer
  /** The entries in the order of their places: a queue in a ring of `capacity` slots. */
  private readonly keys: Float64Array
  private readonly owners: (Owner | null)[]
  private readonly starts: Uint32Array
  private readonly ends: Uint32Array
  private readonly types: Uint8Array
  private head = 0
  private count = 0
  private at = 0
  private readonly slots: number

  constructor(bytes: number) {
    this.memory = Buffer.allocUnsafeSlow(bytes)
    this.slots = Math.max(1024, bytes >>> 9)
    this.keys = new Float64Array(this.slots)
    this.owners = new Array<Owner | null>(this.slots).fill(null)
    this.starts = new Uint32Array(this.slots)
    this.ends = new Uint32Array(this.slots)
    this.types = new Uint8Array(this.slots)
  }

  /** The largest object that is kept here; larger ones get memory of their own. */
  get largest(): number {
    return this.memory.length >>> 3
  }

  /** The slot of the object that `owner` keeps under `key`, or -1. */
  find(owner: Owner, key: number): number {
    return owner.get(key) ?? -1
  }

  start(slot: number): number {
    return this.starts[slot]!
  }

  end(slot: number): number {
    return this.ends[slot]!
  }

  type(slot: number): number {
    return this.types[slot]!
  }

  /**
   * Makes room for `size` bytes outside of [keepFrom, keepTo) and gives where they go; `commit`
   * names them.
   */
  reserve(size: number, keepFrom = 0, keepTo = 0): number {
    let from = this.at
    for (let tries = 0; tries < 4; tries++) {
      if (from + size > this.memory.length) {
        this.forget(from, this.memory.length)
        from = 0
      }
      if (keepTo > keepFrom && from < keepTo && from + size > keepFrom) {
        this.forget(from, keepTo)
        from = keepTo
        continue
      }
      break
    }
    this.forget(from, from + size)
    this.at = from
    return from
  }

  /**
   * Records what was written at the place that `reserve` gave. `used` may be less than was
   * reserved.
   */
  commit(owner: Owner, key: number, type: number, from: number, used: number): void {
    this.at = from + used
    if (used === 0) return
    if (this.count === this.slots) this.drop()
    const slot = (this.head + this.count) % this.slots
    this.keys[slot] = key
    this.owners[slot] = owner
    this.starts[slot] = from
    this.ends[slot] = from + used
    this.types[slot] = type
    this.count++
    owner.set(key, slot)
  }

  private drop(): void {
    const key = this.keys[this.head]!
    const owner = this.owners[this.head]
    if (owner && owner.get(key) === this.head) owner.delete(key)
    this.owners[this.head] = null
    this.head = (this.head + 1) % this.slots
    this.count--
  }

  /** The oldest entries lie right after the writing place: dropping from the front is enough. */
  private forget(from: number, to: number): void {
    while (this.count > 0) {
      const start = this.starts[this.head]!
      if (start >= to || this.ends[this.head]! <= from) return
      this.drop()
    }
  }
}
