/**
 * Which objects a fetch sends: by the bitmaps of a pack where they answer it, else by walking
 * commits and trees.
 */
import type { BuildOptions } from '../pack/build.ts'
import type { Chosen } from '../pack/plan.ts'
import { TREE } from '../pack/entry.ts'
import type { FetchRequest, NamespaceTips } from '../protocol/fetch-request.ts'
import { BitmapReach, bitmapPack, fitsBitmaps } from '../walk/bitmap-reach.ts'
import { Collector, type Base } from '../walk/collect.ts'
import type { Filter } from '../walk/filter.ts'
import { selectCommits, type CommitSelection } from '../walk/select-commits.ts'
import { Spent } from '../store/meter.ts'
import type { FetchOutput } from './fetch-output.ts'
import type { OpenStore } from './open-store.ts'
import type { Task } from './task.ts'

export type Wants = {
  /** Commits, named directly or through tags. */
  readonly commits: readonly number[]
  /** Tag objects on the way. */
  readonly tags: readonly string[]
  readonly others: readonly { readonly oid: string; readonly type: number }[]
}

export type FetchPlan = {
  readonly store: OpenStore
  readonly request: FetchRequest
  readonly names: NamespaceTips
  readonly wants: Wants
  readonly haves: readonly number[]
  readonly boundary: { readonly unshallow: readonly number[] } | null
  /** Commits at which the client's history ends now, and those at which it will. */
  readonly client: readonly number[]
  readonly cut: ReadonlySet<number>
  readonly filter: Filter
  readonly out: FetchOutput
}

export type Selected = {
  readonly chosen: Chosen
  readonly known: BuildOptions['known']
  readonly origin: BuildOptions['origin']
}

/** From so many commits on, sets are quicker than comparing each commit with its parents. */
const MANY = 2000
/**
 * Commits that are walked to find sets for what the client has, when they only serve to find bases
 * for deltas.
 */
const NEARBY = 500

/** So many commits, and what they bring, are too much for where others wait. */
const FEW = 256

/** Which objects are to be sent. */
export function* selectObjects(plan: FetchPlan): Task<Selected> {
  const { store, wants, haves } = plan
  const isPlain = plan.boundary === null && plan.cut.size === 0 && plan.client.length === 0
  const selection =
    isPlain && haves.length > 0
      ? selectCommits(store.commits, wants.commits, haves, () => false)
      : null
  return (yield* selectByBitmaps(plan, selection)) ?? (yield* selectByWalking(plan, selection))
}

/** Null when bitmaps cannot answer it or would be slower. */
function* selectByBitmaps(
  plan: FetchPlan,
  selection: CommitSelection | null,
): Task<Selected | null> {
  const { store, request, wants, haves, filter, out } = plan
  const { objects, commits: table } = store
  const plain =
    plan.boundary === null &&
    plan.cut.size === 0 &&
    wants.commits.length > 0 &&
    wants.others.every(({ type }) => type !== TREE)
  if (!plain || !fitsBitmaps(filter) || (selection !== null && selection.commits.length < MANY))
    return null
  const pack = bitmapPack(objects)
  if (pack === null) return null

  const wanted = new BitmapReach(objects, table, pack, filter)
  wanted.addCommits(wants.commits)
  yield* wanted.addTrees()
  wanted.applyFilter()
  for (const oid of wants.tags) wanted.addObject(oid)
  for (const { oid } of wants.others) wanted.addObject(oid)
  if (request.includeTag)
    addTags(
      store,
      plan.names.tags,
      (at) => wanted.has(plan.names.tags, at),
      (oid) => wanted.addObject(oid),
    )
  if (haves.length === 0) {
    out.counted('Enumerating objects', wanted.size)
    yield* out.drain(false)
    return { chosen: { pack, bits: wanted.bits, others: wanted.others }, known: null, origin: null }
  }
  const had = new BitmapReach(objects, table, pack)
  had.addCommits(haves)
  yield* had.addTrees()
  const chosen = { pack, ...wanted.minus(had) }
  out.counted('Enumerating objects', wanted.size)
  yield* out.drain(false)
  return { chosen, known: isThin(plan) ? (oid) => had.has(oid, 0) : null, origin: null }
}

const isThin = ({ request }: FetchPlan): boolean => request.thin && request.filter === null

function* selectByWalking(plan: FetchPlan, found: CommitSelection | null): Task<Selected> {
  const { store, request, wants, haves, boundary, client, cut, filter, out } = plan
  const { objects, commits: table } = store
  // The client's side of history ends where it said; what is newly cut binds only what is sent.
  const starts = [...wants.commits]
  for (const commit of boundary?.unshallow ?? []) {
    for (let i = 0; i < table.parentCount(commit); i++) starts.push(table.parent(commit, i))
  }
  // A commit that the client has cut off is one it has; what newly lies behind it comes through
  // `unshallow`.
  const had =
    boundary === null ? haves : [...haves, ...(haves.length > 0 ? client : boundary.unshallow)]
  const clientCut = new Set(client)
  const selection =
    found ?? selectCommits(table, starts, had, (commit) => cut.has(commit) || clientCut.has(commit))
  if (objects.reader.meter !== null && selection.commits.length > FEW) throw new Spent()
  const collector = new Collector(objects, filter, null, isThin(plan) && had.length > 0)
  for (const tag of wants.tags) collector.addTag(tag)
  for (const { oid, type } of wants.others) collector.addNamed(oid, type)
  for (const commit of selection.commits) collector.addCommit(table.oids, commit * 20)
  // What the client named itself comes whatever the filter says, and so does what a tag that it
  // named leads to.
  if (filter.type !== null) {
    for (const oid of [...request.wants, ...wants.tags]) collector.chosen.addHex(oid)
    for (const commit of wants.commits) collector.chosen.add(table.oids, commit * 20)
  }
  yield* collectTrees(plan, selection, collector, had.length > 0)
  const { tags } = plan.names
  if (request.includeTag)
    addTags(
      store,
      tags,
      (at) => collector.chosen.get(tags, at) >= 0,
      (oid) => void collector.chosen.addHex(oid),
    )
  const chosen = { pack: null, bits: null, others: collector.unknown() }
  out.counted('Enumerating objects', chosen.others.size)
  yield* out.drain(false)
  if (!isThin(plan) || had.length === 0) return { chosen, known: null, origin: null }
  return {
    chosen,
    known: knownBy(plan, collector),
    origin: (oid, at) => collector.originOf(oid, at),
  }
}

/**
 * Walks the trees of the selected commits; with `compares`, only where they differ from their
 * parents'.
 */
function* collectTrees(
  plan: FetchPlan,
  selection: CommitSelection,
  collector: Collector,
  compares: boolean,
): Task<void> {
  const { store, cut, out } = plan
  const table = store.commits
  // Oldest first, so that what a commit shares with its parents is there before it.
  const order = compares ? [...selection.commits].reverse() : selection.commits
  let steps = 0
  for (const commit of order) {
    const bases: Base[] = []
    if (compares && !cut.has(commit)) {
      for (let i = 0; i < table.parentCount(commit); i++) {
        const parent = table.parent(commit, i)
        table.load(parent)
        bases.push({ bytes: table.treeOids, at: parent * 20, known: selection.isHidden(parent) })
      }
    }
    collector.addTree(table.treeOids, commit * 20, bases)
    if (++steps % 64 === 0) {
      out.counting('Enumerating objects', collector.chosen.size)
      yield* out.drain(false)
      yield 'pause'
    }
  }
}

/** What the client has: seen while comparing, or in a set of a commit that it has. */
function knownBy(plan: FetchPlan, collector: Collector): (oid: Uint8Array) => boolean {
  const { objects, commits: table } = plan.store
  let near: BitmapReach | null | undefined
  return (oid) => {
    if (collector.known.get(oid, 0) >= 0) return true
    if (near === undefined) {
      const pack = plan.cut.size === 0 && plan.client.length === 0 ? bitmapPack(objects) : null
      near = pack === null ? null : new BitmapReach(objects, table, pack)
      near?.addCommits(plan.haves, NEARBY)
    }
    return near?.has(oid, 0) ?? false
  }
}

/**
 * Adds annotated tags of objects that are sent (`include-tag`), with the tags on the way from a tag
 * of a tag.
 */
function addTags(
  store: OpenStore,
  tags: Uint8Array,
  isSent: (at: number) => boolean,
  add: (oid: string) => void,
): void {
  for (let at = 0; at < tags.length; at += 40) {
    if (!isSent(at + 20)) continue
    const oid = Buffer.from(tags.subarray(at, at + 20)).toString('hex')
    for (const tag of store.peel(oid)?.tags ?? [oid]) add(tag)
  }
}
