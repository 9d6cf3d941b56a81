/** A bounded memory of results that can be made again: the least recently used leave first. */
import { LRUCache } from 'lru-cache'

export type Cache<V> = {
  get(key: string): V | undefined
  set(key: string, value: V): void
  delete(key: string): void
  clear(): void
  readonly size: number
}

export type CacheOptions<V> = {
  /** The sum of sizes that may be kept, in the unit of `sizeOf` (bytes by habit). */
  maxSize: number
  /** The size of one value, at least 1. A value larger than the whole is not kept. */
  sizeOf: (value: V) => number
}

/** Makes a cache bounded by size. Values are never null or undefined. */
export const createCache = <V extends {}>({ maxSize, sizeOf }: CacheOptions<V>): Cache<V> => {
  const cache = new LRUCache<string, V>({
    maxSize,
    sizeCalculation: (value) => Math.max(1, Math.ceil(sizeOf(value))),
  })
  return {
    get: (key) => cache.get(key),
    set: (key, value) => void cache.set(key, value),
    delete: (key) => void cache.delete(key),
    clear: () => cache.clear(),
    get size() {
      return cache.size
    },
  }
}
