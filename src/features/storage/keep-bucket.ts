/**
 * The round that is made every few minutes: begins copies that nobody asked for, ends what is
 * unneeded, and makes room here.
 */
import { blobHolders, blobPath } from '#core/blobs.ts'
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { listStores } from '#features/repos/index.ts'
import { BucketError } from '#lib/bucket.ts'
import { DAY, HOUR, timestamp } from '#lib/time.ts'
import { nextTurn } from '#lib/waiting.ts'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { evict } from './evict.ts'
import { copyToBucket } from './jobs.ts'
import { Keeper } from './keeper.ts'
import { blobFile, keyOf, markOf } from './names.ts'
import { sweepBucket } from './sweep-bucket.ts'
import {
  findStored,
  listForsakenStores,
  listStored,
  listStoredBlobs,
  listUnneeded,
  removeStored,
  setAway,
  setUnneeded,
  setUsed,
} from './store.ts'

/** A copy of the database may be so far behind and still find what it names. */
export const GRACE_MS = DAY
const AT_ONCE = 500

/** What earlier rounds of this process saw. */
type Seen = {
  readonly folders: Map<string, bigint>
  blobs_ms: number
  used_ms: number
  swept_ms: number
}
const seen = new WeakMap<Keeper, Seen>()

const timeOf = (path: string): bigint | null =>
  statSync(path, { bigint: true, throwIfNoEntry: false })?.mtimeNs ?? null

/** Whether a folder changed since the last round. */
function changed({ folders }: Seen, path: string): boolean {
  const time = timeOf(path)
  if (time === null || folders.get(path) === time) return false
  folders.set(path, time)
  return true
}

/** Copies of stores whose packs changed, and of those that were never compared with the bucket. */
async function planStores(hearth: Hearth, keeper: Keeper, was: Seen): Promise<void> {
  const due: string[] = []
  for (const [at, store] of listStores(hearth.db).entries()) {
    if (at % 100 === 99) await nextTurn()
    const directory = keeper.directory(store)
    if (changed(was, join(directory, 'objects', 'pack')) || !existsSync(markOf(directory)))
      due.push(store)
  }
  for (let at = 0; at < due.length; at += AT_ONCE) {
    await writeAs(hearth, null, (tx) => {
      for (const store of due.slice(at, at + AT_ONCE))
        tx.enqueue(copyToBucket, { store }, { key: store })
    })
  }
}

/** The same of uploaded files, when their folders changed. */
async function planBlobs(hearth: Hearth, was: Seen): Promise<void> {
  const root = join(hearth.settings.data, 'blobs')
  for (const shard of existsSync(root) ? readdirSync(root) : []) {
    if (!changed(was, join(root, shard))) continue
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

/** Holds the rows of uploaded files against those that name them, and against this disk. */
async function reviewBlobs(hearth: Hearth): Promise<void> {
  const holders = blobHolders.all(hearth)
  for (let after = ''; ; ) {
    const rows = listStoredBlobs(hearth.db, after, AT_ONCE)
    const last = rows.at(-1)
    if (!last) return
    after = last.name
    await writeAs(hearth, null, (tx) => {
      for (const { name, unneeded_at } of rows) {
        const sha256 = name.slice(name.lastIndexOf('/') + 1)
        const here = existsSync(blobPath(hearth, sha256))
        setAway(tx.db, name, !here)
        const held = here || holders.some(({ holds }) => holds(tx.db, sha256))
        if (held !== (unneeded_at === null)) setUnneeded(tx.db, name, held ? null : tx.now)
      }
    })
    await nextTurn()
  }
}

/** Packs of stores that are gone. */
async function reviewStores(hearth: Hearth, keeper: Keeper): Promise<void> {
  const gone = listForsakenStores(hearth.db).filter((store) => !existsSync(keeper.directory(store)))
  if (gone.length === 0) return
  await writeAs(hearth, null, (tx) => {
    for (const store of gone)
      for (const { name, unneeded_at } of listStored(tx.db, store))
        if (unneeded_at === null) setUnneeded(tx.db, name, tx.now)
  })
}

/** Takes out of the bucket what was unneeded for long enough. */
async function clear(hearth: Hearth, keeper: Keeper, signal: AbortSignal): Promise<void> {
  const due = listUnneeded(hearth.db, timestamp(hearth.clock.now() - GRACE_MS), AT_ONCE)
  if (due.length === 0 || keeper.bucket === null || !(await keeper.own())) return
  for (const row of due) {
    signal.throwIfAborted()
    await keeper.bucket.remove(keyOf(row.name, row.sha256))
    await writeAs(hearth, null, (tx) => {
      const now = findStored(tx.db, row.name)
      removeStored(tx.db, row.name)
      // Needed again while it went: it is here, or it would not be.
      if (now?.unneeded_at === null && row.store === null)
        tx.enqueue(copyToBucket, { blob: row.sha256 }, { key: row.sha256 })
    })
  }
}

/** Writes down what was used since the last round. */
async function noteUse(hearth: Hearth, keeper: Keeper, was: Seen): Promise<void> {
  const now = hearth.clock.now()
  const used = [...keeper.used].filter(([, at]) => at >= was.used_ms)
  was.used_ms = now
  for (const [unit, at] of keeper.used) if (at < now - HOUR) keeper.used.delete(unit)
  if (used.length === 0) return
  await writeAs(hearth, null, (tx) => {
    for (const [unit, at] of used)
      setUsed(tx.db, /^[0-9a-f]{64}$/.test(unit) ? { name: blobFile(unit) } : { store: unit }, at)
  })
}

/** Gives BucketError. */
export async function keepRound(
  hearth: Hearth,
  keeper: Keeper,
  signal: AbortSignal,
): Promise<void> {
  const now = hearth.clock.now()
  const was = seen.get(keeper) ?? {
    folders: new Map<string, bigint>(),
    blobs_ms: -Infinity,
    used_ms: -Infinity,
    swept_ms: now,
  }
  seen.set(keeper, was)
  await keeper.own()
  await noteUse(hearth, keeper, was)
  await planStores(hearth, keeper, was)
  await planBlobs(hearth, was)
  if (Math.abs(now - was.blobs_ms) >= HOUR) {
    await reviewBlobs(hearth)
    await reviewStores(hearth, keeper)
    was.blobs_ms = now
  }
  await clear(hearth, keeper, signal)
  if (Math.abs(now - was.swept_ms) >= DAY) {
    await sweepBucket(hearth, keeper, GRACE_MS, signal)
    was.swept_ms = now
  }
  await evict(hearth, keeper, signal)
}

export const keepBucket = job<null>({
  kind: 'keep_bucket',
  lane: 'storage',
  every: '5m',
  retry: [],
  run: async ({ hearth, signal }) => {
    const { storage } = hearth
    if (!(storage instanceof Keeper) || storage.bucket === null) return
    try {
      await keepRound(hearth, storage, signal)
      storage.trouble = null
    } catch (error) {
      if (!(error instanceof BucketError)) throw error
      // The next round tries again; until then the status of the site says it.
      storage.failed(error)
    }
  },
})
