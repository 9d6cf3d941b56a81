import { growTable, HEAP_TABLES, type Tables } from './tables.ts'

/**
 * Numbers object ids from 0 in the order of their addition: a hash table over raw 20-byte ids that
 * creates no strings.
 */
export class OidMap {
  /** Five words for each id. */
  private words: Int32Array
  /** Number plus one of each slot. Zero means empty, so fresh memory needs no initialization. */
  private slots: Int32Array
  private mask: number
  size = 0
  /** Whether the last `add` added a new id. */
  added = false

  constructor(
    expected = 64,
    private readonly tables: Tables = HEAP_TABLES,
  ) {
    let slots = 128
    while (slots < expected * 2) slots *= 2
    this.slots = tables.allocate(Int32Array, slots)
    this.mask = slots - 1
    this.words = tables.allocate(Int32Array, Math.max(64, expected) * 5)
  }

  /** Returns the number of the id at `bytes[at, at + 20)`, or -1. */
  get(bytes: Uint8Array, at: number): number {
    const a = readWord(bytes, at)
    let slot = hashWord(a) & this.mask
    for (;;) {
      const index = this.slots[slot]! - 1
      if (index < 0) return -1
      if (this.words[index * 5] === a && this.same(index * 5, bytes, at)) return index
      slot = (slot + 1) & this.mask
    }
  }

  /** Returns the number of the id, which is added when it is new (`added`). */
  add(bytes: Uint8Array, at: number): number {
    const a = readWord(bytes, at)
    let slot = hashWord(a) & this.mask
    for (;;) {
      const index = this.slots[slot]! - 1
      if (index < 0) break
      if (this.words[index * 5] === a && this.same(index * 5, bytes, at)) {
        this.added = false
        return index
      }
      slot = (slot + 1) & this.mask
    }
    this.added = true
    const index = this.size++
    if (index * 5 >= this.words.length) this.growWords()
    const base = index * 5
    this.words[base] = a
    this.words[base + 1] = readWord(bytes, at + 4)
    this.words[base + 2] = readWord(bytes, at + 8)
    this.words[base + 3] = readWord(bytes, at + 12)
    this.words[base + 4] = readWord(bytes, at + 16)
    this.slots[slot] = index + 1
    if (this.size * 2 > this.slots.length) this.growSlots()
    return index
  }

  addHex(oid: string): number {
    return this.add(Buffer.from(oid, 'hex'), 0)
  }

  getHex(oid: string): number {
    return this.get(Buffer.from(oid, 'hex'), 0)
  }

  /** All ids by number, as a view that is valid until the next `add`. */
  get bytes(): Uint8Array {
    return new Uint8Array(this.words.buffer, 0, this.size * 20)
  }

  hex(index: number): string {
    return Buffer.from(this.words.buffer, index * 20, 20).toString('hex')
  }

  private same(base: number, bytes: Uint8Array, at: number): boolean {
    const words = this.words
    return (
      words[base + 1] === readWord(bytes, at + 4) &&
      words[base + 2] === readWord(bytes, at + 8) &&
      words[base + 3] === readWord(bytes, at + 12) &&
      words[base + 4] === readWord(bytes, at + 16)
    )
  }

  private growWords(): void {
    const length = Math.ceil((this.words.length * 3) / 10) * 5
    this.words = growTable(this.tables, this.words, length)
  }

  private growSlots(): void {
    const slots = this.tables.allocate(Int32Array, this.slots.length * 2)
    const mask = slots.length - 1
    for (let index = 0; index < this.size; index++) {
      let slot = hashWord(this.words[index * 5]!) & mask
      while (slots[slot]! > 0) slot = (slot + 1) & mask
      slots[slot] = index + 1
    }
    this.tables.release(this.slots)
    this.slots = slots
    this.mask = mask
  }
}

/** Random for each process, so that nobody can prepare ids that collide in this table. */
const HASH_SEED = crypto.getRandomValues(new Int32Array(1))[0]! | 1

const hashWord = (value: number): number => {
  const product = Math.imul(value ^ HASH_SEED, 0x9e3779b1)
  return (product ^ (product >>> 15)) >>> 0
}

const readWord = (bytes: Uint8Array, at: number): number =>
  bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
