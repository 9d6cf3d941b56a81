/**
 * Chooses new deltas for what lies whole in packs that are put together anyway. Neighbours are not
 * found by a window over sizes and hashes of names, as git-pack-objects does, but by history: where
 * a commit changes a path, the version before becomes a delta of the new one, so that the newest
 * stays whole and quick to read. Bounded in commits, in objects and in time.
 */
import { BLOB, COMMIT, OFS_DELTA, REF_DELTA, TREE } from '../pack/entry.ts'
import type { DeltaPlan } from '../pack/build.ts'
import { isDir, isBlob, readTree, TreeCursor } from '../history/tree.ts'
import type { OidMap } from '../store/oid-map.ts'
import type { OpenStore } from './open-store.ts'

export type DeltaBudget = {
  /**
   * Where more objects are put together than this, nothing is planned: such rounds are rare, and
   * long enough.
   */
  readonly objects: number
  readonly commits: number
  /** Entries of trees that are compared. */
  readonly steps: number
  readonly deltas: number
  /** Milliseconds of looking for them. */
  readonly ms: number
}

export const DELTA_BUDGET: DeltaBudget = {
  objects: 300_000,
  commits: 5_000,
  steps: 500_000,
  deltas: 10_000,
  ms: 4_000,
}

/** A chain is at most so long, as git's own are. */
const DEEPEST = 50
/** The longest chain that git makes, and that is followed. */
const LONGEST = 4096
/** Smaller objects gain nothing, larger ones cost too much. */
const SMALLEST = 256
const LARGEST = 8 << 20

/**
 * New bases for objects of `chosen`. What is planned need not pay: whoever makes the delta may find
 * it too long.
 */
export function* planDeltas(
  store: OpenStore,
  chosen: OidMap,
  budget: DeltaBudget = DELTA_BUDGET,
): Generator<'pause', DeltaPlan, unknown> {
  const plan: DeltaPlan = new Map()
  if (chosen.size < 2 || chosen.size > budget.objects) return plan
  const layout = yield* layoutOf(store, chosen)
  const until = performance.now() + budget.ms
  const { commits: table, objects } = store
  const commits: number[] = []
  for (let i = 0; i < chosen.size; i++) {
    if (layout.types[i] !== COMMIT) continue
    const number = table.number(chosen.bytes, i * 20)
    table.load(number)
    commits.push(number)
  }
  commits.sort((a, b) => table.time(b) - table.time(a))
  let steps = 0

  const pair = (newer: Uint8Array, newerAt: number, older: Uint8Array, olderAt: number): void => {
    const [base, target] = [chosen.get(newer, newerAt), chosen.get(older, olderAt)]
    if (base < 0 || target < 0) return
    // Where pushes have made the new one a delta of the old one, the old one had better rest on
    // what came before it in turn.
    if (layout.isRestedOn(base) && layout.link(base, target)) {
      plan.set(keyOf(newer, newerAt), Buffer.from(older.subarray(olderAt, olderAt + 20)))
      layout.noteRest(target)
    } else if (layout.link(target, base))
      plan.set(keyOf(older, olderAt), Buffer.from(newer.subarray(newerAt, newerAt + 20)))
  }
  /** Pairs what has the same name in two trees, and what is below it. */
  function* compare(newer: string, older: string): Generator<'pause', void, unknown> {
    const before = new Map<string, { mode: number; at: number }>()
    const old = readTree(objects, older)
    const cursor = new TreeCursor(old)
    while (cursor.next()) before.set(cursor.name(), { mode: cursor.mode, at: cursor.oidStart })
    const now = readTree(objects, newer)
    const entry = new TreeCursor(now)
    while (entry.next() && plan.size < budget.deltas) {
      if (++steps % 4096 === 0) yield 'pause'
      if (steps > budget.steps) return
      const was = before.get(entry.name())
      if (!was || same(now, entry.oidStart, old, was.at)) continue
      if (isBlob(entry.mode) && isBlob(was.mode)) pair(now, entry.oidStart, old, was.at)
      else if (isDir(entry.mode) && isDir(was.mode)) {
        pair(now, entry.oidStart, old, was.at)
        // A directory that is not new here has nothing new below it.
        if (chosen.get(now, entry.oidStart) >= 0)
          yield* compare(
            entry.oid(),
            Buffer.from(old.subarray(was.at, was.at + 20)).toString('hex'),
          )
      }
    }
  }

  let seen = 0
  for (const commit of commits) {
    if (
      ++seen > budget.commits ||
      steps > budget.steps ||
      plan.size >= budget.deltas ||
      performance.now() > until
    )
      break
    if (table.parentCount(commit) === 0) continue
    const parent = table.parent(commit, 0)
    table.load(parent)
    const [now, then] = [commit * 20, parent * 20]
    if (same(table.treeOids, now, table.treeOids, then)) continue
    pair(table.treeOids, now, table.treeOids, then)
    yield* compare(hexAt(table.treeOids, now), hexAt(table.treeOids, then))
    if (seen % 16 === 0) yield 'pause'
  }
  return plan
}

export const keyOf = (oid: Uint8Array, at: number): string =>
  Buffer.from(oid.buffer, oid.byteOffset + at, 20).toString('latin1')

const hexAt = (oid: Uint8Array, at: number): string =>
  Buffer.from(oid.buffer, oid.byteOffset + at, 20).toString('hex')

function same(a: Uint8Array, at: number, b: Uint8Array, bt: number): boolean {
  for (let i = 0; i < 20; i++) if (a[at + i] !== b[bt + i]) return false
  return true
}

/** How the chosen objects lie in their packs now: which are deltas of which. */
class Layout {
  /** The number of the base of each, or -1 for one that is whole or whose base is not chosen. */
  readonly bases: Int32Array
  /** Type codes; 0 for deltas. */
  readonly types: Uint8Array
  readonly sizes: Float64Array
  /** The longest chain that hangs from each. */
  private readonly heights: Uint16Array
  private readonly newerRests = new Set<number>()

  constructor(count: number) {
    this.bases = new Int32Array(count).fill(-1)
    this.types = new Uint8Array(count)
    this.sizes = new Float64Array(count)
    this.heights = new Uint16Array(count)
  }

  /** Notes what hangs from what; false for a chain that ends in itself or becomes too long. */
  hang(target: number, base: number): boolean {
    let depth = 1
    for (let at = base; at >= 0; at = this.bases[at] ?? -1) {
      if (at === target || ++depth + (this.heights[target] ?? 0) > DEEPEST) return false
    }
    this.bases[target] = base
    let height = (this.heights[target] ?? 0) + 1
    for (let at = base; at >= 0; at = this.bases[at] ?? -1, height++)
      this.heights[at] = Math.max(this.heights[at] ?? 0, height)
    return true
  }

  /** Whether a chain comes back to where it starts, or is too long to tell. */
  circles(target: number, base: number): boolean {
    let steps = 0
    for (let at = base; at >= 0; at = this.bases[at] ?? -1)
      if (at === target || ++steps > LONGEST) return true
    return false
  }

  /** Whether a version that came later is a delta of this one, which is whole. */
  isRestedOn(number: number): boolean {
    return this.newerRests.has(number)
  }

  noteRest(number: number): void {
    this.newerRests.add(number)
  }

  /** Makes a whole object a delta of another, if it may be one. */
  link(target: number, base: number): boolean {
    const [type, size] = [this.types[target], this.sizes[target] ?? 0]
    if (
      (type !== BLOB && type !== TREE) ||
      (this.bases[target] ?? -1) >= 0 ||
      size < SMALLEST ||
      size > LARGEST
    )
      return false
    if (this.hang(target, base)) return true
    if (this.circles(target, base)) this.newerRests.add(target)
    return false
  }
}

function* layoutOf({ objects }: OpenStore, chosen: OidMap): Generator<'pause', Layout, unknown> {
  const layout = new Layout(chosen.size)
  const deltas: { target: number; base: number }[] = []
  for (let i = 0; i < chosen.size; i++) {
    if (i % 2048 === 2047) yield 'pause'
    if (!objects.locate(chosen.bytes, i * 20)) continue
    const { pack, offset } = objects
    const { type, size, base } = objects.reader.entry(pack, offset)
    if (type !== OFS_DELTA && type !== REF_DELTA) {
      layout.types[i] = type
      layout.sizes[i] = size
      continue
    }
    const rank = pack.order.rankAt(base)
    const number =
      rank < 0 ? -1 : chosen.get(pack.index.raw, pack.index.idAt(pack.order.placeAt(rank)))
    if (number >= 0) deltas.push({ target: i, base: number })
  }
  // Chains that are there already, however long; only new ones are held to a length. Two packs
  // together may have a circle.
  for (const { target, base } of deltas)
    if (!layout.hang(target, base) && !layout.circles(target, base)) layout.bases[target] = base
  return layout
}
