/**
 * Once a week every object store is looked through for what nothing names any more: commits of
 * deleted branches, of heads that were replaced, of forks that are gone. What is found is set
 * apart, and goes two weeks later if nothing has named it since. Looking only reads; a store is
 * written when there is something to gain.
 *
 * Two weeks are what git waits (gc.pruneExpire). They count from when something was found, not from
 * when it was made.
 */
import { GitError } from '#git'
import type { Hearth } from '#core/hearth.ts'
import { job, type Job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { DAY, MINUTE, timestamp } from '#lib/time.ts'
import { listKept } from './kept-commits.ts'
import { lastMoveOfStore, listStoresAfter, listTipsOfStore } from './store-refs.ts'

export const GRACE_MS = 14 * DAY

/** Whatever lost its name has been found and is gone by then. */
const RESTS_AFTER_MS = GRACE_MS + 21 * DAY

const STORES_AT_ONCE = 100
/** One job does so much, then it makes room for others. */
const TURN_MS = 30_000
const AGAIN_MS = MINUTE

/** Looks through one store. Gives how many objects went. */
export async function collectStore(
  hearth: Hearth,
  store: string,
  signal?: AbortSignal,
): Promise<number> {
  const { db, git, clock } = hearth
  const { dropped } = await git.maintain(store, listTipsOfStore(db, store), {
    graceMs: GRACE_MS,
    nowMs: clock.now(),
    kept: listKept(hearth, store),
    still: () => listTipsOfStore(db, store),
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
 * With a bucket, a store that nobody uses is left alone: looking through it would bring its packs
 * back, or make it seem used.
 */
const rests = ({ db, storage, clock }: Hearth, store: string): boolean =>
  storage.address !== null &&
  (storage.awayOf(store).length > 0 ||
    lastMoveOfStore(db, store) < timestamp(clock.now() - RESTS_AFTER_MS))

/**
 * Goes through the stores in the order of their names, some in each run. One that is damaged is
 * left as it is, and does not stop the others.
 */
export const collectStores: Job<{ after: string }> = job<{ after: string }>({
  kind: 'collect_stores',
  lane: 'history',
  run: async ({ hearth, signal }, { after }) => {
    const end = performance.now() + TURN_MS
    for (let last = after; ; ) {
      const stores = listStoresAfter(hearth.db, last, STORES_AT_ONCE)
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
                { key: 'collect', delay_ms: AGAIN_MS },
              ),
          )
        last = store
        if (rests(hearth, store)) continue
        try {
          await collectStore(hearth, store, signal)
        } catch (error) {
          if (signal.aborted || !(error instanceof GitError)) throw error
          // Its turn comes again next week; the doctor says what is wrong with it.
          hearth.log.warn('a store could not be looked through for what nothing names', {
            store,
            error,
          })
        }
      }
    }
  },
})

/** Begins the round of a week. */
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
