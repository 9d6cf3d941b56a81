/**
 * Takes files off this disk that the bucket has: what was not used for longest first, until no more
 * is here than the settings allow. Each object is read back whole before its file goes for the
 * first time, because from then on it is the only one.
 */
import { blobPath } from '#core/blobs.ts'
import type { Hearth } from '#core/hearth.ts'
import { writeAs } from '#core/write.ts'
import { packsOf, writeAway, type AwayPack } from '#git'
import { syncDirectory } from '#lib/disk.ts'
import { isAlive } from '#lib/process.ts'
import { MINUTE } from '#lib/time.ts'
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { receive } from './carry.ts'
import { newIncoming } from './incoming.ts'
import type { Keeper } from './keeper.ts'
import { keyOf, packFile } from './names.ts'
import {
  findStored,
  listStored,
  listUnits,
  setAway,
  setProven,
  sumStored,
  type StoredRow,
} from './store.ts'

/** What was used so lately stays. */
export const REST_MS = MINUTE
const UNITS_AT_ONCE = 100

/**
 * Whether a command reads the same stores: each engine beside a serving one has a folder of its own
 * in `tmp`.
 */
function isSomebodyBeside(data: string): boolean {
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

/** Whether the bucket has it, byte for byte. Gives BucketError when that cannot be asked. */
async function prove(
  hearth: Hearth,
  keeper: Keeper,
  row: StoredRow,
  signal: AbortSignal,
): Promise<boolean> {
  if (keeper.bucket === null) return false
  if (row.proven === 1)
    return (await keeper.bucket.sizeOf(keyOf(row.name, row.sha256))) === row.size
  if (!(await receive(keeper.bucket, keyOf(row.name, row.sha256), row, async () => {}, signal)))
    return false
  await writeAs(hearth, null, (tx) => setProven(tx.db, row.name))
  return true
}

const forlorn = (hearth: Hearth, row: StoredRow): void =>
  hearth.log.error('an object of the bucket is not what was stored there: the file stays here', {
    name: row.name,
  })

const sizeHere = (path: string): number | null =>
  statSync(path, { throwIfNoEntry: false })?.size ?? null

async function evictStore(
  hearth: Hearth,
  keeper: Keeper,
  store: string,
  signal: AbortSignal,
): Promise<number> {
  const { data } = hearth.settings
  const directory = keeper.directory(store)
  const here = new Map(packsOf(directory)?.packs.map((pack) => [pack.name, pack]))
  const leaving: AwayPack[] = []
  for (const row of listStored(hearth.db, store)) {
    const name = basename(row.name, '.pack')
    const pack = row.name.endsWith('.pack') ? here.get(name) : undefined
    if (!pack || row.unneeded_at !== null || pack.pending || pack.size !== row.size) continue
    if (await prove(hearth, keeper, row, signal))
      leaving.push({ name, size: row.size, sha256: row.sha256, modified_ms: pack.modified_ms })
    else forlorn(hearth, row)
  }
  if (leaving.length === 0) return 0
  const packs = join(directory, 'objects', 'pack')
  for (const pack of leaving) writeAway(directory, pack)
  // A note beside its pack says nothing; it must be there for good before the pack goes.
  await syncDirectory(packs)
  const graves: string[] = []
  let freed = 0
  // From here to the end of the loop nothing else runs in this process.
  if (keeper.isAtRest(store, hearth.clock.now() - REST_MS) && !isSomebodyBeside(data)) {
    keeper.forget(store)
    for (const { name, size } of leaving) {
      const grave = newIncoming(data)
      if (
        sizeHere(join(packs, `${name}.pack`)) !== size ||
        sizeHere(join(packs, `${name}.idx`)) === null
      )
        continue
      renameSync(join(packs, `${name}.pack`), grave)
      graves.push(grave)
      freed += size
    }
  } else for (const { name } of leaving) rmSync(join(packs, `${name}.away`), { force: true })
  hearth.git.letGo(store)
  for (const grave of graves) await rm(grave, { force: true })
  if (freed > 0) {
    await writeAs(hearth, null, (tx) => {
      for (const { name } of leaving)
        setAway(tx.db, packFile(store, name, 'pack'), !existsSync(join(packs, `${name}.pack`)))
    })
  }
  return freed
}

async function evictBlob(
  hearth: Hearth,
  keeper: Keeper,
  name: string,
  signal: AbortSignal,
): Promise<number> {
  const row = findStored(hearth.db, name)
  const sha256 = basename(name)
  const path = blobPath(hearth, sha256)
  if (!row || row.unneeded_at !== null) return 0
  if (sizeHere(path) !== row.size) return 0
  if (!(await prove(hearth, keeper, row, signal))) {
    forlorn(hearth, row)
    return 0
  }
  if (
    !keeper.isAtRest(sha256, hearth.clock.now() - REST_MS) ||
    isSomebodyBeside(hearth.settings.data)
  )
    return 0
  rmSync(path, { force: true })
  await writeAs(hearth, null, (tx) => setAway(tx.db, name, !existsSync(path)))
  return row.size
}

/** Gives BucketError. Gives how many bytes went. */
export async function evict(hearth: Hearth, keeper: Keeper, signal: AbortSignal): Promise<number> {
  const most = hearth.settings.storage?.local_bytes ?? null
  if (most === null) return 0
  let over = sumStored(hearth.db).local - most
  let freed = 0
  if (over <= 0 || isSomebodyBeside(hearth.settings.data) || !(await keeper.own())) return 0
  const before = hearth.clock.now() - REST_MS
  for (const { store, name } of listUnits(hearth.db, before, UNITS_AT_ONCE)) {
    signal.throwIfAborted()
    if (over <= 0) break
    if (!keeper.isAtRest(store ?? basename(name), before)) continue
    const bytes =
      store === null
        ? await evictBlob(hearth, keeper, name, signal)
        : await evictStore(hearth, keeper, store, signal)
    over -= bytes
    freed += bytes
  }
  if (freed > 0) hearth.log.info('files that the bucket has left this disk', { bytes: freed })
  return freed
}
