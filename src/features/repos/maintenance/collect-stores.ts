/**
 * Garbage collection. Once a week a job scans every object store for unreachable objects: commits
 * of deleted branches, replaced heads and removed forks. An unreachable object is marked first and
 * deleted two weeks later, unless a ref reaches it again. The scan only reads; a store is rewritten
 * only when that frees space.
 *
 * Git waits two weeks as well (gc.pruneExpire), but counts from the object's creation. Here the two
 * weeks count from the scan that found the object.
 */
import { GitError } from '#git'
import type { Hearth } from '#core/hearth.ts'
import { job, type Job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { DAY, MINUTE, timestamp } from '#lib/time.ts'
import { listRetainedCommits } from './retained-commits.ts'
import { lastPushOfStore, listStoresAfter, listTipsOfStore } from '../store/refs.ts'

export const PRUNE_GRACE_MS = 14 * DAY

/** After this time without a push, all unreachable objects of a store have been deleted. */
const IDLE_AFTER_MS = PRUNE_GRACE_MS + 21 * DAY

const STORES_PER_BATCH = 100
/** The time limit of one run. The job then continues in a new run, so other jobs get their turn. */
const MAX_RUN_MS = 30_000
const CONTINUE_DELAY_MS = MINUTE

/** Scans one store and returns how many objects were deleted. */
export async function collectStore(
  hearth: Hearth,
  store: string,
  signal?: AbortSignal,
): Promise<number> {
  const { db, git, clock } = hearth
  const { dropped } = await git.maintain(store, listTipsOfStore(db, store), {
    graceMs: PRUNE_GRACE_MS,
    nowMs: clock.now(),
    retained: listRetainedCommits(hearth, store),
    readCurrentTips: () => listTipsOfStore(db, store),
    ...(signal && { signal }),
  })
  if (dropped > 0)
    hearth.log.info('objects that nothing named for two weeks are gone', {
      store,
      objects: dropped,
    })
  return dropped
}

/**
 * Whether a store needs no scan because it is offloaded or idle. With a bucket, a scan would
 * download the packs or mark the store as used.
 */
const isIdle = ({ db, storage, clock }: Hearth, store: string): boolean =>
  storage.address !== null &&
  (storage.offloadedPacks(store).length > 0 ||
    lastPushOfStore(db, store) < timestamp(clock.now() - IDLE_AFTER_MS))

/**
 * Scans the stores in name order, a part of them in each run. A damaged store is logged and
 * skipped.
 */
export const collectStores: Job<{ after: string }> = job<{ after: string }>({
  kind: 'collect_stores',
  queue: 'history',
  run: async ({ hearth, signal }, { after }) => {
    const end = performance.now() + MAX_RUN_MS
    for (let last = after; ; ) {
      const stores = listStoresAfter(hearth.db, last, STORES_PER_BATCH)
      if (stores.length === 0) return
      for (const store of stores) {
        if (signal.aborted) throw new Error('stopped')
        if (performance.now() >= end)
          return writeAs(
            hearth,
            null,
            (tx) =>
              void tx.enqueue(
                collectStores,
                { after: last },
                { key: 'collect', delay_ms: CONTINUE_DELAY_MS },
              ),
          )
        last = store
        if (isIdle(hearth, store)) continue
        try {
          await collectStore(hearth, store, signal)
        } catch (error) {
          if (signal.aborted || !(error instanceof GitError)) throw error
          // The next weekly scan tries again; `hearth doctor` reports what is wrong.
          hearth.log.warn('a store could not be looked through for what nothing names', {
            store,
            error,
          })
        }
      }
    }
  },
})

/** Starts the weekly scan. */
export const collectWeekly = job<null>({
  kind: 'collect_weekly',
  every: '7d',
  run: ({ hearth }) =>
    writeAs(
      hearth,
      null,
      (tx) => void tx.enqueue(collectStores, { after: '' }, { key: 'collect' }),
    ),
})
