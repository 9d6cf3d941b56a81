/** The hourly job that removes what was not read for long, and what is above the size of a cache. */
import { job } from '#core/jobs.ts'
import type { Hearth } from '#core/hearth.ts'
import { writeAs } from '#core/write.ts'
import { DAY } from '#lib/time.ts'
import {
  cacheTotals,
  listAllUpstreams,
  listLeastUsed,
  removeCached,
  upstreamById,
} from './store.ts'

const ROWS_PER_WRITE = 500

/** One write. Returns whether there may be more to remove. */
export const evictSome = (hearth: Hearth, id: string): Promise<boolean> =>
  writeAs(hearth, null, (tx) => {
    const upstream = upstreamById(tx.db, id)
    if (upstream === null) return false
    let { size_in_bytes } = cacheTotals(tx.db, id)
    const beforeMs = tx.now_ms - upstream.keep_days * DAY
    let removed = 0
    for (const row of listLeastUsed(tx.db, id, ROWS_PER_WRITE)) {
      if (Date.parse(row.used_at) >= beforeMs && size_in_bytes <= upstream.max_bytes) break
      removeCached(tx, id, row.key)
      size_in_bytes -= row.size_in_bytes
      removed++
    }
    return removed === ROWS_PER_WRITE
  })

export const evictUpstreamFiles = job<null>({
  kind: 'evict_upstream_files',
  every: '1h',
  run: async ({ hearth, signal }) => {
    for (const { id } of listAllUpstreams(hearth.db))
      while (!signal.aborted && (await evictSome(hearth, id)));
  },
})
