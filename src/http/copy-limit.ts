/**
 * Of whole copies of one repository for people who are not signed in, so many a minute are made
 * anew; those that are kept ready cost nothing and are not counted. Only with the limiter of
 * requests on.
 */
import type { Hearth } from '#core/hearth.ts'
import { createCache, type Cache } from '#lib/cache.ts'
import { Refusal } from '#lib/errors.ts'
import { MINUTE } from '#lib/time.ts'

export const COPIES_A_MINUTE = 120

export class CopyLimit {
  readonly #counts: Cache<{ count: number; until: number }> = createCache({
    maxSize: 50_000,
    sizeOf: () => 1,
  })

  constructor(private readonly hearth: Pick<Hearth, 'settings' | 'clock' | 'measures'>) {}

  /** Counts one; gives 429 above the limit. */
  count(store: string): void {
    if (!this.hearth.settings.limits.rate) return
    const now = this.hearth.clock.now()
    let count = this.#counts.get(store)
    if (!count || count.until <= now || count.until > now + MINUTE)
      this.#counts.set(store, (count = { count: 0, until: now + MINUTE }))
    if (count.count >= COPIES_A_MINUTE) {
      this.hearth.measures.refuse('rate')
      const wait = Math.max(1, Math.ceil((count.until - now) / 1000))
      throw new Refusal(
        'rate_limited',
        `this repository is being copied very often: wait ${wait} seconds, or sign in`,
        {
          reason: 'rate',
          headers: { 'retry-after': String(wait), ratelimit: '"anonymous";r=0;t=60' },
        },
      )
    }
    count.count++
  }
}
