/**
 * Keeps a store fast: small packs are put together so that each pack has at least twice the objects
 * of all smaller ones (git-repack, "--geometric"), and objects that nothing reaches go after a
 * grace period (`collect.ts`).
 */
import { syncDirectorySync } from '#lib/disk.ts'
import { existsSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { buildBitmap } from '../bitmap/build-bitmap.ts'
import { COMMIT } from '../pack/entry.ts'
import { REV_FROM } from '../pack/received-index.ts'
import { writePackFile } from '../pack/write-file.ts'
import { diffTreePaths } from '../diff/tree-diff.ts'
import { GitError, type ObjectReader, type Oid } from '../ports.ts'
import { buildFilter } from '../store/changed-paths.ts'
import { directorySize, installPack, randomName, removePack, writeDurably } from '../store/files.ts'
import { OidMap } from '../store/oid-map.ts'
import { buildRev } from '../store/pack-order.ts'
import type { PackFile } from '../store/pack-file.ts'
import { buildCommitGraph } from '../walk/build-graph.ts'
import { peelHex } from '../walk/peel.ts'
import { collectTask, isSetApart, type Collected } from './collect.ts'
import { removeQuietly, type Engine } from './engine.ts'
import type { OpenStore } from './open-store.ts'
import { planDeltas } from './plan-deltas.ts'
import type { Task } from './task.ts'

const FACTOR = 2
/** Packs with fewer objects are walked quicker than a bitmap is read. */
const BITMAP_FROM = 1000
/**
 * Objects that may lie outside of the largest pack before all are put together, so that its bitmap
 * covers them.
 */
const OUTSIDE = 5000

/**
 * Filters of changed paths that one round makes anew; the rest of a long history follows in later
 * ones.
 */
const NEW_FILTERS = 20_000

export type MaintainOptions = {
  /** Unreachable objects go when they were found so for longer than this. */
  readonly graceMs?: number
  /** The time, in milliseconds since 1970. */
  readonly nowMs?: number
  /** What work under way rests on, as far as it exists. */
  readonly leased?: readonly Oid[]
  /**
   * What the host names beside its refs, as far as it exists: raw ids, 20 bytes each. It only keeps
   * objects; no aid to reading is made for it.
   */
  readonly kept?: Uint8Array
}

export type Maintained = Collected & {
  readonly packs: number
  readonly bytes: number
  readonly unindexed: number
}

/** `named` are all refs of the family. */
export function* maintainTask(
  engine: Engine,
  name: string,
  named: readonly Oid[],
  options: MaintainOptions = {},
): Task<Maintained> {
  const store = engine.store(name)
  const { objects } = store
  const directory = engine.directory(name)
  const path = join(engine.settings.tmp, `gathered-${randomName()}`)
  objects.pin()
  try {
    objects.refresh()
    const tips = [...named, ...(options.leased ?? []).filter((oid) => objects.has(oid))]
    let collected: Collected = { doomed: [], dropped: 0 }
    if (options.graceMs === undefined) {
      const gathered = toGather(settled(store))
      if (gathered.length > 1) yield* replace(engine, name, gathered, yield* union(gathered), path)
    } else {
      const nowMs = options.nowMs ?? performance.timeOrigin + performance.now()
      const all = Buffer.concat([
        Buffer.from(tips.join(''), 'hex'),
        present(store, options.kept ?? new Uint8Array()),
      ])
      collected = yield* collectTask(engine, name, all, options.graceMs, nowMs, path)
    }
    objects.refresh()
    const starts = commitsAt(store, tips)
    const unindexed = yield* writeGraph(engine, name, starts)
    yield* addOrders(engine, store)
    yield* addBitmap(engine, name, starts, collected.doomed)
    return { ...collected, packs: objects.packs.length, bytes: directorySize(directory), unindexed }
  } finally {
    objects.unpin()
    for (const ending of ['.pack', '.idx', '.rev', '.mtimes']) removeQuietly(path + ending)
  }
}

/** The packs that are there to stay, less those that were set apart. */
const settled = ({ objects }: OpenStore): PackFile[] =>
  objects.packs.filter((pack) => !pack.isPending() && !isSetApart(pack))

/** Those of raw ids that the store has. */
function present({ objects }: OpenStore, oids: Uint8Array): Uint8Array {
  const there = new Uint8Array(oids.length)
  let end = 0
  for (let at = 0; at < oids.length; at += 20) {
    if (!objects.locateKnown(oids, at)) continue
    there.set(oids.subarray(at, at + 20), end)
    end += 20
  }
  return there.subarray(0, end)
}

/**
 * Gives the largest pack its bitmap, if it is worth one and has none; those on their way out need
 * none.
 */
function* addBitmap(
  engine: Engine,
  name: string,
  starts: readonly number[],
  doomed: readonly string[],
): Task<void> {
  const store = engine.store(name)
  const { objects, commits } = store
  const largest = settled(store)
    .filter((pack) => !doomed.includes(pack.name))
    .reduce<PackFile | null>(
      (best, pack) => (best !== null && best.index.count >= pack.index.count ? best : pack),
      null,
    )
  if (largest === null || largest.index.count < BITMAP_FROM || largest.bitmap !== null) return
  const bytes = yield* buildBitmap(objects, commits, largest, starts)
  if (bytes === null) return
  place(engine, bytes, `${largest.base}.bitmap`)
  largest.lookAgain()
}

/** Writes what tells the order of objects for large packs that have none. */
function* addOrders(engine: Engine, store: OpenStore): Task<void> {
  for (const pack of settled(store)) {
    if (pack.index.count < REV_FROM || existsSync(`${pack.base}.rev`)) continue
    place(engine, buildRev(pack.order.whole.places, pack.index.packChecksum), `${pack.base}.rev`)
    yield 'pause'
  }
}

/**
 * Writes the commit-graph anew, of what the tips reach now. Gives how many commits have no filter
 * yet.
 */
function* writeGraph(engine: Engine, name: string, starts: readonly number[]): Task<number> {
  const { objects, commits } = engine.store(name)
  const before = objects.commitGraph
  let unindexed = 0
  const bytes = yield* buildCommitGraph(commits, starts, {
    most: NEW_FILTERS,
    left: (count) => void (unindexed = count),
    have: (oids, at) => {
      const position = before?.position(oids, at) ?? -1
      return position < 0 ? null : (before?.filter(position) ?? null)
    },
    make: (parent, tree) => buildFilter(changedFiles(objects, parent, tree)),
  })
  if (bytes !== null)
    place(engine, bytes, join(engine.directory(name), 'objects', 'info', 'commit-graph'))
  return unindexed
}

/** The files that differ between two trees; null when there are too many to be told. */
function changedFiles(objects: ObjectReader, parent: Oid | null, tree: Oid): string[] | null {
  try {
    return diffTreePaths(objects, parent, tree).map(({ path }) => path)
  } catch (error) {
    if (error instanceof GitError && error.code === 'too_large') return null
    throw error
  }
}

/** Puts a file in its place, whole and durable. */
function place(engine: Engine, bytes: Uint8Array, target: string): void {
  const path = join(engine.settings.tmp, `made-${randomName()}`)
  try {
    writeDurably(path, bytes)
    renameSync(path, target)
    syncDirectorySync(dirname(target))
  } finally {
    removeQuietly(path)
  }
}

/** The commits that tips name, directly or through tags. */
function commitsAt(store: OpenStore, tips: readonly Oid[]): number[] {
  const commits = new Set<number>()
  for (const tip of tips) {
    const peeled = peelHex(store.objects, tip)
    if (peeled === null || peeled.type !== COMMIT) continue
    const number = store.commits.numberOf(peeled.oid)
    store.commits.load(number)
    commits.add(number)
  }
  return [...commits]
}

function* replace(
  engine: Engine,
  name: string,
  gathered: readonly PackFile[],
  chosen: OidMap,
  path: string,
): Task<void> {
  const directory = engine.directory(name)
  const { objects } = engine.store(name)
  const deltas = yield* planDeltas(engine.store(name), chosen)
  yield* writePackFile(objects, { pack: null, bits: null, others: chosen }, path, deltas)
  installPack(directory, `${path}.pack`, `${path}.idx`, false)
  for (const pack of gathered) removePack(directory, pack.name)
}

/**
 * Everything, when too much lies outside of the pack with the bitmap; else what the progression
 * asks for.
 */
function toGather(packs: readonly PackFile[]): readonly PackFile[] {
  const largest = Math.max(0, ...packs.map((pack) => pack.index.count))
  const outside = packs.reduce((sum, pack) => sum + pack.index.count, 0) - largest
  return outside > Math.max(OUTSIDE, largest / 4) ? packs : geometric(packs)
}

/**
 * The packs to put together: the smallest ones, as many as it takes for the rest to grow by the
 * factor.
 */
export function geometric<P extends { readonly index: { readonly count: number } }>(
  packs: readonly P[],
): P[] {
  const sorted = [...packs].sort((a, b) => a.index.count - b.index.count)
  let split = sorted.length
  // From the largest down: the packs that already stand in progression stay.
  for (let i = sorted.length - 1; i > 0; i--) {
    if (sorted[i]!.index.count < FACTOR * sorted[i - 1]!.index.count) break
    split = i
  }
  if (split <= 1) return []
  // What is put together must not be too large for the next one: take that one in as well then.
  let total = 0
  for (let i = 0; i < split; i++) total += sorted[i]!.index.count
  while (split < sorted.length && sorted[split]!.index.count < FACTOR * total)
    total += sorted[split++]!.index.count
  return sorted.slice(0, split)
}

function* union(packs: readonly PackFile[]): Generator<'pause', OidMap, unknown> {
  const all = new OidMap(packs.reduce((sum, pack) => sum + pack.index.count, 0))
  for (const pack of packs) {
    const { index } = pack
    for (let place = 0; place < index.count; place++) {
      all.add(index.raw, index.idAt(place))
      if (place % 65536 === 65535) yield 'pause'
    }
  }
  return all
}
