/**
 * Some time after a push: the many small packs of a repository family become few, with a bitmap and
 * a commit-graph, so that clones and histories stay quick. Nothing is left out of them; what nobody
 * names any more goes by `collect-stores.ts`.
 */
import { job, type Job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { MINUTE } from '#lib/time.ts'
import { readAhead } from './read-ahead.ts'
import { listTipsOfStore } from './store-refs.ts'

/** Pushes come in bursts; one round serves all of them. */
export const MAINTAIN_AFTER_MS = MINUTE

/** The rest of a long history is indexed soon after. */
const INDEX_AGAIN_MS = 5_000

export const maintainStore: Job<{ store: string }> = job<{ store: string }>({
  kind: 'maintain_store',
  run: async ({ hearth, signal }, { store }) => {
    const tips = listTipsOfStore(hearth.db, store)
    if (tips.length === 0) return
    const { unindexed } = await hearth.git.maintain(store, tips, { signal })
    await writeAs(hearth, null, (tx) => {
      if (unindexed > 0)
        tx.enqueue(maintainStore, { store }, { key: store, delay_ms: INDEX_AGAIN_MS })
      else tx.enqueue(readAhead, { repo_id: store, indexed: true }, { key: `${store} indexed` })
    })
  },
})
