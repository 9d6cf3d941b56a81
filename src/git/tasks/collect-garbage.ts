/**
 * Removes unreachable objects in two steps, as git does with cruft packs (git-repack, "--cruft").
 * Unreachable objects are moved to a cruft pack with the time at which they were found unreachable.
 * Objects that have been there for longer than the grace period are left out of the next cruft
 * pack. The grace period counts from that time, not from the object's creation. So the old commits
 * of a branch that was deleted today stay as long as young ones.
 *
 * This task removes no pack. It returns the names of the obsolete packs, and the host removes them
 * after it has read its refs again.
 */
import { bytesToOid, MODE, parseTree } from '../object.ts'
import { COMMIT, TAG, TREE } from '../pack/entry-header.ts'
import { planPack, planPackOf, type PackPart } from '../pack/pack-plan.ts'
import { writePackFile } from '../pack/write-pack.ts'
import { installPack, removePack, writeDurably } from '../store/store-files.ts'
import { buildMtimes, readMtimes } from '../store/mtimes.ts'
import type { ObjectStore } from '../store/object-store.ts'
import { OidMap } from '../store/oid-map.ts'
import { PackIndex } from '../store/pack-index.ts'
import type { PackFile } from '../store/pack-file.ts'
import type { BitmapReach } from '../walk/bitmap-reach.ts'
import { reachableObjects } from '../walk/reachable-objects.ts'
import { NumberList } from '../walk/number-list.ts'
import type { OpenStore } from './open-store.ts'
import { planDeltasOf } from './plan-deltas.ts'
import type { Task } from './task.ts'

export type GarbageResult = {
  /** Names of obsolete packs: all their objects that are kept are in other packs now. */
  readonly obsoletePacks: readonly string[]
  /** Number of objects that are only in obsolete packs. */
  readonly dropped: number
  /** Number of objects that no tip reaches, dropped or not. */
  readonly unreachable: number
}

type UnreachableObjects = {
  readonly oids: OidMap
  /** For each object the time at which it was first found unreachable, in seconds since 1970. */
  readonly times: NumberList
}

/**
 * `tips` are the raw ids of everything that is referenced. Throws GitError `missing` when one of
 * them or an object below it is missing.
 */
export function* collectGarbage(
  store: OpenStore,
  tips: Uint8Array,
  graceMs: number,
  nowMs: number,
  path: string,
): Task<GarbageResult> {
  const { objects } = store
  const packs = objects.packs.filter((pack) => !pack.isPending())
  const reached = yield* reachableObjects(objects, store.commits, tips)
  const now = Math.floor(nowMs / 1000)

  const unreachable: UnreachableObjects = {
    oids: new OidMap(64, objects.tables),
    times: new NumberList(objects.tables),
  }
  const cruftPacks = new Map<PackFile, Uint32Array>()
  for (const pack of packs) {
    const times = readMtimes(pack.base, pack.index)
    if (times !== null) cruftPacks.set(pack, times)
  }
  for (const [pack, times] of cruftPacks)
    yield* findUnreachable(pack, reached, unreachable, (indexPos) => times[indexPos]!)
  const plainPacks = packs.filter((pack) => !cruftPacks.has(pack))
  const mixedPacks: PackFile[] = []
  // An object that was pushed again since it became unreachable starts a new grace period.
  for (const pack of plainPacks)
    if (yield* findUnreachable(pack, reached, unreachable, () => now)) mixedPacks.push(pack)

  const kept = yield* selectKept(objects, unreachable, now - graceMs / 1000)
  const staying = plainPacks.filter((pack) => !mixedPacks.includes(pack))
  const replaced = [...mixedPacks, ...cruftPacks.keys()]
  const isElsewhere = ({ index }: PackFile, indexPos: number) =>
    staying.some((other) => other.index.find(index.raw, index.oidAt(indexPos)) >= 0)
  const chosen = yield* planPackOf(
    replaced,
    (pack, indexPos) => reached.hasAt(pack, indexPos) && !isElsewhere(pack, indexPos),
  )
  const isUnchanged =
    mixedPacks.length === 0 &&
    kept.size === unreachable.oids.size &&
    cruftPacks.size <= 1 &&
    chosen.length === 0
  const { oids, times } = unreachable
  if (isUnchanged) return { obsoletePacks: [], dropped: 0, unreachable: oids.size }

  const cruft = {
    kept,
    timeOf: (raw: Uint8Array, at: number): number => times.at(oids.get(raw, at)),
  }
  yield* installReplacements(store, chosen, cruft, path)
  return {
    obsoletePacks: replaced.map((pack) => pack.name),
    dropped: oids.size - kept.size,
    unreachable: oids.size,
  }
}

/**
 * Installs a pack of the reachable objects and a cruft pack of the kept ones. When one of them
 * fails, none is left.
 */
function* installReplacements(
  store: OpenStore,
  reachable: readonly PackPart[],
  cruft: { kept: OidMap; timeOf(oids: Uint8Array, at: number): number },
  path: string,
): Task<void> {
  const { directory } = store.objects
  const installed: string[] = []
  try {
    if (reachable.length > 0) {
      const deltas = yield* planDeltasOf(store, reachable)
      yield* writePackFile(store.objects, reachable, path, deltas)
      installed.push(installPack(directory, `${path}.pack`, `${path}.idx`, false))
    }
    if (cruft.kept.size > 0) {
      const selection = { marks: null, others: cruft.kept }
      yield* writePackFile(store.objects, planPack(store.objects, selection), path)
      const index = PackIndex.open(`${path}.idx`)
      const timeAt = (indexPos: number) => cruft.timeOf(index.raw, index.oidAt(indexPos))
      writeDurably(`${path}.mtimes`, buildMtimes(index, timeAt))
      installed.push(installPack(directory, `${path}.pack`, `${path}.idx`, false))
    }
  } catch (error) {
    for (const pack of installed) removePack(directory, pack)
    throw error
  }
}

/** Adds the unreachable objects of a pack. Returns whether it has any. */
function* findUnreachable(
  pack: PackFile,
  reached: BitmapReach,
  { oids, times }: UnreachableObjects,
  timeAt: (indexPos: number) => number,
): Generator<'pause', boolean, unknown> {
  const { index } = pack
  let any = false
  for (let indexPos = 0; indexPos < index.count; indexPos++) {
    if (indexPos % 65536 === 65535) yield 'pause'
    if (reached.hasAt(pack, indexPos)) continue
    any = true
    const number = oids.add(index.raw, index.oidAt(indexPos))
    if (oids.added) times.push(timeAt(indexPos))
    else times.set(number, Math.max(times.at(number), timeAt(indexPos)))
  }
  return any
}

/**
 * Selects the objects found after `since` and everything that they reference, so that the store
 * stays closed under references.
 */
function* selectKept(
  objects: ObjectStore,
  { oids, times }: UnreachableObjects,
  since: number,
): Generator<'pause', OidMap, unknown> {
  const kept = new OidMap(oids.size, objects.tables)
  const ids = oids.bytes
  for (let i = 0; i < oids.size; i++) if (times.at(i) > since) kept.add(ids, i * 20)
  if (kept.size === oids.size) return kept
  for (let i = 0; i < kept.size; i++) {
    if (i % 256 === 255) yield 'pause'
    for (const named of referencedOids(objects, kept.bytes, i * 20)) {
      const raw = Buffer.from(named, 'hex')
      if (oids.get(raw, 0) >= 0) kept.add(raw, 0)
    }
  }
  return kept
}

/** Returns the ids that an object references, without submodules. */
function referencedOids(objects: ObjectStore, oids: Uint8Array, at: number): string[] {
  if (!objects.locate(oids, at)) return []
  const { type } = objects.reader.headerAt(objects.pack, objects.offset)
  if (type !== COMMIT && type !== TAG && type !== TREE) return []
  const data = objects.read(bytesToOid(oids, at))?.data ?? new Uint8Array()
  if (type === TREE)
    return parseTree(data).flatMap(({ mode, oid }) =>
      (mode & 0o170000) === MODE.submodule ? [] : [oid],
    )
  const text = Buffer.from(data.buffer, data.byteOffset, data.length).toString('latin1')
  const end = text.indexOf('\n\n')
  return [
    ...text
      .slice(0, end < 0 ? text.length : end)
      .matchAll(/^(?:tree|parent|object) ([0-9a-f]{40})$/gm),
  ].flatMap(([, oid]) => oid ?? [])
}

/** Whether a pack is a cruft pack: it has a valid `.mtimes` file. */
export const isCruftPack = (pack: PackFile): boolean => readMtimes(pack.base, pack.index) !== null
