/**
 * Purging a repository. The transaction that purges it hides it from everyone. A job then deletes
 * its rows, which may be many, and its objects in small batches, so no other writer waits.
 */
import { removeEvents } from '#core/events.ts'
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { repoPurged } from '../events.ts'
import { fullNameOf } from '../access/repo-facts.ts'
import { historyCache } from '../store/history-cache.ts'
import { auditRepo } from './preconditions.ts'
import { repoDataRemovers } from '../extension-points.ts'
import { removeForkRow, repoById, setRepo, type RepoRow } from '../store/repos.ts'
import {
  isStoreUsed,
  listForkIds,
  listPurgedIds,
  listReposToPurge,
  removeRefsOfRepo,
  removePurged,
} from '../store/deleted-repos.ts'
import { removeCertificatesOfRepo } from '../store/push-certificates.ts'

const EVENTS_PER_BATCH = 1_000
/** Deletes cascade to other tables, so a batch is small. */
const ROWS_PER_BATCH = 200
const FORKS_PER_BATCH = 100
const REPOS_PER_BATCH = 100

/** Deletes what remains of a purged repository. It can be interrupted and repeated. */
export const removePurgedRepo = job<{ repo_id: string; store: string }>({
  kind: 'remove_repo',
  run: async ({ hearth, signal }, { repo_id, store }) => {
    if (repoById(hearth.db, repo_id)?.purged_at) await removeRepoRows(hearth, repo_id, signal)
    if (isStoreUsed(hearth.db, store)) return
    historyCache(hearth).forget(store)
    await hearth.git.removeStore(store)
  },
})

/**
 * Removes the rows of all purged repositories of a workspace now. Their stores are left to the job,
 * which does not need the rows.
 */
export async function removePurgedOfWorkspace(hearth: Hearth, workspace_id: string): Promise<void> {
  for (const id of listPurgedIds(hearth.db, workspace_id)) await removeRepoRows(hearth, id, null)
}

/** Repeats a removal, each time in a transaction of its own, until it removed less than `most`. */
async function removeInBatches(
  hearth: Hearth,
  signal: AbortSignal | null,
  remove: (tx: Tx) => number,
  most: number,
): Promise<void> {
  while ((await writeAs(hearth, null, remove)) >= most)
    if (signal?.aborted) throw new Error('stopped')
}

const removeEventsOf = (hearth: Hearth, signal: AbortSignal | null, id: string): Promise<void> =>
  removeInBatches(
    hearth,
    signal,
    (tx) => removeEvents(tx.db, id, { except: repoPurged.type, limit: EVENTS_PER_BATCH }),
    EVENTS_PER_BATCH,
  )

async function removeRepoRows(
  hearth: Hearth,
  repo_id: string,
  signal: AbortSignal | null,
): Promise<void> {
  for (;;) {
    const forks = listForkIds(hearth.db, repo_id, FORKS_PER_BATCH)
    for (const fork of forks) await removeEventsOf(hearth, signal, fork)
    await writeAs(hearth, null, (tx) => {
      for (const fork of forks) removeForkRow(tx, fork)
    })
    if (forks.length < FORKS_PER_BATCH) break
  }
  await removeEventsOf(hearth, signal, repo_id)
  // Later features first, because their rows reference those of earlier ones and would cascade
  // all at once. Then once more, because deleting a row may insert one into another table.
  const all = repoDataRemovers.all(hearth)
  for (const remove of [...all.toReversed(), ...all, removeRefsOfRepo, removeCertificatesOfRepo])
    await removeInBatches(hearth, signal, (tx) => remove(tx, repo_id, ROWS_PER_BATCH), 1)
  await writeAs(hearth, null, (tx) => removePurged(tx, repo_id))
}

/** Marks a deleted repository as purged and enqueues the deletion of its data. */
export function markPurged(tx: Tx, row: RepoRow): void {
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
  tx.enqueue(removePurgedRepo, { repo_id: row.id, store: row.store }, { key: row.id })
}

/** Purges the repositories whose restore period is over. */
export const purgeDeleted = job<null>({
  kind: 'purge_deleted_repos',
  every: '1h',
  run: ({ hearth }) =>
    writeAs(hearth, null, (tx) => {
      for (const row of listReposToPurge(tx.db, tx.now, REPOS_PER_BATCH)) markPurged(tx, row)
    }),
})
