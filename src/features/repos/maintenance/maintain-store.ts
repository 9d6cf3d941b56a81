/**
 * Maintenance after a push: combines the many small packs of a store into few, with a bitmap and a
 * commit-graph, so that clones and history walks stay fast. It deletes no objects;
 * `collect-stores.ts` does that.
 */
import { job, type Job } from '#core/jobs.ts'
import { replication } from '#core/replication.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { MINUTE } from '#lib/time.ts'
import { precomputeHistory } from '../blame/precompute-history.ts'
import { listTipsOfStore } from '../store/refs.ts'

/** Pushes come in bursts, and one run covers all of them. */
export const MAINTAIN_DELAY_MS = MINUTE

/**
 * A push or import of a long history is maintained sooner, because each clone walks it until its
 * pack has a bitmap.
 */
export const LONG_HISTORY_COMMITS = 10_000
export const LONG_HISTORY_DELAY_MS = 1_000

/** A long history is indexed in several runs, this far apart. */
const REINDEX_DELAY_MS = 5_000

export const maintainStore: Job<{ store: string }> = job<{ store: string }>({
  kind: 'maintain_store',
  run: async ({ hearth, signal }, { store }) => {
    const tips = listTipsOfStore(hearth.db, store)
    if (tips.length === 0) return
    const { unindexed } = await hearth.git.maintain(store, tips, { signal })
    await writeAs(hearth, null, (tx) => {
      if (unindexed > 0)
        tx.enqueue(maintainStore, { store }, { key: store, delay_ms: REINDEX_DELAY_MS })
      else
        tx.enqueue(
          precomputeHistory,
          { repo_id: store, indexed: true },
          { key: `${store} indexed` },
        )
    })
  },
})

/** Maintains a store soon, after refs over it moved and gained so many commits. */
export function enqueueMaintenance(tx: Tx, store: string, commits = 0): void {
  const delay_ms = commits < LONG_HISTORY_COMMITS ? MAINTAIN_DELAY_MS : LONG_HISTORY_DELAY_MS
  tx.enqueue(maintainStore, { store }, { key: store, delay_ms })
  // Refs move in this transaction, so a standby needs the packs before it.
  const { note } = replication(tx.hearth)
  note(`repos/${store}`)
  note(`repos/${store}/objects/pack`)
}
