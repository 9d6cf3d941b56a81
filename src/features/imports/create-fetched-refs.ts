/** Creates the branches and tags that were fetched (`repos/refs/fetched-refs.ts`). */
import type { FetchResult } from '#git'
import type { Hearth } from '#core/hearth.ts'
import { writeAs } from '#core/write.ts'
import {
  chooseFirstBranch,
  moveInBatches,
  moveRefs,
  prepareFetchedRefs,
  refsOf,
  requireRepo,
  selectFetchedRefs,
  type PreparedUpdate,
} from '#features/repos/index.ts'
import { findImport, noteProgress, setProgress, type ImportRow } from './store.ts'

/** The import was cancelled, or its repository deleted. */
export class ImportEnded extends Error {}

/**
 * Creates the refs in batches, the default branch first. Returns what was left out and why. Refs
 * from an earlier attempt stay. Throws `ImportEnded` when the import or the repository ended
 * meanwhile.
 */
export async function createFetchedRefs(
  hearth: Hearth,
  row: ImportRow,
  fetched: FetchResult,
): Promise<string[]> {
  const repo = requireRepo(hearth.db, row.repo_id)
  const { good, left } = selectFetchedRefs(fetched)
  const now = new Map(refsOf(hearth, repo.id).refs.map(({ name, oid }) => [name, oid]))
  const first = chooseFirstBranch(fetched, good)
  const trunk = first?.oid ?? null
  const rest = good.filter((ref) => ref !== first)
  const head =
    first === null ? [] : await prepareFetchedRefs(hearth, repo.store, [first], now, null)
  const others = await prepareFetchedRefs(hearth, repo.store, rest, now, trunk)
  let done = good.length - head.length - others.length
  const move = (updates: readonly PreparedUpdate[]): Promise<void> =>
    writeAs(hearth, null, (tx) => {
      const fresh = findImport(tx.db, row.id)
      if (fresh?.state !== 'running' || requireRepo(tx.db, repo.id).deleted_at !== null)
        throw new ImportEnded('the import was ended')
      noteProgress(tx, row.id)
      moveRefs(tx, repo, updates, { as: { actor_id: row.created_by } })
      setProgress(tx, row.id, {
        phase: 'refs',
        refs_done: done + updates.length,
        refs_total: good.length,
      })
    }).then(() => void (done += updates.length))
  return [...left, ...(await moveInBatches(head, others, move))]
}
