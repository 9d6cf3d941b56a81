/**
 * EWAH-compressed bit sets as in git's `.bitmap` files (gitformat-bitmap, "Appendix A:
 * Serialization format for an EWAH bitmap"): runs of equal words and literal words of 64 bits, all
 * big-endian.
 */
import { GitError } from '../ports.ts'
import { be32 } from '../store/pack-index.ts'

/** Maximum number of literal words of one marker: 31 bits. */
const MAX_LITERALS = 0x7fffffff

const corruptBitmap = () => new GitError('corrupt', 'a bitmap is malformed')

/**
 * Returns the bytes of the serialized set at `at`. Throws GitError `corrupt` when it exceeds the
 * file.
 */
export function ewahSize(bytes: Uint8Array, at: number): number {
  if (at + 12 > bytes.length) throw corruptBitmap()
  const size = 12 + be32(bytes, at + 4) * 8
  if (at + size > bytes.length) throw corruptBitmap()
  return size
}

/**
 * Decodes the set at `at` into 32-bit words. `out` must be zero and has the maximum length of the
 * set.
 */
export function decodeEwah(bytes: Uint8Array, at: number, out: Uint32Array): void {
  const words = be32(bytes, at + 4)
  let from = at + 8
  const end = from + words * 8
  let to = 0
  while (from < end) {
    const high = be32(bytes, from)
    const low = be32(bytes, from + 4)
    from += 8
    // Bit 0 is the run's value, bits 1 to 32 its length in words, bits 33 to 63 the number of
    // literals.
    const run = ((low >>> 1) | ((high & 1) << 31)) >>> 0
    const literals = high >>> 1
    if (to + (run + literals) * 2 > out.length || from + literals * 8 > end) throw corruptBitmap()
    if (low & 1) out.fill(0xffffffff, to, to + run * 2)
    to += run * 2
    for (let i = 0; i < literals; i++) {
      out[to + 1] = be32(bytes, from)
      out[to] = be32(bytes, from + 4)
      to += 2
      from += 8
    }
  }
}

/** Bytes around the words of a serialized set: its numbers of bits and words, and the last marker. */
const FRAME_BYTES = 12

/** Bytes that a serialized set of `count` bits takes at most: no word is compressed. */
export const maxEwahBytes = (count: number): number => FRAME_BYTES + (Math.ceil(count / 64) + 1) * 8

/** Serializes a set of `count` bits to the beginning of `out`. Returns the length in bytes. */
export function encodeEwah(bits: Uint32Array, count: number, out: Uint8Array): number {
  const total = Math.ceil(count / 64)
  let to = 8
  let marker = 0
  let at = 0
  do {
    const value = at < total ? uniformValue(bits, at) : -1
    const runStart = at
    if (value >= 0)
      while (at < total && at - runStart < 0xffffffff && uniformValue(bits, at) === value) at++
    const run = at - runStart
    const start = at
    while (at < total && at - start < MAX_LITERALS && uniformValue(bits, at) < 0) at++
    const literals = at - start
    marker = (to - 8) / 8
    to = putBe32(out, to, (literals << 1) | (run >>> 31))
    to = putBe32(out, to, (run << 1) | (value === 1 ? 1 : 0))
    for (let i = start; i < at; i++) {
      to = putBe32(out, to, bits[i * 2 + 1]!)
      to = putBe32(out, to, bits[i * 2]!)
    }
  } while (at < total)
  putBe32(out, 0, count)
  putBe32(out, 4, (to - 8) / 8)
  return putBe32(out, to, marker)
}

/** Writes a number of 32 bits. Returns the position after it. */
function putBe32(out: Uint8Array, at: number, value: number): number {
  out[at] = value >>> 24
  out[at + 1] = value >>> 16
  out[at + 2] = value >>> 8
  out[at + 3] = value
  return at + 4
}

/** Returns 0 or 1 when all bits of a 64-bit word are equal, else -1. */
function uniformValue(bits: Uint32Array, word: number): number {
  const low = bits[word * 2]!
  const high = bits[word * 2 + 1] ?? 0
  return low === 0 && high === 0 ? 0 : low === 0xffffffff && high === 0xffffffff ? 1 : -1
}
