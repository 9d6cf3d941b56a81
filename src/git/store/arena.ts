/** A pack's objects in the arena: the slot of each by its offset in the pack. */
export type ArenaSlots = Map<number, number>

/**
 * A cache of inflated objects in one ring buffer. Writing wraps around and evicts what it
 * overwrites. Results are views into the ring, valid until the next `reserve`.
 */
export class Arena {
  readonly memory: Buffer
  /**
   * The entries in the order of their positions in memory: a queue in a ring of `capacity` slots.
   */
  private readonly keys: Float64Array
  private readonly owners: (ArenaSlots | null)[]
  private readonly starts: Uint32Array
  private readonly ends: Uint32Array
  private readonly types: Uint8Array
  private head = 0
  private count = 0
  private writeAt = 0
  private readonly capacity: number

  constructor(bytes: number) {
    this.memory = Buffer.allocUnsafeSlow(bytes)
    this.capacity = Math.max(1024, bytes >>> 9)
    this.keys = new Float64Array(this.capacity)
    this.owners = new Array<ArenaSlots | null>(this.capacity).fill(null)
    this.starts = new Uint32Array(this.capacity)
    this.ends = new Uint32Array(this.capacity)
    this.types = new Uint8Array(this.capacity)
  }

  /** Maximum size of a cached object. Larger objects are read into memory of their own. */
  get maxObjectBytes(): number {
    return this.memory.length >>> 3
  }

  /** Returns the slot of the object that `owner` has under `key`, or -1. */
  find(owner: ArenaSlots, key: number): number {
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
   * Frees `size` contiguous bytes outside [keepFrom, keepTo) and returns their position. `commit`
   * then adds the object.
   */
  reserve(size: number, keepFrom = 0, keepTo = 0): number {
    let from = this.writeAt
    for (let tries = 0; tries < 4; tries++) {
      if (from + size > this.memory.length) {
        this.evictRange(from, this.memory.length)
        from = 0
      }
      if (keepTo > keepFrom && from < keepTo && from + size > keepFrom) {
        this.evictRange(from, keepTo)
        from = keepTo
        continue
      }
      break
    }
    this.evictRange(from, from + size)
    this.writeAt = from
    return from
  }

  /**
   * Adds the object written at the position that `reserve` returned. `used` may be less than was
   * reserved.
   */
  commit(owner: ArenaSlots, key: number, type: number, from: number, used: number): void {
    this.writeAt = from + used
    if (used === 0) return
    if (this.count === this.capacity) this.evictOldest()
    const slot = (this.head + this.count) % this.capacity
    this.keys[slot] = key
    this.owners[slot] = owner
    this.starts[slot] = from
    this.ends[slot] = from + used
    this.types[slot] = type
    this.count++
    owner.set(key, slot)
  }

  private evictOldest(): void {
    const key = this.keys[this.head]!
    const owner = this.owners[this.head]
    if (owner && owner.get(key) === this.head) owner.delete(key)
    this.owners[this.head] = null
    this.head = (this.head + 1) % this.capacity
    this.count--
  }

  /**
   * Evicts the entries in a range. The oldest entries follow the write position, so evicting from
   * the head is enough.
   */
  private evictRange(from: number, to: number): void {
    while (this.count > 0) {
      const start = this.starts[this.head]!
      if (start >= to || this.ends[this.head]! <= from) return
      this.evictOldest()
    }
  }
}
