/** Transactions that write rows of the past. */
import type { Tx } from '#core/write.ts'
import { timestamp } from '#lib/time.ts'

/**
 * The same transaction, with another time: rows get it as the time of their creation or change, and
 * ids made from it sort by it. Times in the future become now.
 */
export function asOf(tx: Tx, time_ms: number): Tx {
  const now_ms = Math.max(0, Math.min(time_ms, tx.now_ms))
  return { ...tx, now_ms, now: timestamp(now_ms) }
}
