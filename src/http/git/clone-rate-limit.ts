/**
 * Limits how often clones of one repository are packed anew for callers without an account. Clones
 * that are sent from a cached pack cost little and are not counted. Off without `limits.rate`.
 */
import type { Hearth } from '#core/hearth.ts'
import { Refusal } from '#lib/errors.ts'
import { MINUTE } from '#lib/time.ts'
import { rateCounter } from '../rate-limiter.ts'

export const MAX_CLONES_PER_MINUTE = 120

/** Counts one clone. Throws 429 above the limit. */
export function countClone(hearth: Hearth, store: string): void {
  if (!hearth.settings.limits.rate) return
  const waitSeconds = rateCounter(hearth).take({
    key: `clone ${store}`,
    maxPerWindow: MAX_CLONES_PER_MINUTE,
    windowMs: MINUTE,
  })
  if (waitSeconds === null) return
  hearth.metrics.recordRefusal('rate')
  throw new Refusal(
    'rate_limited',
    `this repository is being copied very often: wait ${waitSeconds} seconds, or sign in`,
    {
      reason: 'rate',
      headers: { 'retry-after': String(waitSeconds), ratelimit: '"anonymous";r=0;t=60' },
    },
  )
}
