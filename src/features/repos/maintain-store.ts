/**
 * Some time after a push: the many small packs of a repository family become few, with a bitmap and a commit-graph, so that
 * clones and histories stay quick. Nothing that a ref of the family names, or a later feature is about to name, is ever left out.
 */
import { job } from '#core/jobs.ts'
import { MINUTE } from '#lib/time.ts'
import { keptCommits } from './points.ts'
import { listTipsOfStore } from './store-refs.ts'

/** Pushes come in bursts; one round serves all of them. */
export const MAINTAIN_AFTER_MS = MINUTE

export const maintainStore = job<{ store: string }>({
  kind: 'maintain_store',
  run: async ({ hearth, signal }, { store }) => {
    const tips = listTipsOfStore(hearth.db, store)
    if (tips.length === 0) return
    const kept = keptCommits.all(hearth).flatMap((list) => list(hearth.db, store))
    await hearth.git.maintain(store, [...new Set([...tips, ...kept])], { signal })
  },
})
