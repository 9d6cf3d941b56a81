import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import type { Oid } from '#git'
import {
  listRetainedCommits,
  listTipsOfStore,
  repoById,
  type RepoRow,
} from '#features/repos/index.ts'
import { DAY, timestamp } from '#lib/time.ts'
import {
  findObject,
  listObjectsAfter,
  listReposWithObjects,
  removeObject,
  setUnusedSince,
  type LfsObjectRow,
} from './store-objects.ts'

/** Long enough for a rewritten branch to be restored, and for a slow push to end. */
export const UNUSED_RETENTION_MS = 30 * DAY
const BATCH_ROWS = 500
const MAX_POINTERS = 2_000_000

/** Commits of all refs of a repository and its forks, and those that pages show. */
async function listTips(hearth: Hearth, row: RepoRow): Promise<Oid[]> {
  const tips = new Set<Oid>()
  const add = async (oids: readonly Oid[]): Promise<void> => {
    for (const oid of oids) {
      const tip = await hearth.git.peelToCommit(row.store, oid)
      if (tip !== null) tips.add(tip)
    }
  }
  await add(listTipsOfStore(hearth.db, row.store))
  for (const page of listRetainedCommits(hearth, row.store)) await add(page)
  return [...tips]
}

/** The digests that pointers in the history name; null when there are too many to compare. */
async function listUsed(
  hearth: Hearth,
  row: RepoRow,
  signal: AbortSignal,
): Promise<ReadonlySet<string> | null> {
  const tips = await listTips(hearth, row)
  if (tips.length === 0) return new Set()
  const { pointers, complete } = await hearth.git.findAddedPointers(
    row.store,
    { tips, anyPath: true, limits: { pointers: MAX_POINTERS } },
    signal,
  )
  return complete ? new Set(pointers.map(({ oid }) => oid)) : null
}

async function collect(hearth: Hearth, row: RepoRow, signal: AbortSignal): Promise<void> {
  const used = await listUsed(hearth, row, signal)
  if (used === null) return
  for (let after = ''; !signal.aborted; ) {
    const rows = listObjectsAfter(hearth.db, row.id, after, BATCH_ROWS)
    const last = rows.at(-1)
    if (!last) return
    after = last.oid
    const changed = rows.filter((one) => used.has(one.oid) !== (one.unused_since === null))
    const expired = rows.filter((one) => !used.has(one.oid) && isExpired(hearth, one))
    if (changed.length + expired.length === 0) continue
    await writeAs(hearth, null, (tx) => {
      for (const { oid, unused_since } of changed)
        setUnusedSince(tx, row.id, oid, unused_since === null ? tx.now : null)
      for (const { oid } of expired) {
        // A push may have used it meanwhile, which clears the time.
        const current = findObject(tx.db, row.id, oid)
        if (current !== null && isExpired(hearth, current)) removeObject(tx, row.id, oid)
      }
    })
  }
}

const isExpired = ({ clock }: Hearth, { unused_since }: LfsObjectRow): boolean =>
  unused_since !== null && unused_since < timestamp(clock.now() - UNUSED_RETENTION_MS)

/** Deletes large files that no commit has named for some weeks. The blob sweep deletes their bytes. */
export const collectLfsObjects = job<null>({
  kind: 'collect_lfs_objects',
  every: '7d',
  run: async ({ hearth, signal }) => {
    for (let after = ''; !signal.aborted; ) {
      const ids = listReposWithObjects(hearth.db, after, BATCH_ROWS)
      if (ids.length === 0) return
      for (const id of ids) {
        after = id
        const row = repoById(hearth.db, id)
        if (row !== null && !signal.aborted) await collect(hearth, row, signal)
      }
    }
  },
})
