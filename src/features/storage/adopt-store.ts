/**
 * Adopts what the bucket holds of a store: on a machine that replaced another one, and after a
 * restore. The listing of the bucket is authoritative, because a copy of the database may be older.
 * Indexes are downloaded at once, packs on demand.
 */
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import type { RemotePack } from '#core/storage.ts'
import { writeAs } from '#core/write.ts'
import { listOffloadedPacks, listLocalPacks, readOffloadNote, writeOffloadNote } from '#git'
import type { Bucket } from '#lib/bucket.ts'
import { syncDirectory } from '#lib/disk.ts'
import { existsSync, writeFileSync } from 'node:fs'
import { chmod, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  BLOBS_PREFIX,
  blobFile,
  keyOf,
  listPacksInBucket,
  completeMarkPath,
  packOf,
  type ListedPack,
} from './bucket-names.ts'
import { findStored, insertStored, listStored, removeStored, type StoredRow } from './store.ts'

export type FetchObject = (
  key: string,
  what: { readonly size: number; readonly sha256: string },
  settle: (path: string) => Promise<void>,
) => Promise<void>

/**
 * Leaves out packs whose row is marked as unneeded. Such a pack was replaced by another one that
 * reached the bucket before the row was marked, so every copy of the database with the mark also
 * has the replacement.
 */
function wanted(listed: readonly ListedPack[], rows: ReadonlyMap<string, StoredRow>): ListedPack[] {
  return listed.filter(({ data }) => (rows.get(data.name)?.unneeded_at ?? null) === null)
}

/** Returns how many packs were new here. Throws BucketError; a repeated call continues. */
export async function adoptStore(
  hearth: Hearth,
  bucket: Bucket,
  store: string,
  fetch: FetchObject,
): Promise<number> {
  const { data } = hearth.settings
  const directory = join(data, 'repos', store)
  const rows = new Map(listStored(hearth.db, store).map((row) => [row.name, row]))
  const listed = wanted(await listPacksInBucket(bucket, store), rows)
  if (listed.length === 0 && !existsSync(directory)) return 0
  if (!existsSync(directory)) await hearth.git.createStore(store)
  const packs = join(directory, 'objects', 'pack')
  let found = 0
  for (const { pack, data: file, index } of listed) {
    if (existsSync(join(data, file.name))) continue
    if (readOffloadNote(directory, pack) === null)
      writeOffloadNote(directory, {
        name: pack,
        size: file.size,
        sha256: file.sha256,
        modified_ms: rows.get(file.name)?.modified_ms ?? file.modified_ms,
      })
    if (existsSync(join(data, index.name))) continue
    found++
    await fetch(keyOf(index.name, index.sha256), index, async (path) => {
      await chmod(path, 0o444)
      await rename(path, join(data, index.name))
    })
  }
  await syncDirectory(packs)
  const there = new Set(listed.flatMap(({ data: file, index }) => [file.name, index.name]))
  await writeAs(hearth, null, (tx) => {
    for (const { data: file, index } of listed) {
      for (const one of [file, index]) {
        if (rows.has(one.name)) continue
        insertStored(
          tx.db,
          { ...one, store, away: existsSync(join(data, one.name)) ? 0 : 1 },
          tx.now,
          tx.now_ms,
        )
      }
    }
    // The bucket lacks this local file; without the row it is copied again.
    for (const { name, unneeded_at } of rows.values())
      if (unneeded_at === null && !there.has(name) && existsSync(join(data, name)))
        removeStored(tx.db, name)
  })
  const mark = completeMarkPath(directory)
  writeFileSync(mark, '')
  await syncDirectory(dirname(mark))
  return found
}

/** Lists the packs of a store that are not on this machine, and whether the bucket has them. */
export async function listRemotePacks(
  bucket: Bucket,
  db: Db,
  directory: string,
  store: string,
): Promise<RemotePack[]> {
  const rows = new Map(listStored(db, store).map((row) => [row.name, row]))
  const listed = new Map(
    wanted(await listPacksInBucket(bucket, store), rows).map((pack) => [pack.pack, pack]),
  )
  const here = new Set(listLocalPacks(directory)?.packs.map(({ name }) => name))
  const found = new Map<string, RemotePack>()
  for (const { pack, data } of listed.values())
    if (!here.has(pack))
      found.set(pack, { name: pack, size: data.size, isLocal: false, isRemote: true })
  for (const { name, size, sha256 } of listOffloadedPacks(directory)) {
    const there = listed.get(name)
    found.set(name, {
      name,
      size,
      isLocal: false,
      isRemote: there?.data.size === size && there.data.sha256 === sha256,
    })
  }
  // Packs that a row names and that are neither here nor in the bucket. With the mark, a pack
  // without a local index was replaced, and its row is outdated.
  const knows = existsSync(completeMarkPath(directory))
  for (const { name, size, unneeded_at } of rows.values()) {
    const pack = packOf(name)
    if (
      pack?.ending !== 'pack' ||
      unneeded_at !== null ||
      here.has(pack.pack) ||
      found.has(pack.pack)
    )
      continue
    if (!knows || existsSync(join(directory, 'objects', 'pack', `${pack.pack}.idx`)))
      found.set(pack.pack, { name: pack.pack, size, isLocal: false, isRemote: false })
  }
  return [...found.values()]
}

/** Returns which of these uploaded files the bucket has in their full size. */
export async function listRemoteBlobs(
  bucket: Bucket,
  db: Db,
  digests: readonly string[],
): Promise<ReadonlySet<string>> {
  const wanted = new Map(digests.map((sha256) => [blobFile(sha256), sha256]))
  const there = new Set<string>()
  for await (const { name, size } of bucket.list(BLOBS_PREFIX)) {
    const sha256 = wanted.get(name)
    if (sha256 !== undefined && size === (findStored(db, name)?.size ?? size)) there.add(sha256)
  }
  return there
}
