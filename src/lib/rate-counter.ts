/**
 * Counts requests by key in fixed windows. A window begins with the first request of its key and
 * ends after the time that the caller names, whatever happens in between.
 */
import { createCache, SMALL_ENTRY_BYTES, type Cache, type CacheOptions } from './cache.ts'
import { SECOND, type Clock } from './time.ts'

export type RateLimit = {
  /** Whose requests are counted together. */
  readonly key: string
  readonly maxPerWindow: number
  readonly windowMs: number
}

export type RateWindow = { count: number; endsAt: number }

/** Beyond this number of keys, the least recently used are forgotten and start again at zero. */
const MAX_KEYS = 200_000

export const RATE_COUNTER_CACHE: CacheOptions<RateWindow> = {
  maxSize: MAX_KEYS * SMALL_ENTRY_BYTES,
  sizeOf: () => SMALL_ENTRY_BYTES,
}

export class RateCounter {
  constructor(
    private readonly clock: Clock,
    private readonly windows: Cache<RateWindow> = createCache(RATE_COUNTER_CACHE),
  ) {}

  /**
   * Counts one request. Returns null if it is within the limit, else the whole seconds until the
   * window ends, at least 1. A request above the limit is not counted.
   */
  take({ key, maxPerWindow, windowMs }: RateLimit): number | null {
    const now = this.clock.now()
    let window = this.windows.get(key)
    // An end too far away comes from a clock that was set back.
    if (!window || window.endsAt <= now || window.endsAt > now + windowMs)
      this.windows.set(key, (window = { count: 0, endsAt: now + windowMs }))
    if (window.count >= maxPerWindow) return Math.max(1, Math.ceil((window.endsAt - now) / SECOND))
    window.count++
    return null
  }

  /** Takes one counted request back. */
  undo({ key }: Pick<RateLimit, 'key'>): void {
    const window = this.windows.get(key)
    if (window && window.count > 0) window.count--
  }
}
