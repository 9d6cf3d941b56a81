import { EventLoopProbe } from '#lib/event-loop-probe.ts'
import type { DatabaseHandle } from './db.ts'
import { service } from './service.ts'

/**
 * Gives back memory after much work: SQLite's pages that were read, garbage, which the collector
 * leaves while nothing new is made, and compiled code. It takes 30 to 60 ms, and the first page
 * afterwards takes as much longer, because its code is compiled again. An idle forge holds 60 MiB
 * less.
 */
function releaseMemory(database: DatabaseHandle): void {
  if (!database.isOpen) return
  database.exec('PRAGMA shrink_memory')
  Bun.gc(true)
  Bun.shrink()
}

/**
 * What a cache keeps after minutes without work: enough for what was counted of callers and for small
 * answers. The rest is read again when it is asked for, which takes as long as after a start.
 */
const KEPT_CACHE_BYTES = 256 * 1024

/** Measures the turns of the event loop. Whatever begins work calls `wake`: a request, a job. */
export const eventLoopProbe = service(
  'event loop probe',
  ({ database, caches }) =>
    new EventLoopProbe(
      {},
      undefined,
      () => releaseMemory(database),
      () => {
        caches.release(KEPT_CACHE_BYTES)
        releaseMemory(database)
      },
    ),
  { close: (probe) => probe.close() },
)
