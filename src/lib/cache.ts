/**
 * Caches: bounded memory for results that can be computed again. The least recently used entries
 * leave first. All caches of a forge share one budget in bytes.
 */
import { LRUCache } from 'lru-cache'

export type Cache<V> = {
  get(key: string): V | undefined
  set(key: string, value: V): void
  delete(key: string): void
  clear(): void
  readonly size: number
}

export type CacheOptions<V> = {
  /** The maximum sum of sizes, in the unit of `sizeOf`. */
  maxSize: number
  /** The size of one value, at least 1. A value larger than `maxSize` is not cached. */
  sizeOf: (value: V) => number
}

/** One cache of a budget, as `/metrics` reports it. */
export type CacheReport = {
  readonly name: string
  readonly bytes: number
  readonly maxBytes: number
  readonly entries: number
}

/** Creates a cache bounded by size. Values are never null or undefined. */
export const createCache = <V extends {}>(options: CacheOptions<V>): Cache<V> =>
  new BoundedCache(options, () => {})

class BoundedCache<V extends {}> implements Cache<V> {
  readonly #entries: LRUCache<string, V>

  constructor(
    { maxSize, sizeOf }: CacheOptions<V>,
    private readonly onGrowth: () => void,
  ) {
    this.#entries = new LRUCache<string, V>({
      maxSize,
      sizeCalculation: (value) => Math.max(1, Math.ceil(sizeOf(value))),
    })
  }

  get(key: string): V | undefined {
    return this.#entries.get(key)
  }

  set(key: string, value: V): void {
    this.#entries.set(key, value)
    this.onGrowth()
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }

  clear(): void {
    this.#entries.clear()
  }

  get size(): number {
    return this.#entries.size
  }

  /** The sum of sizes, in the unit of `sizeOf`. */
  get used(): number {
    return this.#entries.calculatedSize
  }

  /** Removes the least recently used entry. */
  evict(): void {
    this.#entries.pop()
  }
}

/** What the budget needs of a cache, whatever its values are. */
type Budgeted = Pick<BoundedCache<object>, 'used' | 'size' | 'evict'>

/** Bytes of an entry whose value is only a number, a flag or a short text: its key and the map. */
export const SMALL_ENTRY_BYTES = 200

/** The memory that all caches of one forge may use together. */
export class CacheBudget {
  readonly #caches = new Map<string, { maxBytes: number; cache: Budgeted }>()

  constructor(readonly maxBytes: number) {}

  /**
   * Creates a cache that counts against the budget; `maxSize` and `sizeOf` are in bytes. When the
   * budget is exceeded, the largest cache gives up its least recently used entries.
   */
  create<V extends {}>(name: string, options: CacheOptions<V>): Cache<V> {
    if (this.#caches.has(name)) throw new TypeError(`there are two caches named ${name}`)
    const cache = new BoundedCache(options, () => this.#shrink())
    this.#caches.set(name, { maxBytes: options.maxSize, cache })
    return cache
  }

  get bytes(): number {
    let bytes = 0
    for (const { cache } of this.#caches.values()) bytes += cache.used
    return bytes
  }

  report(): CacheReport[] {
    return [...this.#caches].map(([name, { maxBytes, cache }]) => ({
      name,
      bytes: cache.used,
      maxBytes,
      entries: cache.size,
    }))
  }

  /** Removes the least recently used entries of each cache that holds more than this. */
  release(keptBytes: number): void {
    for (const { cache } of this.#caches.values())
      while (cache.used > keptBytes && cache.size > 0) cache.evict()
  }

  #shrink(): void {
    while (this.bytes > this.maxBytes) {
      let largest: Budgeted | null = null
      for (const { cache } of this.#caches.values()) {
        if (largest === null || cache.used > largest.used) largest = cache
      }
      if (largest === null || largest.size === 0) return
      largest.evict()
    }
  }
}
