/** Copies missing files to the bucket, and marks files there that are no longer needed. */
import { blobPath } from '#core/blobs.ts'
import type { Hearth } from '#core/hearth.ts'
import { writeAs } from '#core/write.ts'
import { listTipsOfStore } from '#features/repos/index.ts'
import { listOffloadedPacks, missingFromIndexes, listLocalPacks } from '#git'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { uploadFile, type UploadedFile } from './object-transfer.ts'
import type { BucketStorage } from './bucket-storage.ts'
import { blobFile, keyOf, completeMarkPath, packFile, packOf } from './bucket-names.ts'
import { findStored, insertStored, listStored, setOffloaded, setUnneeded } from './store.ts'

/** New packs may appear during a copy. After this many rounds the next job continues. */
const MAX_ROUNDS = 20

/** Copies the packs of a store. Throws BucketError. */
export async function copyStore(
  hearth: Hearth,
  storage: BucketStorage,
  store: string,
  signal: AbortSignal,
): Promise<void> {
  const { bucket } = storage
  const directory = storage.directory(store)
  if (bucket === null || !existsSync(directory)) return
  if (!existsSync(completeMarkPath(directory))) await storage.adoptRemotePacks(store)
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const there = listLocalPacks(directory)
    if (there === null) return
    const rows = new Map(listStored(hearth.db, store).map((row) => [row.name, row]))
    const needed = (name: string): boolean => rows.get(name)?.unneeded_at === null
    const fresh = there.packs.filter(
      ({ name }) => !needed(packFile(store, name, 'pack')) || !needed(packFile(store, name, 'idx')),
    )
    if (fresh.length === 0) {
      await reconcileRows(hearth, storage, store, there.indexed)
      return
    }
    for (const { name } of fresh) {
      signal.throwIfAborted()
      const sent: (UploadedFile & { name: string })[] = []
      // The index is uploaded last; it marks the pack as complete.
      for (const ending of ['pack', 'idx'] as const) {
        const file = packFile(store, name, ending)
        const one = await uploadFile(
          bucket,
          join(hearth.settings.data, file),
          (sha256) => keyOf(file, sha256),
          signal,
        )
        if (one) sent.push({ ...one, name: file })
      }
      // Maintenance merged this pack into another one meanwhile.
      if (sent.length < 2) continue
      await writeAs(hearth, null, (tx) => {
        for (const one of sent) insertStored(tx.db, { ...one, store, away: 0 }, tx.now, tx.now_ms)
      })
    }
  }
}

/**
 * Called when all local files are in the bucket: further rows belong to replaced packs. An index
 * stays here until its pack is replaced. Also corrects the `away` column, which an interruption may
 * have left outdated.
 */
async function reconcileRows(
  hearth: Hearth,
  storage: BucketStorage,
  store: string,
  indexed: ReadonlySet<string>,
): Promise<void> {
  const directory = storage.directory(store)
  if (!existsSync(completeMarkPath(directory))) return
  const away = new Set(listOffloadedPacks(directory).map(({ name }) => name))
  const change = listStored(hearth.db, store).flatMap((row) => {
    const pack = packOf(row.name)
    if (!pack || row.unneeded_at !== null) return []
    const known = indexed.has(pack.pack)
    const isAway = pack.ending === 'pack' && away.has(pack.pack)
    return known && isAway === (row.away === 1) ? [] : [{ name: row.name, known, isAway }]
  })
  if (change.length === 0) return
  if (
    change.some(({ known }) => !known) &&
    missingFromIndexes(directory, listTipsOfStore(hearth.db, store)).length > 0
  ) {
    // Packs disappeared without being replaced, so another process deleted them. The next reader
    // downloads them from the bucket.
    hearth.log.error('packs of a store are gone that refs need', { store })
    rmSync(completeMarkPath(directory), { force: true })
    storage.forget(store)
    return
  }
  await writeAs(hearth, null, (tx) => {
    for (const { name, known, isAway } of change) {
      if (known) setOffloaded(tx.db, name, isAway)
      else setUnneeded(tx.db, name, tx.now)
    }
  })
}

/** Copies one uploaded file. Throws BucketError. */
export async function copyBlob(
  hearth: Hearth,
  storage: BucketStorage,
  sha256: string,
  signal: AbortSignal,
): Promise<void> {
  const { bucket } = storage
  const name = blobFile(sha256)
  const row = findStored(hearth.db, name)
  if (bucket === null || (row && row.unneeded_at === null)) return
  if (row) {
    await writeAs(hearth, null, (tx) => setUnneeded(tx.db, name, null))
    return
  }
  const checked = (found: string): string => {
    // Only damage can change the bytes.
    if (found !== sha256)
      throw new Error(`${name} has other bytes than its name says: restore it from a backup`)
    return name
  }
  const sent = await uploadFile(bucket, blobPath(hearth, sha256), checked, signal)
  if (sent === null) return
  await writeAs(hearth, null, (tx) =>
    insertStored(tx.db, { ...sent, name, store: null, away: 0 }, tx.now, tx.now_ms),
  )
}
