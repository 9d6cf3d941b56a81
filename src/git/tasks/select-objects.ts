/**
 * Selects the objects that a fetch sends: with bitmaps where they apply, else by walking commits
 * and trees.
 */
import type { PackBuildOptions } from '../pack/pack-builder.ts'
import type { PackMarks } from '../bitmap/pack-marks.ts'
import type { ObjectSelection } from '../pack/pack-plan.ts'
import { TREE } from '../pack/entry-header.ts'
import { bytesToOid, placesOfIds } from '../object.ts'
import type { FetchRequest, NamespaceTips } from '../protocol/fetch-request.ts'
import { BitmapReach, bitmapMarks, isBitmapFilter, walkMarks } from '../walk/bitmap-reach.ts'
import { ObjectCollector, type BaseTree } from '../walk/object-collector.ts'
import type { ObjectFilter } from '../walk/object-filter.ts'
import { selectCommits, type CommitSelection } from '../walk/select-commits.ts'
import type { ObjectStore } from '../store/object-store.ts'
import { BudgetExceeded } from '../store/work-budget.ts'
import type { FetchOutput } from './fetch-output.ts'
import type { OpenStore } from './open-store.ts'
import type { Task } from './task.ts'

export type ResolvedWants = {
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
  readonly wants: ResolvedWants
  readonly haves: readonly number[]
  readonly boundary: { readonly unshallow: readonly number[] } | null
  /** Commits where the client's history ends now (`client`), and where it will end (`cut`). */
  readonly client: readonly number[]
  readonly cut: ReadonlySet<number>
  readonly filter: ObjectFilter
  readonly out: FetchOutput
}

export type FetchSelection = {
  readonly objects: ObjectSelection
  readonly receiverHas: PackBuildOptions['receiverHas']
  readonly previousVersion: PackBuildOptions['previousVersion']
}

/** Number of commits from which bitmaps are faster than comparing each commit with its parents. */
const MIN_BITMAP_COMMITS = 2000
/**
 * Maximum number of commits walked to find a bitmap of the client's commits, when it only serves to
 * find delta bases.
 */
const MAX_BASE_SEARCH_COMMITS = 500

/** Maximum number of commits for a fetch with a work budget. */
const MAX_BUDGETED_COMMITS = 256

/** Selects the objects to send. */
export function* selectObjects(plan: FetchPlan): Task<FetchSelection> {
  const { store, wants, haves } = plan
  const isPlain = plan.boundary === null && plan.cut.size === 0 && plan.client.length === 0
  const selection =
    isPlain && haves.length > 0
      ? selectCommits(store.commits, wants.commits, haves, () => false)
      : null
  const marks = isPlain ? marksOfReach(plan, selection) : null
  return marks === null
    ? yield* selectByWalking(plan, selection)
    : yield* selectReached(plan, marks)
}

/**
 * Marks for what the wants reach: with bitmaps where they apply and are faster, without for a clone.
 * Null where the differences between commits must be walked, or ids are needed.
 */
function marksOfReach(plan: FetchPlan, selection: CommitSelection | null): PackMarks | null {
  const { wants, haves, filter } = plan
  const { objects } = plan.store
  if (wants.commits.length === 0 || wants.others.some(({ type }) => type === TREE)) return null
  const isShort = selection !== null && selection.commits.length < MIN_BITMAP_COMMITS
  const marks = isBitmapFilter(filter) && !isShort ? bitmapMarks(objects) : null
  return marks ?? (haves.length === 0 ? marksOfClone(objects, filter) : null)
}

/** Marks for a walk of everything, which take less memory than ids; null where the filter needs ids. */
const marksOfClone = (objects: ObjectStore, filter: ObjectFilter): PackMarks | null =>
  filter.treeDepth === Infinity && filter.type === null && objects.reader.budget === null
    ? walkMarks(objects)
    : null

/** Selects everything that the wants reach, without what the haves reach. */
function* selectReached(plan: FetchPlan, marks: PackMarks): Task<FetchSelection> {
  const { store, request, wants, haves, out } = plan
  const { objects, commits: table } = store
  const wanted = new BitmapReach(objects, table, marks, plan.filter)
  for (const _ of wanted.addCommitsAndTrees(wants.commits)) {
    out.counting('Enumerating objects', () => wanted.size)
    yield* out.drain(false)
    yield 'pause'
  }
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
    return { objects: wanted.selection, receiverHas: null, previousVersion: null }
  }
  const clientHas = new BitmapReach(objects, table, marks.empty())
  yield* clientHas.addCommitsAndTrees(haves)
  const chosen = wanted.without(clientHas)
  out.counted('Enumerating objects', wanted.size)
  yield* out.drain(false)
  return {
    objects: chosen,
    receiverHas: isThin(plan) ? (oid) => clientHas.has(oid, 0) : null,
    previousVersion: null,
  }
}

const isThin = ({ request }: FetchPlan): boolean => request.thin && request.filter === null

function* selectByWalking(plan: FetchPlan, found: CommitSelection | null): Task<FetchSelection> {
  const { store, request, wants, haves, boundary, client, cut, filter, out } = plan
  const { objects, commits: table } = store
  // The client's history ends where it said. New cuts only affect what is sent.
  const starts = [...wants.commits]
  for (const commit of boundary?.unshallow ?? []) {
    for (let i = 0; i < table.parentCount(commit); i++) starts.push(table.parent(commit, i))
  }
  // The client has the commits at its shallow boundary. History behind them is added through
  // `unshallow`.
  const clientHas =
    boundary === null ? haves : [...haves, ...(haves.length > 0 ? client : boundary.unshallow)]
  const clientCut = new Set(client)
  const selection =
    found ??
    selectCommits(table, starts, clientHas, (commit) => cut.has(commit) || clientCut.has(commit))
  if (objects.reader.budget !== null && selection.commits.length > MAX_BUDGETED_COMMITS)
    throw new BudgetExceeded()
  const isClone = clientHas.length === 0
  const marks = isClone ? marksOfClone(objects, filter) : null
  const collector = new ObjectCollector(objects, filter, marks, isThin(plan) && !isClone)
  for (const tag of wants.tags) collector.addTag(tag)
  for (const { oid, type } of wants.others) collector.addNamed(oid, type)
  for (const commit of selection.commits) collector.addCommit(table.oids, commit * 20)
  // Objects that the client named are sent whatever the filter says, and so are the targets of tags
  // that it named.
  if (filter.type !== null) {
    for (const at of placesOfIds(request.wants)) collector.chosen.add(request.wants, at)
    for (const oid of wants.tags) collector.chosen.addHex(oid)
    for (const commit of wants.commits) collector.chosen.add(table.oids, commit * 20)
  }
  yield* collectTrees(plan, selection, collector, !isClone)
  const { tags } = plan.names
  if (request.includeTag)
    addTags(
      store,
      tags,
      (at) => collector.has(tags, at),
      (oid) => void collector.chooseHex(oid),
    )
  const chosen = { marks, others: collector.chosenAndUnknown() }
  out.counted('Enumerating objects', collector.size)
  yield* out.drain(false)
  if (!isThin(plan) || isClone) return { objects: chosen, receiverHas: null, previousVersion: null }
  return {
    objects: chosen,
    receiverHas: knownBy(plan, collector),
    previousVersion: (oid, at) => collector.previousVersionOf(oid, at),
  }
}

/**
 * Walks the trees of the selected commits. With `compares`, only the differences to their parents.
 */
function* collectTrees(
  plan: FetchPlan,
  selection: CommitSelection,
  collector: ObjectCollector,
  compares: boolean,
): Task<void> {
  const { store, cut, out } = plan
  const table = store.commits
  // Oldest first, so that a commit's parents are collected before it.
  const order = compares ? [...selection.commits].reverse() : selection.commits
  let steps = 0
  for (const commit of order) {
    const bases: BaseTree[] = []
    if (compares && !cut.has(commit)) {
      for (let i = 0; i < table.parentCount(commit); i++) {
        const parent = table.parent(commit, i)
        table.load(parent)
        bases.push({ bytes: table.treeOids, at: parent * 20, isKnown: selection.isHidden(parent) })
      }
    }
    collector.addTree(table.treeOids, commit * 20, bases)
    if (++steps % 64 === 0) {
      out.counting('Enumerating objects', () => collector.size)
      yield* out.drain(false)
      yield 'pause'
    }
  }
}

/**
 * Returns a test for objects that the client has: seen in a comparison, or in a bitmap of one of
 * its commits.
 */
function knownBy(plan: FetchPlan, collector: ObjectCollector): (oid: Uint8Array) => boolean {
  const { objects, commits: table } = plan.store
  let near: BitmapReach | null | undefined
  return (oid) => {
    if (collector.known.get(oid, 0) >= 0) return true
    if (near === undefined) {
      const marks = plan.cut.size === 0 && plan.client.length === 0 ? bitmapMarks(objects) : null
      near = marks && new BitmapReach(objects, table, marks)
      // At most 500 commits, so the walk has no pauses.
      near?.addCommits(plan.haves, MAX_BASE_SEARCH_COMMITS).next()
    }
    return near?.has(oid, 0) ?? false
  }
}

/** Adds annotated tags of sent objects (`include-tag`), and all tags in a chain of tags. */
function addTags(
  store: OpenStore,
  tags: Uint8Array,
  isSent: (at: number) => boolean,
  add: (oid: string) => void,
): void {
  for (let at = 0; at < tags.length; at += 40) {
    if (!isSent(at + 20)) continue
    for (const tag of store.peel(tags, at)?.tags ?? [bytesToOid(tags, at)]) add(tag)
  }
}
