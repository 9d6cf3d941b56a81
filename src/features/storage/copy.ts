/** Copies to the bucket what it does not have, and notes what nothing stands for any more. */
import { blobPath } from '#core/blobs.ts'
import type { Hearth } from '#core/hearth.ts'
import { writeAs } from '#core/write.ts'
import { listTipsOfStore } from '#features/repos/index.ts'
import { listAway, missingFromIndexes, packsOf } from '#git'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { send, type Sent } from './carry.ts'
import type { Keeper } from './keeper.ts'
import { blobFile, keyOf, markOf, packFile, packOf } from './names.ts'
import { findStored, insertStored, listStored, setAway, setUnneeded } from './store.ts'

/** Packs come while others are copied; after so many rounds the next job goes on. */
const ROUNDS = 20

/** Gives BucketError. */
export async function copyStore(
  hearth: Hearth,
  keeper: Keeper,
  store: string,
  signal: AbortSignal,
): Promise<void> {
  const { bucket } = keeper
  const directory = keeper.directory(store)
  if (bucket === null || !existsSync(directory)) return
  if (!existsSync(markOf(directory))) await keeper.adopt(store)
  for (let round = 0; round < ROUNDS; round++) {
    const there = packsOf(directory)
    if (there === null) return
    const rows = new Map(listStored(hearth.db, store).map((row) => [row.name, row]))
    const needed = (name: string): boolean => rows.get(name)?.unneeded_at === null
    const fresh = there.packs.filter(
      ({ name }) => !needed(packFile(store, name, 'pack')) || !needed(packFile(store, name, 'idx')),
    )
    if (fresh.length === 0) {
      await settle(hearth, keeper, store, there.indexed)
      return
    }
    for (const { name } of fresh) {
      signal.throwIfAborted()
      const sent: (Sent & { name: string })[] = []
      // The index last: with it the pack counts as there.
      for (const ending of ['pack', 'idx'] as const) {
        const file = packFile(store, name, ending)
        const one = await send(
          bucket,
          join(hearth.settings.data, file),
          (sha256) => keyOf(file, sha256),
          signal,
        )
        if (one) sent.push({ ...one, name: file })
      }
      // One that maintenance took away meanwhile is in another.
      if (sent.length < 2) continue
      await writeAs(hearth, null, (tx) => {
        for (const one of sent) insertStored(tx.db, { ...one, store, away: 0 }, tx.now, tx.now_ms)
      })
    }
  }
}

/**
 * Everything that is here is in the bucket: what rows name beyond that was replaced. An index stays
 * here until its pack is. Rows of what is away say so, which a stop may have left undone.
 */
async function settle(
  hearth: Hearth,
  keeper: Keeper,
  store: string,
  indexed: ReadonlySet<string>,
): Promise<void> {
  const directory = keeper.directory(store)
  if (!existsSync(markOf(directory))) return
  const away = new Set(listAway(directory).map(({ name }) => name))
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
    // Packs went that were not replaced: somebody else took them. Whoever asks next gets what the
    // bucket has.
    hearth.log.error('packs of a store are gone that refs need', { store })
    rmSync(markOf(directory), { force: true })
    keeper.forget(store)
    return
  }
  await writeAs(hearth, null, (tx) => {
    for (const { name, known, isAway } of change) {
      if (known) setAway(tx.db, name, isAway)
      else setUnneeded(tx.db, name, tx.now)
    }
  })
}

/** Gives BucketError. */
export async function copyBlob(
  hearth: Hearth,
  keeper: Keeper,
  sha256: string,
  signal: AbortSignal,
): Promise<void> {
  const { bucket } = keeper
  const name = blobFile(sha256)
  const row = findStored(hearth.db, name)
  if (bucket === null || (row && row.unneeded_at === null)) return
  if (row) {
    await writeAs(hearth, null, (tx) => setUnneeded(tx.db, name, null))
    return
  }
  const checked = (found: string): string => {
    // Nothing but damage makes it another.
    if (found !== sha256)
      throw new Error(`${name} has other bytes than its name says: restore it from a backup`)
    return name
  }
  const sent = await send(bucket, blobPath(hearth, sha256), checked, signal)
  if (sent === null) return
  await writeAs(hearth, null, (tx) =>
    insertStored(tx.db, { ...sent, name, store: null, away: 0 }, tx.now, tx.now_ms),
  )
}
