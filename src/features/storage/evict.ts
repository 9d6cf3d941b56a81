/**
 * Deletes local files that the bucket has, the least recently used first, until the local limit is
 * met. Before a file is deleted for the first time, its object is read back completely, because it
 * becomes the only copy.
 */
import { blobPath } from '#core/blobs.ts'
import type { Hearth } from '#core/hearth.ts'
import { writeAs } from '#core/write.ts'
import { listLocalPacks, writeOffloadNote, type OffloadedPack } from '#git'
import { syncDirectory } from '#lib/disk.ts'
import { isAlive } from '#lib/process.ts'
import { MINUTE } from '#lib/time.ts'
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { readVerified } from './object-transfer.ts'
import { newIncoming } from './incoming-files.ts'
import type { BucketStorage } from './bucket-storage.ts'
import { keyOf, packFile } from './bucket-names.ts'
import {
  findStored,
  listStored,
  listEvictable,
  setOffloaded,
  setProven,
  sumStored,
  type StoredRow,
} from './store.ts'

/** Files used more recently stay. */
export const MIN_IDLE_MS = MINUTE
const UNITS_PER_ROUND = 100

/** Whether a command reads the same stores. Each engine has a folder of its own in `tmp`. */
function hasOtherProcess(data: string): boolean {
  const tmp = join(data, 'tmp')
  return (
    existsSync(tmp) &&
    readdirSync(tmp).some(
      (name) =>
        /^git-\d+$/.test(name) &&
        Number(name.slice(4)) !== process.pid &&
        isAlive(Number(name.slice(4))),
    )
  )
}

/** Whether the bucket has the file byte for byte. Throws BucketError when it cannot be read. */
async function isProven(
  hearth: Hearth,
  storage: BucketStorage,
  row: StoredRow,
  signal: AbortSignal,
): Promise<boolean> {
  if (storage.bucket === null) return false
  if (row.proven === 1)
    return (await storage.bucket.sizeOf(keyOf(row.name, row.sha256))) === row.size
  if (
    !(await readVerified(storage.bucket, keyOf(row.name, row.sha256), row, async () => {}, signal))
  )
    return false
  await writeAs(hearth, null, (tx) => setProven(tx.db, row.name))
  return true
}

const logMismatch = (hearth: Hearth, row: StoredRow): void =>
  hearth.log.error('an object of the bucket is not what was stored there: the file stays here', {
    name: row.name,
  })

const localSize = (path: string): number | null =>
  statSync(path, { throwIfNoEntry: false })?.size ?? null

async function evictStore(
  hearth: Hearth,
  storage: BucketStorage,
  store: string,
  signal: AbortSignal,
): Promise<number> {
  const { data } = hearth.settings
  const directory = storage.directory(store)
  const here = new Map(listLocalPacks(directory)?.packs.map((pack) => [pack.name, pack]))
  const evicted: OffloadedPack[] = []
  for (const row of listStored(hearth.db, store)) {
    const name = basename(row.name, '.pack')
    const pack = row.name.endsWith('.pack') ? here.get(name) : undefined
    if (!pack || row.unneeded_at !== null || pack.pending || pack.size !== row.size) continue
    if (await isProven(hearth, storage, row, signal))
      evicted.push({ name, size: row.size, sha256: row.sha256, modified_ms: pack.modified_ms })
    else logMismatch(hearth, row)
  }
  if (evicted.length === 0) return 0
  const packs = join(directory, 'objects', 'pack')
  for (const pack of evicted) writeOffloadNote(directory, pack)
  // The note is ignored while its pack exists. It must be durable before the pack is deleted.
  await syncDirectory(packs)
  const graves: string[] = []
  let freed = 0
  // This section is synchronous up to the end of the loop, so no other work can start in the store.
  if (storage.isAtRest(store, hearth.clock.now() - MIN_IDLE_MS) && !hasOtherProcess(data)) {
    storage.forget(store)
    for (const { name, size } of evicted) {
      const grave = newIncoming(data)
      if (
        localSize(join(packs, `${name}.pack`)) !== size ||
        localSize(join(packs, `${name}.idx`)) === null
      )
        continue
      renameSync(join(packs, `${name}.pack`), grave)
      graves.push(grave)
      freed += size
    }
  } else for (const { name } of evicted) rmSync(join(packs, `${name}.away`), { force: true })
  hearth.git.closeFiles(store)
  for (const grave of graves) await rm(grave, { force: true })
  if (freed > 0) {
    await writeAs(hearth, null, (tx) => {
      for (const { name } of evicted)
        setOffloaded(tx.db, packFile(store, name, 'pack'), !existsSync(join(packs, `${name}.pack`)))
    })
  }
  return freed
}

async function evictBlob(
  hearth: Hearth,
  storage: BucketStorage,
  name: string,
  signal: AbortSignal,
): Promise<number> {
  const row = findStored(hearth.db, name)
  const sha256 = basename(name)
  const path = blobPath(hearth, sha256)
  if (!row || row.unneeded_at !== null) return 0
  if (localSize(path) !== row.size) return 0
  if (!(await isProven(hearth, storage, row, signal))) {
    logMismatch(hearth, row)
    return 0
  }
  if (
    !storage.isAtRest(sha256, hearth.clock.now() - MIN_IDLE_MS) ||
    hasOtherProcess(hearth.settings.data)
  )
    return 0
  rmSync(path, { force: true })
  await writeAs(hearth, null, (tx) => setOffloaded(tx.db, name, !existsSync(path)))
  return row.size
}

/** Evicts files and returns the bytes freed. Throws BucketError. */
export async function evict(
  hearth: Hearth,
  storage: BucketStorage,
  signal: AbortSignal,
): Promise<number> {
  const most = hearth.settings.storage?.local_bytes ?? null
  if (most === null) return 0
  let over = sumStored(hearth.db).local - most
  let freed = 0
  if (over <= 0 || hasOtherProcess(hearth.settings.data) || !(await storage.ensureOwner())) return 0
  const before = hearth.clock.now() - MIN_IDLE_MS
  for (const { store, name } of listEvictable(hearth.db, before, UNITS_PER_ROUND)) {
    signal.throwIfAborted()
    if (over <= 0) break
    if (!storage.isAtRest(store ?? basename(name), before)) continue
    const bytes =
      store === null
        ? await evictBlob(hearth, storage, name, signal)
        : await evictStore(hearth, storage, store, signal)
    over -= bytes
    freed += bytes
  }
  if (freed > 0) hearth.log.info('files that the bucket has left this disk', { bytes: freed })
  return freed
}
