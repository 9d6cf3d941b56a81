/**
 * Reserves money for calls that are under way. Calls in parallel together never pass a cap: each
 * reserves its estimate before it begins, and its answer is limited to what is left.
 */
import { service } from '#core/service.ts'
import { Refusal } from '#lib/errors.ts'
import { costOf, toMicro, type Prices } from './money.ts'

/** One limit of a call. Limits with the same key share reservations. Amounts are millionths. */
export type Cap = {
  readonly key: string
  readonly limit: number
  readonly spent: number
  /** What is reached, for people. */
  readonly what: string
  /** `cost_cap` unless given; only that ends the work of an agent. */
  readonly reason?: 'cost_cap' | 'quota'
}

/** A shorter answer than this is of no use. */
export const MIN_OUTPUT_TOKENS = 256

class Ledger {
  readonly #reserved = new Map<string, number>()

  reservedFor(key: string): number {
    return this.#reserved.get(key) ?? 0
  }

  /** Returns the function that releases the amount. */
  reserve(keys: readonly string[], amount: number): () => void {
    const add = (by: number): void => {
      for (const key of keys) {
        const sum = this.reservedFor(key) + by
        if (sum <= 0) this.#reserved.delete(key)
        else this.#reserved.set(key, sum)
      }
    }
    add(amount)
    let isReleased = false
    return () => {
      if (!isReleased) add(-amount)
      isReleased = true
    }
  }
}

const ledger = service('model ledger', () => new Ledger())

export const costCapReached = ({ what, reason = 'cost_cap' }: Cap): Refusal =>
  new Refusal('forbidden', `${what} is reached; stop and say so`, {
    reason,
    details: { reached: what },
    headers: { 'x-should-retry': 'false' },
  })

/** What people are told of a cap that is reached; the refusal itself speaks to a program. */
export const describeReachedCap = ({ details, message }: Refusal): string =>
  typeof details.reached === 'string' ? `${details.reached} is reached` : message

export type Reservation = { readonly max_output: number; readonly release: () => void }

/**
 * Reserves what a call may cost, and lowers its longest answer to what is left. Throws 403
 * `cost_cap` when a cap is spent, and 429 while other calls have reserved the rest.
 */
export function reserve(
  site: Parameters<typeof ledger>[0],
  caps: readonly Cap[],
  { prices, input, wanted }: { prices: Prices; input: number; wanted: number },
): Reservation {
  const book = ledger(site)
  const inputCost = costOf(prices, { input, cached: 0, output: 0 })
  const perToken = prices.usd_per_million_output ?? 0
  let max_output = wanted
  for (const cap of caps) {
    const unspent = cap.limit - cap.spent
    const affordable = (left: number): number => {
      if (left <= 0 || left < inputCost) return -1
      return perToken === 0 ? wanted : Math.floor((left - inputCost) / perToken)
    }
    const least = Math.min(MIN_OUTPUT_TOKENS, wanted)
    if (affordable(unspent) < least) throw costCapReached(cap)
    const now = affordable(unspent - book.reservedFor(cap.key))
    if (now < least)
      throw new Refusal('rate_limited', `${cap.what}: other calls have reserved what is left`, {
        reason: 'concurrency',
        headers: { 'retry-after': '1' },
      })
    max_output = Math.min(max_output, now)
  }
  const amount = costOf(prices, { input, cached: 0, output: max_output })
  return {
    max_output,
    release: book.reserve(
      caps.map(({ key }) => key),
      amount,
    ),
  }
}

/** A cap in US dollars. */
export const capOf = (key: string, limit_usd: number, spent_usd: number, what: string): Cap => ({
  key,
  limit: toMicro(limit_usd),
  spent: toMicro(spent_usd),
  what,
})
