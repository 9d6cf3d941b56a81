/** The hourly job that removes what was not read for long, and what is above the size of a cache. */
import { job } from '#core/jobs.ts'
import type { Hearth } from '#core/hearth.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { DAY } from '#lib/time.ts'
import {
  findCached,
  listAllUpstreams,
  listLeastUsed,
  removeCached,
  upstreamById,
  type LeastUsed,
  type UpstreamRow,
} from './store.ts'

const ROWS_PER_WRITE = 500

/** One write. Returns whether there may be more to remove. */
export const evictSome = (hearth: Hearth, id: string): Promise<boolean> =>
  writeAs(hearth, null, (tx) => {
    const upstream = upstreamById(tx.db, id)
    if (upstream === null) return false
    const beforeMs = tx.now_ms - upstream.keep_days * DAY
    return removeWhile(
      tx,
      upstream,
      (row, bytes) => Date.parse(row.used_at) < beforeMs || bytes > upstream.max_bytes,
    )
  })

/**
 * Removes the least recently used files while `isExcess` says so of the next one and of the bytes of
 * the whole cache. Returns whether there may be more to remove.
 */
function removeWhile(
  tx: Tx,
  { id, cached_bytes }: UpstreamRow,
  isExcess: (row: LeastUsed, bytes: number) => boolean,
  keptKey: string | null = null,
): boolean {
  let bytes = cached_bytes
  let removed = 0
  for (const row of listLeastUsed(tx.db, id, ROWS_PER_WRITE)) {
    if (row.key === keptKey) continue
    if (!isExcess(row, bytes)) return false
    removeCached(tx, id, row.key)
    bytes -= row.size_in_bytes
    removed++
  }
  return removed === ROWS_PER_WRITE
}

/**
 * Makes room for a file in the transaction that adds it, so that a cache never exceeds its size.
 * Returns false when there is none: the file is larger than the cache, or displaces too many files
 * for one write.
 */
export function makeRoom(tx: Tx, upstream: UpstreamRow, key: string, size: number): boolean {
  const { id, max_bytes } = upstream
  if (size > max_bytes) return false
  const added = size - (findCached(tx.db, id, key)?.size_in_bytes ?? 0)
  removeWhile(tx, upstream, (_, bytes) => bytes + added > max_bytes, key)
  return (upstreamById(tx.db, id)?.cached_bytes ?? 0) + added <= max_bytes
}

export const evictUpstreamFiles = job<null>({
  kind: 'evict_upstream_files',
  every: '1h',
  run: async ({ hearth, signal }) => {
    for (const { id } of listAllUpstreams(hearth.db))
      while (!signal.aborted && (await evictSome(hearth, id)));
  },
})
