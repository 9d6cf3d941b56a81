/**
 * Maintenance of the bucket every five minutes: enqueues missing copies, deletes unneeded objects,
 * and evicts local files.
 */
import { blobHolders, blobPath } from '#core/blobs.ts'
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { service } from '#core/service.ts'
import { writeAs } from '#core/write.ts'
import { listStores } from '#features/repos/index.ts'
import { BucketError } from '#lib/bucket.ts'
import { DAY, HOUR, timestamp } from '#lib/time.ts'
import { nextTurn } from '#lib/waiting.ts'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { evict } from './evict.ts'
import { copyToBucket } from './copy-job.ts'
import { BucketStorage } from './bucket-storage.ts'
import { blobFile, keyOf, completeMarkPath } from './bucket-names.ts'
import { sweepBucket } from './sweep-bucket.ts'
import {
  findStored,
  listUnusedStores,
  listStored,
  listStoredBlobs,
  listUnneeded,
  removeStored,
  setOffloaded,
  setUnneeded,
  setUsed,
} from './store.ts'

/** How old a copy of the database may be and still find its files in the bucket. */
export const REMOVAL_GRACE_MS = DAY
const ROWS_PER_BATCH = 500

/** State from earlier rounds of this process. */
type RoundState = {
  readonly folders: Map<string, bigint>
  blobs_ms: number
  used_ms: number
  swept_ms: number
}

const roundStates = service(
  'bucket maintenance',
  ({ clock }): RoundState => ({
    folders: new Map(),
    blobs_ms: -Infinity,
    used_ms: -Infinity,
    swept_ms: clock.now(),
  }),
)

const modifiedNs = (path: string): bigint | null =>
  statSync(path, { bigint: true, throwIfNoEntry: false })?.mtimeNs ?? null

/** Whether a folder changed since the last round. */
function hasChanged({ folders }: RoundState, path: string): boolean {
  const time = modifiedNs(path)
  if (time === null || folders.get(path) === time) return false
  folders.set(path, time)
  return true
}

/**
 * Enqueues copies of stores whose packs changed, and of those that were never compared with the
 * bucket.
 */
async function enqueueChangedStores(
  hearth: Hearth,
  storage: BucketStorage,
  state: RoundState,
): Promise<void> {
  const due: string[] = []
  for (const [at, store] of listStores(hearth.db).entries()) {
    if (at % 100 === 99) await nextTurn()
    const directory = storage.directory(store)
    if (
      hasChanged(state, join(directory, 'objects', 'pack')) ||
      !existsSync(completeMarkPath(directory))
    )
      due.push(store)
  }
  for (let at = 0; at < due.length; at += ROWS_PER_BATCH) {
    await writeAs(hearth, null, (tx) => {
      for (const store of due.slice(at, at + ROWS_PER_BATCH))
        tx.enqueue(copyToBucket, { store }, { key: store })
    })
  }
}

/** Enqueues copies of uploaded files in changed folders. */
async function enqueueChangedBlobs(hearth: Hearth, state: RoundState): Promise<void> {
  const root = join(hearth.settings.data, 'blobs')
  for (const shard of existsSync(root) ? readdirSync(root) : []) {
    if (!hasChanged(state, join(root, shard))) continue
    await nextTurn()
    const due = readdirSync(join(root, shard)).filter(
      (name) => /^[0-9a-f]{64}$/.test(name) && findStored(hearth.db, blobFile(name)) === null,
    )
    if (due.length === 0) continue
    await writeAs(hearth, null, (tx) => {
      for (const blob of due) tx.enqueue(copyToBucket, { blob }, { key: blob })
    })
  }
}

/** Updates the rows of uploaded files from the tables that reference them and from this disk. */
async function reconcileBlobs(hearth: Hearth): Promise<void> {
  const holders = blobHolders.all(hearth)
  for (let after = ''; ; ) {
    const rows = listStoredBlobs(hearth.db, after, ROWS_PER_BATCH)
    const last = rows.at(-1)
    if (!last) return
    after = last.name
    await writeAs(hearth, null, (tx) => {
      for (const { name, unneeded_at } of rows) {
        const sha256 = name.slice(name.lastIndexOf('/') + 1)
        const here = existsSync(blobPath(hearth, sha256))
        setOffloaded(tx.db, name, !here)
        const held = here || holders.some((holder) => holder.isReferenced(tx.db, sha256))
        if (held !== (unneeded_at === null)) setUnneeded(tx.db, name, held ? null : tx.now)
      }
    })
    await nextTurn()
  }
}

/** Marks the packs of removed stores as unneeded. */
async function reconcileStores(hearth: Hearth, storage: BucketStorage): Promise<void> {
  const gone = listUnusedStores(hearth.db).filter((store) => !existsSync(storage.directory(store)))
  if (gone.length === 0) return
  await writeAs(hearth, null, (tx) => {
    for (const store of gone)
      for (const { name, unneeded_at } of listStored(tx.db, store))
        if (unneeded_at === null) setUnneeded(tx.db, name, tx.now)
  })
}

/** Deletes objects that have been unneeded for the grace period. */
async function removeUnneeded(
  hearth: Hearth,
  storage: BucketStorage,
  signal: AbortSignal,
): Promise<void> {
  const due = listUnneeded(
    hearth.db,
    timestamp(hearth.clock.now() - REMOVAL_GRACE_MS),
    ROWS_PER_BATCH,
  )
  if (due.length === 0 || storage.bucket === null || !(await storage.ensureOwner())) return
  for (const row of due) {
    signal.throwIfAborted()
    await storage.bucket.remove(keyOf(row.name, row.sha256))
    await writeAs(hearth, null, (tx) => {
      const now = findStored(tx.db, row.name)
      removeStored(tx.db, row.name)
      // It was needed again during the deletion, so it is on this disk.
      if (now?.unneeded_at === null && row.store === null)
        tx.enqueue(copyToBucket, { blob: row.sha256 }, { key: row.sha256 })
    })
  }
}

/** Saves when files were last used. */
async function saveLastUsed(
  hearth: Hearth,
  storage: BucketStorage,
  state: RoundState,
): Promise<void> {
  const now = hearth.clock.now()
  const used = [...storage.lastUsed].filter(([, at]) => at >= state.used_ms)
  state.used_ms = now
  for (const [unit, at] of storage.lastUsed) if (at < now - HOUR) storage.lastUsed.delete(unit)
  if (used.length === 0) return
  await writeAs(hearth, null, (tx) => {
    for (const [unit, at] of used)
      setUsed(tx.db, /^[0-9a-f]{64}$/.test(unit) ? { name: blobFile(unit) } : { store: unit }, at)
  })
}

/** Runs one round. Throws BucketError. */
export async function runMaintenanceRound(
  hearth: Hearth,
  storage: BucketStorage,
  signal: AbortSignal,
): Promise<void> {
  const now = hearth.clock.now()
  const state = roundStates(hearth)
  await storage.ensureOwner()
  await saveLastUsed(hearth, storage, state)
  await enqueueChangedStores(hearth, storage, state)
  await enqueueChangedBlobs(hearth, state)
  if (Math.abs(now - state.blobs_ms) >= HOUR) {
    await reconcileBlobs(hearth)
    await reconcileStores(hearth, storage)
    state.blobs_ms = now
  }
  await removeUnneeded(hearth, storage, signal)
  if (Math.abs(now - state.swept_ms) >= DAY) {
    await sweepBucket(hearth, storage, REMOVAL_GRACE_MS, signal)
    state.swept_ms = now
  }
  await evict(hearth, storage, signal)
}

export const maintainBucket = job<null>({
  kind: 'keep_bucket',
  queue: 'storage',
  every: '5m',
  retry: [],
  run: async ({ hearth, signal }) => {
    const { storage } = hearth
    if (!(storage instanceof BucketStorage) || storage.bucket === null) return
    try {
      await runMaintenanceRound(hearth, storage, signal)
      storage.lastFailure = null
    } catch (error) {
      if (!(error instanceof BucketError)) throw error
      // The next round tries again. Until then the site status shows the failure.
      storage.recordFailure(error)
    }
  },
})
