/**
 * Plans new deltas for whole objects of packs that are being combined. Git's pack-objects finds
 * similar objects with a window over sizes and name hashes. Here history finds them: where a commit
 * changes a path, the previous version becomes a delta of the new one. So the newest version stays
 * whole and fast to read. The search is bounded in commits, objects and time.
 */
import { BLOB, COMMIT, OFS_DELTA, REF_DELTA, TREE } from '../pack/entry-header.ts'
import type { DeltaPlan } from '../pack/pack-builder.ts'
import { countPlanned, plannedOids, type PackPart } from '../pack/pack-plan.ts'
import { isDir, isBlob, readTree, TreeCursor } from '../history/tree.ts'
import type { OidMap } from '../store/oid-map.ts'
import type { OpenStore } from './open-store.ts'

export type DeltaBudget = {
  /** Maximum number of combined objects. Larger runs are rare and long enough without deltas. */
  readonly objects: number
  readonly commits: number
  /** Maximum number of compared tree entries. */
  readonly steps: number
  readonly deltas: number
  /** Maximum time of the search in milliseconds. */
  readonly ms: number
}

export const DEFAULT_DELTA_BUDGET: DeltaBudget = {
  objects: 300_000,
  commits: 5_000,
  steps: 500_000,
  deltas: 10_000,
  ms: 4_000,
}

/** Maximum length of a new chain, as in git. */
const MAX_NEW_CHAIN = 50
/** Maximum length of an existing chain; git writes at most 4095 deltas. */
const MAX_FOLLOWED_CHAIN = 4096
/** Smaller objects save nothing, larger ones cost too much. */
const MIN_OBJECT_BYTES = 256
const MAX_OBJECT_BYTES = 8 << 20

/** Returns new bases for planned objects. A large plan gets none, and no list of its ids. */
export function* planDeltasOf(
  store: OpenStore,
  parts: readonly PackPart[],
): Generator<'pause', DeltaPlan, unknown> {
  if (countPlanned(parts) > DEFAULT_DELTA_BUDGET.objects) return new Map()
  return yield* planDeltas(store, plannedOids(parts))
}

/**
 * Returns new bases for objects of `chosen`. A planned delta may turn out too long; the writer then
 * drops it.
 */
function* planDeltas(
  store: OpenStore,
  chosen: OidMap,
  budget: DeltaBudget = DEFAULT_DELTA_BUDGET,
): Generator<'pause', DeltaPlan, unknown> {
  const plan: DeltaPlan = new Map()
  if (chosen.size < 2 || chosen.size > budget.objects) return plan
  const forest = yield* currentForest(store, chosen)
  yield* new DeltaPlanner(store, chosen, budget, forest, plan).run()
  return plan
}

/** Pairs versions of the same path along history, within a budget. */
class DeltaPlanner {
  private readonly deadlineMs: number
  /** Tree entries compared so far. */
  private steps = 0

  constructor(
    private readonly store: OpenStore,
    private readonly chosen: OidMap,
    private readonly budget: DeltaBudget,
    private readonly forest: DeltaForest,
    private readonly plan: DeltaPlan,
  ) {
    this.deadlineMs = performance.now() + budget.ms
  }

  /** Compares each chosen commit with its first parent, latest first. */
  *run(): Generator<'pause', void, unknown> {
    const { budget, plan } = this
    const { commits: table } = this.store
    let seen = 0
    for (const commit of this.chosenCommits()) {
      const isSpent =
        ++seen > budget.commits || this.steps > budget.steps || plan.size >= budget.deltas
      if (isSpent || performance.now() > this.deadlineMs) return
      if (table.parentCount(commit) === 0) continue
      const parent = table.parent(commit, 0)
      table.load(parent)
      const [now, then] = [commit * 20, parent * 20]
      if (sameOid(table.treeOids, now, table.treeOids, then)) continue
      this.pair(table.treeOids, now, table.treeOids, then)
      yield* this.compareTrees(hexAt(table.treeOids, now), hexAt(table.treeOids, then))
      if (seen % 16 === 0) yield 'pause'
    }
  }

  /** Returns the chosen commits, latest first. */
  private chosenCommits(): number[] {
    const { chosen, forest } = this
    const { commits: table } = this.store
    const commits: number[] = []
    for (let i = 0; i < chosen.size; i++) {
      if (forest.types[i] !== COMMIT) continue
      const number = table.numberOfRaw(chosen.bytes, i * 20)
      table.load(number)
      commits.push(number)
    }
    return commits.sort((a, b) => table.time(b) - table.time(a))
  }

  /** Plans a delta between two versions, if both are chosen. */
  private pair(newer: Uint8Array, newerAt: number, older: Uint8Array, olderAt: number): void {
    const { chosen, forest, plan } = this
    const [base, target] = [chosen.get(newer, newerAt), chosen.get(older, olderAt)]
    if (base < 0 || target < 0) return
    // When a push made the new version a delta of the old one, the old one becomes a delta of its
    // own previous version.
    if (forest.isBaseOfNewer(base) && forest.link(base, target)) {
      plan.set(oidKey(newer, newerAt), Buffer.from(older.subarray(olderAt, olderAt + 20)))
      forest.markBaseOfNewer(target)
    } else if (forest.link(target, base))
      plan.set(oidKey(older, olderAt), Buffer.from(newer.subarray(newerAt, newerAt + 20)))
  }

  /** Pairs the entries of two trees with equal names, and everything below them. */
  private *compareTrees(newer: string, older: string): Generator<'pause', void, unknown> {
    const { objects } = this.store
    const before = new Map<string, { mode: number; at: number }>()
    const old = readTree(objects, older)
    const cursor = new TreeCursor(old)
    while (cursor.next()) before.set(cursor.name(), { mode: cursor.mode, at: cursor.oidStart })
    const now = readTree(objects, newer)
    const entry = new TreeCursor(now)
    while (entry.next() && this.plan.size < this.budget.deltas) {
      if (++this.steps % 4096 === 0) yield 'pause'
      if (this.steps > this.budget.steps) return
      const was = before.get(entry.name())
      if (!was || sameOid(now, entry.oidStart, old, was.at)) continue
      if (isBlob(entry.mode) && isBlob(was.mode)) this.pair(now, entry.oidStart, old, was.at)
      else if (isDir(entry.mode) && isDir(was.mode)) {
        this.pair(now, entry.oidStart, old, was.at)
        // A directory that is not among the chosen objects has no chosen objects below it.
        if (this.chosen.get(now, entry.oidStart) >= 0)
          yield* this.compareTrees(entry.oid(), hexAt(old, was.at))
      }
    }
  }
}

export const oidKey = (oid: Uint8Array, at: number): string =>
  Buffer.from(oid.buffer, oid.byteOffset + at, 20).toString('latin1')

const hexAt = (oid: Uint8Array, at: number): string =>
  Buffer.from(oid.buffer, oid.byteOffset + at, 20).toString('hex')

function sameOid(a: Uint8Array, at: number, b: Uint8Array, bt: number): boolean {
  for (let i = 0; i < 20; i++) if (a[at + i] !== b[bt + i]) return false
  return true
}

/**
 * The delta chains of the chosen objects, existing and planned: which object is a delta of which.
 */
class DeltaForest {
  /** Number of each object's base, or -1 when it is whole or its base is not chosen. */
  readonly bases: Int32Array
  /** Type codes; 0 for deltas. */
  readonly types: Uint8Array
  readonly sizes: Float64Array
  /** Length of the longest chain that ends in each object. */
  private readonly heights: Uint16Array
  private readonly basesOfNewer = new Set<number>()

  constructor(count: number) {
    this.bases = new Int32Array(count).fill(-1)
    this.types = new Uint8Array(count)
    this.sizes = new Float64Array(count)
    this.heights = new Uint16Array(count)
  }

  /**
   * Makes `target` a delta of `base`. Returns false when the chain would become cyclic or too long.
   */
  attach(target: number, base: number): boolean {
    let depth = 1
    for (let at = base; at >= 0; at = this.bases[at] ?? -1) {
      if (at === target || ++depth + (this.heights[target] ?? 0) > MAX_NEW_CHAIN) return false
    }
    this.bases[target] = base
    let height = (this.heights[target] ?? 0) + 1
    for (let at = base; at >= 0; at = this.bases[at] ?? -1, height++)
      this.heights[at] = Math.max(this.heights[at] ?? 0, height)
    return true
  }

  /** Whether a chain would become cyclic, or is too long to tell. */
  isCyclic(target: number, base: number): boolean {
    let steps = 0
    for (let at = base; at >= 0; at = this.bases[at] ?? -1)
      if (at === target || ++steps > MAX_FOLLOWED_CHAIN) return true
    return false
  }

  /** Whether a newer version is a delta of this whole object. */
  isBaseOfNewer(number: number): boolean {
    return this.basesOfNewer.has(number)
  }

  markBaseOfNewer(number: number): void {
    this.basesOfNewer.add(number)
  }

  /** Makes a whole object a delta of another, if that is allowed. */
  link(target: number, base: number): boolean {
    const [type, size] = [this.types[target], this.sizes[target] ?? 0]
    if (
      (type !== BLOB && type !== TREE) ||
      (this.bases[target] ?? -1) >= 0 ||
      size < MIN_OBJECT_BYTES ||
      size > MAX_OBJECT_BYTES
    )
      return false
    if (this.attach(target, base)) return true
    if (this.isCyclic(target, base)) this.basesOfNewer.add(target)
    return false
  }
}

function* currentForest(
  { objects }: OpenStore,
  chosen: OidMap,
): Generator<'pause', DeltaForest, unknown> {
  const layout = new DeltaForest(chosen.size)
  const deltas: { target: number; base: number }[] = []
  for (let i = 0; i < chosen.size; i++) {
    if (i % 2048 === 2047) yield 'pause'
    if (!objects.locate(chosen.bytes, i * 20)) continue
    const { pack, offset } = objects
    const { type, size, base } = objects.reader.entryAt(pack, offset)
    if (type !== OFS_DELTA && type !== REF_DELTA) {
      layout.types[i] = type
      layout.sizes[i] = size
      continue
    }
    const packPos = pack.reverseIndex.packPosAtOffset(base)
    const number =
      packPos < 0
        ? -1
        : chosen.get(pack.index.raw, pack.index.oidAt(pack.reverseIndex.indexPosAt(packPos)))
    if (number >= 0) deltas.push({ target: i, base: number })
  }
  // Existing chains may have any length; only new ones are limited. Two packs together may contain
  // a cycle.
  for (const { target, base } of deltas)
    if (!layout.attach(target, base) && !layout.isCyclic(target, base)) layout.bases[target] = base
  return layout
}
