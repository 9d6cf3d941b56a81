/**
 * The similarity of two blobs on git's scale (`diffcore-delta`). Content is split into pieces
 * (lines, or 64 bytes of longer ones) and each is hashed. The score is the share of the larger file
 * whose pieces occur in the other.
 */
import { isBinary } from './lines.ts'

export const MAX_SCORE = 60000
/** 50 percent, git's threshold for a rename. */
export const RENAME_SCORE = 30000

/** Number of hash values; a prime. */
const HASHES = 107927
const PIECE = 64

/** The pieces of one blob: distinct hashes in ascending order, with the bytes of each. */
export type Fingerprint = {
  readonly size: number
  readonly hashes: Int32Array
  readonly bytes: Int32Array
}

/** Bytes per hash value while a blob is read; cleared after each blob. */
const tally = new Float64Array(HASHES)

export function fingerprint(data: Uint8Array): Fingerprint {
  const text = !isBinary(data)
  const touched: number[] = []
  let low = 0
  let high = 0
  let length = 0
  for (let i = 0; i < data.length; i++) {
    const byte = data[i] as number
    if (text && byte === 0x0d && data[i + 1] === 0x0a) continue
    const before = low
    low = ((low << 7) ^ (high >>> 25)) >>> 0
    high = ((high << 7) ^ (before >>> 25)) >>> 0
    low = (low + byte) >>> 0
    if (++length < PIECE && byte !== 0x0a) continue
    const hash = ((low + Math.imul(high, 0x61)) >>> 0) % HASHES
    if (tally[hash] === 0) touched.push(hash)
    tally[hash]! += length
    low = high = length = 0
  }
  const hashes = Int32Array.from(touched).sort()
  const bytes = hashes.map((hash) => tally[hash] as number)
  for (const hash of touched) tally[hash] = 0
  return { size: data.length, hashes, bytes }
}

/** Whether the sizes alone exclude a score of at least `least`. */
export function tooDifferent(a: number, b: number, least: number): boolean {
  const larger = Math.max(a, b)
  return larger * (MAX_SCORE - least) < Math.abs(a - b) * MAX_SCORE
}

/** From 0 to MAX_SCORE. */
export function similarity(a: Fingerprint, b: Fingerprint): number {
  if (b.size === 0) return 0
  let copied = 0
  let j = 0
  for (let i = 0; i < a.hashes.length; i++) {
    const hash = a.hashes[i] as number
    while (j < b.hashes.length && (b.hashes[j] as number) < hash) j++
    if (j < b.hashes.length && b.hashes[j] === hash)
      copied += Math.min(a.bytes[i] as number, b.bytes[j] as number)
  }
  return Math.floor((copied * MAX_SCORE) / Math.max(a.size, b.size))
}

/** The score as the percentage that git prints. */
export const scorePercent = (score: number): number => Math.floor((score * 100) / MAX_SCORE)
