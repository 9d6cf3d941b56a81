/**
 * When cached files were used, for eviction and the page. A time is kept in memory and written in
 * one transaction, at most once an hour for a file, so that reading writes seldom.
 */
import type { Hearth } from '#core/hearth.ts'
import { service } from '#core/service.ts'
import { writeAs } from '#core/write.ts'
import { HOUR, SECOND } from '#lib/time.ts'
import { setUsed, type CachedRow } from './store.ts'

const FLUSH_INTERVAL_MS = 10 * SECOND
const MAX_PENDING = 10_000

class UseTimes {
  #used = new Map<string, Pick<CachedRow, 'upstream_id' | 'key'>>()
  #timer: ReturnType<typeof setTimeout> | null = null

  constructor(private readonly hearth: Hearth) {}

  add(row: CachedRow): void {
    const isRecent = this.hearth.clock.now() - Date.parse(row.used_at) < HOUR
    if (isRecent || this.#used.size >= MAX_PENDING) return
    this.#used.set(`${row.upstream_id} ${row.key}`, row)
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_INTERVAL_MS)
    this.#timer.unref()
  }

  async flush(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    const used = this.#used
    if (used.size === 0) return
    this.#used = new Map()
    const { hearth } = this
    try {
      await writeAs(hearth, null, (tx) => {
        for (const { upstream_id, key } of used.values()) setUsed(tx, upstream_id, key)
      })
    } catch (error) {
      hearth.log.warn('the use of cached packages was not noted', { error })
    }
  }
}

export const useTimes = service('use times of upstream files', (hearth) => {
  const times = new UseTimes(hearth)
  hearth.onClose(() => times.flush())
  return times
})
