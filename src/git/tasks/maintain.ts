/**
 * Maintains a store. Small packs are combined so that each pack has at least twice the objects of
 * all smaller ones (git-repack, "--geometric"). Unreachable objects are removed after a grace
 * period (`collect-garbage.ts`).
 */
import { syncDirectorySync } from '#lib/disk.ts'
import { closeSync, existsSync, fsyncSync, openSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { buildBitmap } from '../bitmap/build-bitmap.ts'
import { COMMIT } from '../pack/entry-header.ts'
import { MIN_REV_OBJECTS } from '../pack/received-index.ts'
import { planPackOf } from '../pack/pack-plan.ts'
import { writePackFile } from '../pack/write-pack.ts'
import { diffTreePaths } from '../diff/tree-diff.ts'
import { placesOfIds } from '../object.ts'
import { GitError, type ObjectReader, type Oid } from '../ports.ts'
import { buildPathFilter } from '../store/changed-paths.ts'
import { directorySize, installPack, randomName, removePack } from '../store/store-files.ts'
import { writeReverseIndex } from '../store/reverse-index.ts'
import { largestPack, type PackFile } from '../store/pack-file.ts'
import { CommitGraphRows } from '../walk/commit-graph-rows.ts'
import { PathFilters } from '../walk/path-filters.ts'
import { peelRaw } from '../walk/peel.ts'
import { writeCommitGraph } from '../walk/write-commit-graph.ts'
import { collectGarbage, isCruftPack, type GarbageResult } from './collect-garbage.ts'
import { removeQuietly, type Engine } from './engine.ts'
import type { OpenStore } from './open-store.ts'
import { planDeltasOf } from './plan-deltas.ts'
import type { Task } from './task.ts'

const GEOMETRIC_FACTOR = 2
/** Smaller packs get no bitmap: walking them is faster than reading one. */
const MIN_BITMAP_OBJECTS = 1000
/**
 * Objects outside the largest pack above which all packs are combined, so that its bitmap covers
 * them.
 */
const MIN_OUTSIDE_OBJECTS = 5000

export type MaintainOptions = {
  /**
   * Grace period: unreachable objects are removed after this time. Without it nothing is removed.
   */
  readonly graceMs?: number
  /** Current time in milliseconds since 1970. */
  readonly nowMs?: number
  /** Raw ids, 20 bytes each, that running tasks need. Missing ones are ignored. */
  readonly leased?: Uint8Array
  /**
   * Raw ids, 20 bytes each, that the host references outside its refs. They keep objects, but get
   * no bitmap and no place in the commit-graph. Missing ones are ignored.
   */
  readonly kept?: Uint8Array
}

export type MaintenanceResult = Omit<GarbageResult, 'unreachable'> & {
  readonly packs: number
  readonly bytes: number
  readonly unindexed: number
}

/** `named` are the ids of all refs of the fork network, 20 bytes each. */
export function* maintainTask(
  engine: Engine,
  name: string,
  named: Uint8Array,
  options: MaintainOptions = {},
): Task<MaintenanceResult> {
  const { store, tables } = engine.openBounded(name)
  const { objects } = store
  const { directory } = objects
  const path = join(engine.settings.tmp, `combined-${randomName()}`)
  objects.pin()
  try {
    objects.refresh()
    let garbage: GarbageResult = { obsoletePacks: [], dropped: 0, unreachable: 0 }
    if (options.graceMs === undefined) {
      const combined = packsToCombine(settledPacks(store))
      if (combined.length > 1) yield* repack(store, combined, path)
    } else {
      const nowMs = options.nowMs ?? performance.timeOrigin + performance.now()
      const others = [options.leased, options.kept].map((ids) => ids ?? new Uint8Array())
      const all = Buffer.concat([named, ...others.map((ids) => existingOids(store, ids))])
      garbage = yield* collectGarbage(store, all, options.graceMs, nowMs, path)
    }
    objects.refresh()
    // Leased commits may be in a pack of a push that is refused later.
    const tipCommits = commitsOfTips(store, named)
    // Git reads neither file in a shallow repository, and a later fetch may change its roots.
    const isShallow = objects.shallowRoots !== null
    yield* addReverseIndexes(engine, store)
    // Before the commit-graph, because clones of a store without a bitmap walk all of its history.
    if (!isShallow) yield* addBitmap(engine, store, tipCommits, garbage.obsoletePacks)
    const unindexed = isShallow
      ? 0
      : yield* updateCommitGraph(engine, store, tipCommits, garbage.unreachable === 0)
    const { obsoletePacks, dropped } = garbage
    const bytes = directorySize(directory)
    return { obsoletePacks, dropped, packs: objects.packs.length, bytes, unindexed }
  } finally {
    objects.unpin()
    store.close()
    tables.close()
    for (const ending of ['.pack', '.idx', '.rev', '.mtimes']) removeQuietly(path + ending)
  }
}

/** Returns the packs that are neither pending nor cruft packs. */
const settledPacks = ({ objects }: OpenStore): PackFile[] =>
  objects.packs.filter((pack) => !pack.isPending() && !isCruftPack(pack))

/** Returns those of the raw ids that the store has. */
function existingOids({ objects }: OpenStore, oids: Uint8Array): Uint8Array {
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
 * Builds the bitmap of the largest pack when it is large enough and has none. Obsolete packs get
 * none.
 */
function* addBitmap(
  engine: Engine,
  store: OpenStore,
  tipCommits: readonly number[],
  obsoletePacks: readonly string[],
): Task<void> {
  const { objects, commits } = store
  const largest = largestPack(
    settledPacks(store).filter((pack) => !obsoletePacks.includes(pack.name)),
  )
  if (largest === null || largest.index.count < MIN_BITMAP_OBJECTS || largest.bitmap !== null)
    return
  yield* replaceFile(engine, `${largest.base}.bitmap`, (fd) =>
    buildBitmap(objects, commits, largest, tipCommits, fd),
  )
}

/** Writes the reverse index of large packs that have none. */
function* addReverseIndexes(engine: Engine, store: OpenStore): Task<void> {
  for (const pack of settledPacks(store)) {
    if (pack.index.count < MIN_REV_OBJECTS || existsSync(`${pack.base}.rev`)) continue
    yield* replaceFile(engine, `${pack.base}.rev`, (fd) =>
      writeReverseIndex(fd, pack.reverseIndex.all.indexPositions, pack.index.packChecksum),
    )
    yield 'pause'
  }
}

/**
 * Brings the commit-graph up to date with the commits that the tips reach now. With `keepsAll`, the
 * commits of the previous file stay in it: none of them is about to be removed. Returns the number
 * of commits without a filter.
 */
function* updateCommitGraph(
  engine: Engine,
  store: OpenStore,
  tipCommits: readonly number[],
  keepsAll: boolean,
): Task<number> {
  const { objects, commits } = store
  const before = objects.commitGraph
  const rows = yield* CommitGraphRows.collect(commits, tipCommits, before, keepsAll)
  const filters = yield* PathFilters.compute(rows, before, (parent, tree) =>
    buildPathFilter(changedFiles(objects, parent, tree)),
  )
  if (rows.count > 0 && !(rows.isUnchanged && filters.added === 0)) {
    const target = join(objects.directory, 'objects', 'info', 'commit-graph')
    yield* replaceFile(engine, target, (fd) => writeCommitGraph(fd, rows, filters))
  }
  filters.release()
  rows.release()
  return filters.remaining
}

/** Returns the files that differ between two trees; null when there are too many. */
function changedFiles(objects: ObjectReader, parent: Oid | null, tree: Oid): string[] | null {
  try {
    return diffTreePaths(objects, parent, tree).map(({ path }) => path)
  } catch (error) {
    if (error instanceof GitError && error.code === 'too_large') return null
    throw error
  }
}

/** Writes a file durably under a temporary name and renames it, unless `write` returns false. */
function* replaceFile(
  engine: Engine,
  target: string,
  write: (fd: number) => Generator<'pause', boolean | void, unknown> | void,
): Task<void> {
  const path = join(engine.settings.tmp, `made-${randomName()}`)
  try {
    const fd = openSync(path, 'wx', 0o444)
    try {
      const run = write(fd)
      if (run && (yield* run) === false) return
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
    renameSync(path, target)
    syncDirectorySync(dirname(target))
  } finally {
    removeQuietly(path)
  }
}

/** Returns the commits that the tips name, directly or through tags. */
function commitsOfTips(store: OpenStore, tips: Uint8Array): number[] {
  const commits = new Set<number>()
  for (const at of placesOfIds(tips)) {
    const peeled = peelRaw(store.objects, tips, at)
    if (peeled === null || peeled.type !== COMMIT) continue
    const number = store.commits.numberOfRaw(peeled.raw, 0)
    store.commits.load(number)
    commits.add(number)
  }
  return [...commits]
}

function* repack(store: OpenStore, combined: readonly PackFile[], path: string): Task<void> {
  const { objects } = store
  const parts = yield* planPackOf(combined)
  const deltas = yield* planDeltasOf(store, parts)
  yield* writePackFile(objects, parts, path, deltas)
  installPack(objects.directory, `${path}.pack`, `${path}.idx`, false)
  for (const pack of combined) removePack(objects.directory, pack.name)
}

/**
 * Returns all packs when too many objects are outside the pack with the bitmap, else the packs that
 * violate the geometric progression.
 */
function packsToCombine(packs: readonly PackFile[]): readonly PackFile[] {
  const largest = Math.max(0, ...packs.map((pack) => pack.index.count))
  const outside = packs.reduce((sum, pack) => sum + pack.index.count, 0) - largest
  return outside > Math.max(MIN_OUTSIDE_OBJECTS, largest / 4) ? packs : geometricSplit(packs)
}

/**
 * Returns the smallest packs that must be combined so that the rest forms a geometric progression.
 */
export function geometricSplit<P extends { readonly index: { readonly count: number } }>(
  packs: readonly P[],
): P[] {
  const sorted = [...packs].sort((a, b) => a.index.count - b.index.count)
  let split = sorted.length
  // From the largest pack down: packs that form a progression stay.
  for (let i = sorted.length - 1; i > 0; i--) {
    if (sorted[i]!.index.count < GEOMETRIC_FACTOR * sorted[i - 1]!.index.count) break
    split = i
  }
  if (split <= 1) return []
  // The combined pack must keep the progression too. So the next larger packs are included while
  // they are less than twice its size.
  let total = 0
  for (let i = 0; i < split; i++) total += sorted[i]!.index.count
  while (split < sorted.length && sorted[split]!.index.count < GEOMETRIC_FACTOR * total)
    total += sorted[split++]!.index.count
  return sorted.slice(0, split)
}
