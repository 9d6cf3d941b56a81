/**
 * Takes unreachable objects out of a store, in two steps as git does with cruft packs (git-repack,
 * "--cruft"): what nothing reaches is put into a pack of its own, with the time when it was found
 * so; what has lain there for longer than the grace period is left out of the next one. The grace
 * counts from then, not from when an object was made: old commits of a branch that was deleted
 * today stay as long as young ones.
 *
 * Nothing is removed here. The packs that are no longer needed are named, and go when the host has
 * looked once more at what its refs name.
 */
import { bytesToOid, MODE, parseTree } from '../object.ts'
import { COMMIT, TAG, TREE } from '../pack/entry.ts'
import { writePackFile } from '../pack/write-file.ts'
import { installPack, removePack, writeDurably } from '../store/files.ts'
import { buildTimes, readTimes } from '../store/mtimes.ts'
import type { ObjectStore } from '../store/object-store.ts'
import { OidMap } from '../store/oid-map.ts'
import { PackIndex } from '../store/pack-index.ts'
import type { PackFile } from '../store/pack-file.ts'
import { reachableObjects } from '../walk/reachable.ts'
import type { Engine } from './engine.ts'
import { planDeltas } from './plan-deltas.ts'
import type { Task } from './task.ts'

export type Collected = {
  /** Names of packs whose objects that are still wanted are all in others now. */
  readonly doomed: readonly string[]
  /** How many objects are in the doomed packs only. */
  readonly dropped: number
}

type Strays = {
  readonly oids: OidMap
  /** For each, in seconds since 1970, when it was first found unreachable. */
  readonly times: number[]
}

/**
 * `tips` are raw ids of everything that is named. Throws GitError `missing` when one of them, or
 * what it needs, is not there.
 */
export function* collectTask(
  engine: Engine,
  name: string,
  tips: Uint8Array,
  graceMs: number,
  nowMs: number,
  path: string,
): Task<Collected> {
  const store = engine.store(name)
  const { objects } = store
  const packs = objects.packs.filter((pack) => !pack.isPending())
  const reached = yield* reachableObjects(objects, store.commits, tips)
  const now = Math.floor(nowMs / 1000)

  const strays: Strays = { oids: new OidMap(), times: [] }
  const times = new Map<PackFile, Uint32Array>()
  for (const pack of packs) {
    const known = readTimes(pack.base, pack.index)
    if (known !== null) times.set(pack, known)
  }
  const plain = packs.filter((pack) => !times.has(pack))
  const untidy: PackFile[] = []
  for (const [pack, known] of times)
    yield* findStrays(pack, reached, strays, (place) => known[place]!)
  // What came again since it was set apart begins anew.
  for (const pack of plain)
    if (yield* findStrays(pack, reached, strays, () => now)) untidy.push(pack)

  const kept = yield* keep(objects, strays, now - graceMs / 1000)
  const tidy = plain.filter((pack) => !untidy.includes(pack))
  const replaced = [...untidy, ...times.keys()]
  const chosen = yield* choose(replaced, reached, tidy)
  const returns = [...times.keys()].some((pack) => holdsOneOf(pack, chosen))
  if (untidy.length === 0 && kept.size === strays.oids.size && !returns && times.size <= 1)
    return { doomed: [], dropped: 0 }

  const directory = engine.directory(name)
  const made: string[] = []
  try {
    if (chosen.size > 0) {
      const deltas = yield* planDeltas(store, chosen)
      yield* writePackFile(objects, { pack: null, bits: null, others: chosen }, path, deltas)
      made.push(installPack(directory, `${path}.pack`, `${path}.idx`, false))
    }
    if (kept.size > 0) {
      yield* writePackFile(objects, { pack: null, bits: null, others: kept }, path)
      const index = PackIndex.open(`${path}.idx`)
      writeDurably(
        `${path}.mtimes`,
        buildTimes(index, (place) => strays.times[strays.oids.get(index.raw, index.idAt(place))]!),
      )
      made.push(installPack(directory, `${path}.pack`, `${path}.idx`, false))
    }
  } catch (error) {
    for (const pack of made) removePack(directory, pack)
    throw error
  }
  return { doomed: replaced.map((pack) => pack.name), dropped: strays.oids.size - kept.size }
}

/** Adds what a pack has that is not reached; says whether there was anything. */
function* findStrays(
  pack: PackFile,
  reached: OidMap,
  { oids, times }: Strays,
  timeAt: (place: number) => number,
): Generator<'pause', boolean, unknown> {
  const { index } = pack
  let any = false
  for (let place = 0; place < index.count; place++) {
    if (place % 65536 === 65535) yield 'pause'
    const at = index.idAt(place)
    if (reached.get(index.raw, at) >= 0) continue
    any = true
    const number = oids.add(index.raw, at)
    times[number] = Math.max(times[number] ?? 0, timeAt(place))
  }
  return any
}

/**
 * Those that were found after `since`, and what they lead to: a store never has an object without
 * what it names.
 */
function* keep(
  objects: ObjectStore,
  { oids, times }: Strays,
  since: number,
): Generator<'pause', OidMap, unknown> {
  const kept = new OidMap(oids.size)
  const ids = oids.bytes
  for (let i = 0; i < oids.size; i++) if (times[i]! > since) kept.add(ids, i * 20)
  if (kept.size === oids.size) return kept
  for (let i = 0; i < kept.size; i++) {
    if (i % 256 === 255) yield 'pause'
    for (const named of namedBy(objects, kept.bytes, i * 20)) {
      const raw = Buffer.from(named, 'hex')
      if (oids.get(raw, 0) >= 0) kept.add(raw, 0)
    }
  }
  return kept
}

/** The ids that an object names and that must be there with it. */
function namedBy(objects: ObjectStore, oids: Uint8Array, at: number): string[] {
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

/** What is reached in packs that are replaced and is in none of those that stay. */
function* choose(
  replaced: readonly PackFile[],
  reached: OidMap,
  staying: readonly PackFile[],
): Generator<'pause', OidMap, unknown> {
  const chosen = new OidMap()
  for (const { index } of replaced) {
    for (let place = 0; place < index.count; place++) {
      if (place % 65536 === 65535) yield 'pause'
      const at = index.idAt(place)
      if (
        reached.get(index.raw, at) < 0 ||
        staying.some((pack) => pack.index.find(index.raw, at) >= 0)
      )
        continue
      chosen.add(index.raw, at)
    }
  }
  return chosen
}

function holdsOneOf(pack: PackFile, chosen: OidMap): boolean {
  const ids = chosen.bytes
  for (let i = 0; i < chosen.size; i++) if (pack.index.find(ids, i * 20) >= 0) return true
  return false
}

/** Whether a pack holds what nothing reached when it was written. */
export const isSetApart = (pack: PackFile): boolean => readTimes(pack.base, pack.index) !== null
