/**
 * Texts of chunks for searching, with one character per byte (latin1). Decoding costs nothing, and
 * ASCII matches as it is. Displayed text and terms in other scripts are read as UTF-8.
 */
import type { DatabaseHandle } from '#core/db.ts'
import { createCache } from '#lib/cache.ts'
import { decodeBytes } from './chunks.ts'
import { findChunk } from './store-queries.ts'

/** For each thread. */
const MAX_CACHE_BYTES = 64 * 1024 * 1024
/**
 * Every search reads the texts in the same order, so an LRU cache would always evict what is needed
 * next. When the cache is full, only one text in so many is added.
 */
const ADMIT_ONE_IN = 8

/** The texts of one thread's index. */
export class ChunkTexts {
  /** By chunk id, which is never reused. */
  readonly #cache = createCache<string>({
    maxSize: MAX_CACHE_BYTES,
    sizeOf: (text) => text.length + 100,
  })
  #bytesRead = 0
  #reads = 0

  constructor(private readonly db: DatabaseHandle) {}

  /** Reads a chunk with one character per byte. */
  readBytes(chunk: number): string {
    const cached = this.#cache.get(String(chunk))
    if (cached !== undefined) return cached
    const packed = findChunk(this.db, chunk)
    const text = packed === null ? '' : Bun.zstdDecompressSync(packed).toString('latin1')
    this.#bytesRead += text.length
    if (this.#bytesRead < MAX_CACHE_BYTES || ++this.#reads % ADMIT_ONE_IN === 0)
      this.#cache.set(String(chunk), text)
    return text
  }

  /** Reads a chunk as UTF-8. */
  readText(chunk: number): string {
    return decodeBytes(this.readBytes(chunk))
  }
}
