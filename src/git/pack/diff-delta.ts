/**
 * Creates deltas: an object as copies from a base and inserted bytes (gitformat-pack, "Deltified
 * representation"). Blocks of the base are indexed by a rolling hash over the target, as in git's
 * diff-delta.c.
 */
const BLOCK_BYTES = 16
const HASH_FACTOR = 0x01000193
/**
 * HASH_FACTOR to the power of BLOCK_BYTES - 1. It removes the oldest byte from the rolling hash.
 */
const OLDEST_BYTE_FACTOR = power(HASH_FACTOR, BLOCK_BYTES - 1)
/**
 * Maximum number of blocks compared for one hash value. Repetitive content has many equal blocks,
 * which would make the search quadratic.
 */
const MAX_BLOCKS_COMPARED = 16
const MAX_COPY_BYTES = 0x10000
const MAX_INSERT_BYTES = 127

function power(base: number, exponent: number): number {
  let value = 1
  for (let i = 0; i < exponent; i++) value = Math.imul(value, base)
  return value
}

/**
 * Returns the delta from `base` to `target`, or null when it would exceed `limit` bytes. The common
 * prefix and suffix are found first, because most changes are small. Only the middle is searched
 * for blocks.
 */
export function createDelta(base: Buffer, target: Buffer, limit: number): Buffer | null {
  const shorter = Math.min(base.length, target.length)
  const head = commonLength(base, target, shorter, 0, 0, 1)
  const tail = commonLength(base, target, shorter - head, base.length, target.length, -1)
  const out = new DeltaWriter(base.length, target.length, limit)
  out.copy(0, head)
  new BlockIndex(base, head, base.length - tail).writeDelta(target, head, target.length - tail, out)
  out.copy(base.length - tail, tail)
  return out.overLimit ? null : out.finish()
}

/**
 * Returns the number of equal bytes from two positions on, forwards or backwards. A binary search
 * over native comparisons is faster than a loop over bytes.
 */
function commonLength(
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

const NO_MATCH = { from: 0, length: 0 }

/** Blocks of a range of the base, by their hash. */
class BlockIndex {
  private readonly heads: Int32Array
  private readonly next: Int32Array
  private readonly mask: number

  constructor(
    private readonly bytes: Buffer,
    private readonly start: number,
    private readonly end: number,
  ) {
    const blocks = Math.floor((end - start) / BLOCK_BYTES)
    // Four slots for each block: most positions of the target then meet an empty slot and need no
    // comparison.
    let slots = 64
    while (slots < blocks * 4) slots *= 2
    this.mask = slots - 1
    this.heads = new Int32Array(slots).fill(-1)
    this.next = new Int32Array(blocks)
    for (let block = blocks - 1; block >= 0; block--) {
      const slot = hashBlock(bytes, start + block * BLOCK_BYTES) & this.mask
      this.next[block] = this.heads[slot]!
      this.heads[slot] = block
    }
  }

  /** Writes the instructions that produce `target[at, size)` from these blocks. */
  writeDelta(target: Buffer, at: number, size: number, out: DeltaWriter): void {
    let pending = at
    let hash = at + BLOCK_BYTES <= size ? hashBlock(target, at) : 0
    while (at + BLOCK_BYTES <= size) {
      const found =
        this.heads[hash & this.mask]! < 0 ? NO_MATCH : this.longestMatch(target, at, size, hash)
      if (found.length < BLOCK_BYTES) {
        if (at + BLOCK_BYTES >= size) break
        hash =
          Math.imul(hash - Math.imul(target[at]!, OLDEST_BYTE_FACTOR), HASH_FACTOR) +
          target[at + BLOCK_BYTES]!
        at++
        continue
      }
      let { from, length } = found
      // Extends the match backwards into the bytes that would otherwise be inserted.
      while (at > pending && from > this.start && this.bytes[from - 1] === target[at - 1]) {
        from--
        at--
        length++
      }
      out.insert(target, pending, at)
      out.copy(from, length)
      if (out.overLimit) return
      at += length
      pending = at
      if (at + BLOCK_BYTES <= size) hash = hashBlock(target, at)
    }
    out.insert(target, pending, size)
  }

  private readonly found = { from: 0, length: 0 }

  private longestMatch(
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
      block >= 0 && tries < MAX_BLOCKS_COMPARED;
      block = this.next[block]!, tries++
    ) {
      const from = start + block * BLOCK_BYTES
      const length = matchLength(bytes, from, end, target, at, size)
      if (length > found.length) {
        found.from = from
        found.length = length
        if (length > 4096) break
      }
    }
    return found
  }
}

function hashBlock(bytes: Uint8Array, at: number): number {
  let hash = 0
  for (let i = 0; i < BLOCK_BYTES; i++) hash = Math.imul(hash, HASH_FACTOR) + bytes[at + i]!
  return hash | 0
}

function matchLength(
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
  overLimit = false

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
      const length = Math.min(MAX_INSERT_BYTES, to - from)
      if (this.at + 1 + length > this.limit) {
        this.overLimit = true
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
        this.overLimit = true
        return
      }
      const part = Math.min(MAX_COPY_BYTES, length)
      const opAt = this.at++
      let op = 0x80
      for (let i = 0, value = from; i < 4; i++, value = Math.floor(value / 256)) {
        const byte = value & 0xff
        if (byte === 0) continue
        op |= 1 << i
        this.bytes[this.at++] = byte
      }
      // The format encodes a copy of 65536 bytes as size 0.
      const size = part === MAX_COPY_BYTES ? 0 : part
      if (size & 0xff) {
        op |= 0x10
        this.bytes[this.at++] = size & 0xff
      }
      if (size >>> 8) {
        op |= 0x20
        this.bytes[this.at++] = size >>> 8
      }
      this.bytes[opAt] = op
      from += part
      length -= part
    }
  }

  finish(): Buffer {
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
