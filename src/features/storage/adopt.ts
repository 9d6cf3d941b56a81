/**
 * Takes over what the bucket has of a store: on a machine that took the place of another, and after
 * a restore. The list of the bucket is what counts, because a copy of the database may be behind
 * it. Indexes come at once, packs when they are asked for.
 */
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import type { DistantPack } from '#core/storage.ts'
import { writeAs } from '#core/write.ts'
import { listAway, packsOf, readAway, writeAway } from '#git'
import type { Bucket } from '#lib/bucket.ts'
import { syncDirectory } from '#lib/disk.ts'
import { existsSync, writeFileSync } from 'node:fs'
import { chmod, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { BLOBS, blobFile, keyOf, listStore, markOf, packOf, type ListedPack } from './names.ts'
import { findStored, insertStored, listStored, removeStored, type StoredRow } from './store.ts'

export type Fetch = (
  key: string,
  what: { readonly size: number; readonly sha256: string },
  settle: (path: string) => Promise<void>,
) => Promise<void>

/**
 * What of a list is still wanted. What a row calls unneeded was replaced by something that was in
 * the bucket before that row said so, and a copy of the database has one without the other never.
 */
function wanted(listed: readonly ListedPack[], rows: ReadonlyMap<string, StoredRow>): ListedPack[] {
  return listed.filter(({ data }) => (rows.get(data.name)?.unneeded_at ?? null) === null)
}

/** Gives how many packs were not known here. Gives BucketError; begun again it goes on. */
export async function adoptStore(
  hearth: Hearth,
  bucket: Bucket,
  store: string,
  fetch: Fetch,
): Promise<number> {
  const { data } = hearth.settings
  const directory = join(data, 'repos', store)
  const rows = new Map(listStored(hearth.db, store).map((row) => [row.name, row]))
  const listed = wanted(await listStore(bucket, store), rows)
  if (listed.length === 0 && !existsSync(directory)) return 0
  if (!existsSync(directory)) await hearth.git.createStore(store)
  const packs = join(directory, 'objects', 'pack')
  let found = 0
  for (const { pack, data: file, index } of listed) {
    if (existsSync(join(data, file.name))) continue
    if (readAway(directory, pack) === null)
      writeAway(directory, {
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
    // A row for what the bucket does not have: as it is here, it is copied again.
    for (const { name, unneeded_at } of rows.values())
      if (unneeded_at === null && !there.has(name) && existsSync(join(data, name)))
        removeStored(tx.db, name)
  })
  const mark = markOf(directory)
  writeFileSync(mark, '')
  await syncDirectory(dirname(mark))
  return found
}

/** What is not here of a store, and whether the bucket has it. */
export async function lookAt(
  bucket: Bucket,
  db: Db,
  directory: string,
  store: string,
): Promise<DistantPack[]> {
  const rows = new Map(listStored(db, store).map((row) => [row.name, row]))
  const listed = new Map(
    wanted(await listStore(bucket, store), rows).map((pack) => [pack.pack, pack]),
  )
  const here = new Set(packsOf(directory)?.packs.map(({ name }) => name))
  const found = new Map<string, DistantPack>()
  for (const { pack, data } of listed.values())
    if (!here.has(pack)) found.set(pack, { name: pack, size: data.size, here: false, there: true })
  for (const { name, size, sha256 } of listAway(directory)) {
    const there = listed.get(name)
    found.set(name, {
      name,
      size,
      here: false,
      there: there?.data.size === size && there.data.sha256 === sha256,
    })
  }
  // What a row names and neither has; with a mark here a pack without its index was replaced, and
  // its row is behind.
  const knows = existsSync(markOf(directory))
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
      found.set(pack.pack, { name: pack.pack, size, here: false, there: false })
  }
  return [...found.values()]
}

/** Which of some uploaded files are there, in their size. */
export async function blobsIn(
  bucket: Bucket,
  db: Db,
  digests: readonly string[],
): Promise<ReadonlySet<string>> {
  const wanted = new Map(digests.map((sha256) => [blobFile(sha256), sha256]))
  const there = new Set<string>()
  for await (const { name, size } of bucket.list(BLOBS)) {
    const sha256 = wanted.get(name)
    if (sha256 !== undefined && size === (findStored(db, name)?.size ?? size)) there.add(sha256)
  }
  return there
}
