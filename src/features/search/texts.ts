/**
 * Texts of chunks as they are looked through: one character for each byte, which costs nothing to
 * make, and in which letters, digits and signs of ASCII are found as they are. What people are
 * shown, and what is looked for in other scripts, is read as UTF-8.
 */
import type { DatabaseHandle } from '#core/db.ts'
import { createCache } from '#lib/cache.ts'
import { asText } from './chunks.ts'
import { findChunk } from './store-find.ts'

/** Of each thread, in bytes. */
const KEPT = 64 * 1024 * 1024
/**
 * Each question goes through the texts in the same order, so keeping the last ones would keep what
 * is asked for last again. When all is taken, one text in so many is let in.
 */
const LET_IN = 8

/** By the id of the chunk, which is never used again. */
const kept = createCache<string>({ maxSize: KEPT, sizeOf: (text) => text.length + 100 })
let taken = 0
let turn = 0

const unpacked = (db: DatabaseHandle, chunk: number): Buffer | null => {
  const packed = findChunk(db, chunk)
  return packed === null ? null : Bun.zstdDecompressSync(packed)
}

/** One character for each byte. */
export function bytesOf(db: DatabaseHandle, chunk: number): string {
  const known = kept.get(String(chunk))
  if (known !== undefined) return known
  const text = unpacked(db, chunk)?.toString('latin1') ?? ''
  taken += text.length
  if (taken < KEPT || ++turn % LET_IN === 0) kept.set(String(chunk), text)
  return text
}

/** The text of a chunk. */
export const textOf = (db: DatabaseHandle, chunk: number): string => asText(bytesOf(db, chunk))
