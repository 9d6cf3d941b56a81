/**
 * The end of a repository. In the transaction that purges it, it is gone for everyone; its rows,
 * which may be many, and its objects, which no transaction holds, are taken away by a job
 * afterwards, a part at a time, so that nobody waits for it.
 */
import { removeEvents } from '#core/events.ts'
import { job } from '#core/jobs.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { repoPurged } from './events.ts'
import { fullNameOf } from './facts.ts'
import { keptHistory } from './store-history.ts'
import { auditRepo } from './lifecycle.ts'
import { belongings } from './points.ts'
import { removeForkRow, repoById, setRepo, type RepoRow } from './store.ts'
import {
  isStoreUsed,
  listForkIds,
  listToPurge,
  removeNames,
  removePurged,
} from './store-deleted.ts'

const EVENTS_AT_ONCE = 1_000
/** Each may take others with it, so these are few. */
const ROWS_AT_ONCE = 200
const FORKS_AT_ONCE = 100
const REPOS_AT_ONCE = 100

/** Takes away what is left of a purged repository. Beginning again after a stop does no harm. */
export const removeRepo = job<{ repo_id: string; store: string }>({
  kind: 'remove_repo',
  run: async ({ hearth, signal }, { repo_id, store }) => {
    const inParts = async (remove: (tx: Tx) => number, most: number): Promise<void> => {
      while ((await writeAs(hearth, null, remove)) >= most)
        if (signal.aborted) throw new Error('stopped')
    }
    const removeEventsOf = (id: string) =>
      inParts(
        (tx) => removeEvents(tx.db, id, { but: repoPurged.type, limit: EVENTS_AT_ONCE }),
        EVENTS_AT_ONCE,
      )
    if (repoById(hearth.db, repo_id)?.purged_at) {
      for (;;) {
        const forks = listForkIds(hearth.db, repo_id, FORKS_AT_ONCE)
        for (const fork of forks) await removeEventsOf(fork)
        await writeAs(hearth, null, (tx) => {
          for (const fork of forks) removeForkRow(tx, fork)
        })
        if (forks.length < FORKS_AT_ONCE) break
      }
      await removeEventsOf(repo_id)
      // Later features first: their rows rest on those of earlier ones, which would take them along
      // all at once. Then again, because the end of one row may leave a mark in another table.
      const all = belongings.all(hearth)
      for (const remove of [...all.toReversed(), ...all, removeNames]) {
        while ((await writeAs(hearth, null, (tx) => remove(tx, repo_id, ROWS_AT_ONCE))) > 0)
          if (signal.aborted) throw new Error('stopped')
      }
      await writeAs(hearth, null, (tx) => removePurged(tx, repo_id))
    }
    if (isStoreUsed(hearth.db, store)) return
    keptHistory(hearth).forget(store)
    await hearth.git.removeStore(store)
  },
})

/** Ends a deleted repository for good. */
export function purge(tx: Tx, row: RepoRow): void {
  const full_name = fullNameOf(tx.db, row)
  setRepo(tx, row.id, { purged_at: tx.now })
  tx.append(
    repoPurged,
    { workspace_id: row.workspace_id, repo_id: row.id },
    { full_name, purge_at: row.purge_at ?? tx.now },
  )
  auditRepo(tx, 'repo.purged', row, {
    before: { deleted_at: row.deleted_at, purge_at: row.purge_at },
  })
  tx.enqueue(removeRepo, { repo_id: row.id, store: row.store }, { key: row.id })
}

/** Purges what was deleted long enough ago. */
export const purgeDeleted = job<null>({
  kind: 'purge_deleted_repos',
  every: '1h',
  run: ({ hearth }) =>
    writeAs(hearth, null, (tx) => {
      for (const row of listToPurge(tx.db, tx.now, REPOS_AT_ONCE)) purge(tx, row)
    }),
})
