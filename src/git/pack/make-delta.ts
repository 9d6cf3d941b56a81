/**
 * Describes one object as copies from another and insertions (gitformat-pack, "Deltified
 * representation"): blocks of the base are indexed by a hash that can be rolled over the target, as
 * git's diff-delta does.
 */
const BLOCK = 16
const FACTOR = 0x01000193
/** FACTOR to the power of BLOCK - 1, for taking the oldest byte out. */
const OLDEST = power(FACTOR, BLOCK - 1)
/** Blocks with one hash that are looked at; repetitive content would make it slow otherwise. */
const MAX_TRIES = 16
const MAX_COPY = 0x10000
const MAX_INSERT = 127

function power(base: number, exponent: number): number {
  let value = 1
  for (let i = 0; i < exponent; i++) value = Math.imul(value, base)
  return value
}

/**
 * The delta that makes `target` of `base`, or null when it would take more than `limit` bytes. What
 * the two have in common at both ends is found first: most changes are small, and only what lies
 * between is searched for blocks.
 */
export function makeDelta(base: Buffer, target: Buffer, limit: number): Buffer | null {
  const shorter = Math.min(base.length, target.length)
  const head = agreeing(base, target, shorter, 0, 0, 1)
  const tail = agreeing(base, target, shorter - head, base.length, target.length, -1)
  const out = new DeltaWriter(base.length, target.length, limit)
  out.copy(0, head)
  new Blocks(base, head, base.length - tail).search(target, head, target.length - tail, out)
  out.copy(base.length - tail, tail)
  return out.full ? null : out.done()
}

/**
 * How many bytes agree from two places on, forwards or backwards: halves are compared in native
 * code.
 */
function agreeing(
  a: Buffer,
  b: Buffer,
  length: number,
  aAt: number,
  bAt: number,
  way: 1 | -1,
): number {
  let low = 0
  let high = length
  while (low < high) {
    const mid = (low + high + 1) >>> 1
    const same =
      way > 0
        ? a.compare(b, bAt + low, bAt + mid, aAt + low, aAt + mid) === 0
        : a.compare(b, bAt - mid, bAt - low, aAt - mid, aAt - low) === 0
    if (same) low = mid
    else high = mid - 1
  }
  return low
}

const NOTHING = { from: 0, length: 0 }

/** The blocks of a part of the base, by their hashes. */
class Blocks {
  private readonly heads: Int32Array
  private readonly next: Int32Array
  private readonly mask: number

  constructor(
    private readonly bytes: Buffer,
    private readonly start: number,
    private readonly end: number,
  ) {
    const blocks = Math.floor((end - start) / BLOCK)
    // Many more slots than blocks: most places of the target then have none to be compared with.
    let slots = 64
    while (slots < blocks * 4) slots *= 2
    this.mask = slots - 1
    this.heads = new Int32Array(slots).fill(-1)
    this.next = new Int32Array(blocks)
    for (let block = blocks - 1; block >= 0; block--) {
      const slot = hashAt(bytes, start + block * BLOCK) & this.mask
      this.next[block] = this.heads[slot]!
      this.heads[slot] = block
    }
  }

  /** Writes what makes `target[at, size)` of these blocks. */
  search(target: Buffer, at: number, size: number, out: DeltaWriter): void {
    let pending = at
    let hash = at + BLOCK <= size ? hashAt(target, at) : 0
    while (at + BLOCK <= size) {
      const found =
        this.heads[hash & this.mask]! < 0 ? NOTHING : this.longest(target, at, size, hash)
      if (found.length < BLOCK) {
        if (at + BLOCK >= size) break
        hash = Math.imul(hash - Math.imul(target[at]!, OLDEST), FACTOR) + target[at + BLOCK]!
        at++
        continue
      }
      let { from, length } = found
      // What was to be inserted may belong to the same stretch of the base.
      while (at > pending && from > this.start && this.bytes[from - 1] === target[at - 1]) {
        from--
        at--
        length++
      }
      out.insert(target, pending, at)
      out.copy(from, length)
      if (out.full) return
      at += length
      pending = at
      if (at + BLOCK <= size) hash = hashAt(target, at)
    }
    out.insert(target, pending, size)
  }

  private readonly found = { from: 0, length: 0 }

  private longest(
    target: Buffer,
    at: number,
    size: number,
    hash: number,
  ): { from: number; length: number } {
    const { found, bytes, start, end } = this
    found.length = 0
    let tries = 0
    for (
      let block = this.heads[hash & this.mask]!;
      block >= 0 && tries < MAX_TRIES;
      block = this.next[block]!, tries++
    ) {
      const from = start + block * BLOCK
      const length = matching(bytes, from, end, target, at, size)
      if (length > found.length) {
        found.from = from
        found.length = length
        if (length > 4096) break
      }
    }
    return found
  }
}

function hashAt(bytes: Uint8Array, at: number): number {
  let hash = 0
  for (let i = 0; i < BLOCK; i++) hash = Math.imul(hash, FACTOR) + bytes[at + i]!
  return hash | 0
}

function matching(
  base: Uint8Array,
  from: number,
  end: number,
  target: Uint8Array,
  at: number,
  size: number,
): number {
  const limit = Math.min(end - from, size - at)
  let length = 0
  while (length < limit && base[from + length] === target[at + length]) length++
  return length
}

class DeltaWriter {
  private readonly bytes: Buffer
  private at = 0
  full = false

  constructor(
    base: number,
    result: number,
    private readonly limit: number,
  ) {
    this.bytes = Buffer.allocUnsafe(limit + 32)
    this.size(base)
    this.size(result)
  }

  insert(target: Buffer, from: number, to: number): void {
    while (from < to) {
      const length = Math.min(MAX_INSERT, to - from)
      if (this.at + 1 + length > this.limit) {
        this.full = true
        return
      }
      this.bytes[this.at++] = length
      target.copy(this.bytes, this.at, from, from + length)
      this.at += length
      from += length
    }
  }

  copy(from: number, length: number): void {
    while (length > 0) {
      if (this.at + 8 > this.limit) {
        this.full = true
        return
      }
      const part = Math.min(MAX_COPY, length)
      const place = this.at++
      let op = 0x80
      for (let i = 0, value = from; i < 4; i++, value = Math.floor(value / 256)) {
        const byte = value & 0xff
        if (byte === 0) continue
        op |= 1 << i
        this.bytes[this.at++] = byte
      }
      // A size of 65536 is written as none at all.
      const size = part === MAX_COPY ? 0 : part
      if (size & 0xff) {
        op |= 0x10
        this.bytes[this.at++] = size & 0xff
      }
      if (size >>> 8) {
        op |= 0x20
        this.bytes[this.at++] = size >>> 8
      }
      this.bytes[place] = op
      from += part
      length -= part
    }
  }

  done(): Buffer {
    return this.bytes.subarray(0, this.at)
  }

  private size(value: number): void {
    do {
      const rest = Math.floor(value / 128)
      this.bytes[this.at++] = (value % 128) | (rest > 0 ? 0x80 : 0)
      value = rest
    } while (value > 0)
  }
}
