/**
 * Removes private forks: 30 days after their advisory is published, on request, and with their
 * repository. The row goes in a transaction that enqueues the removal of the store, so a crash
 * leaves neither without the other for long.
 */
import { job } from '#core/jobs.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { DAY, timestamp } from '#lib/time.ts'
import {
  findForkById,
  listForksOfRepo,
  listForksToRemove,
  removeForkRow,
  setForkClosed,
  type ForkRow,
} from './store-forks.ts'

const RETENTION_MS = 30 * DAY
const FORKS_PER_BATCH = 100

export const removeForkStore = job<{ store: string }>({
  kind: 'remove_advisory_fork_store',
  run: async ({ hearth }, { store }) => {
    // A fork has the name of its store as its id.
    if (!findForkById(hearth.db, store)) await hearth.git.removeStore(store)
  },
})

export function removeFork(tx: Tx, { id, store }: Pick<ForkRow, 'id' | 'store'>): void {
  removeForkRow(tx, id)
  tx.enqueue(removeForkStore, { store }, { key: store })
}

/** Takes no more pushes from now on; the fork of a closed advisory is removed later. */
export const closeFork = (tx: Tx, advisory_id: string): void =>
  setForkClosed(tx, advisory_id, timestamp(tx.now_ms + RETENTION_MS))

export const sweepForks = job<null>({
  kind: 'sweep_advisory_forks',
  every: '6h',
  run: ({ hearth }) =>
    writeAs(hearth, null, (tx) => {
      for (const fork of listForksToRemove(tx.db, tx.now, FORKS_PER_BATCH)) removeFork(tx, fork)
    }),
})

/** Removes some forks of a repository that is purged. Returns how many. */
export function removeForksOfRepo(tx: Tx, repo_id: string, limit: number): number {
  const forks = listForksOfRepo(tx.db, repo_id, limit)
  for (const fork of forks) removeFork(tx, fork)
  return forks.length
}
