/**
 * Serves one fetch of any protocol version (gitprotocol-pack, gitprotocol-v2): negotiation, shallow
 * boundary and pack.
 */
import { BLOB, COMMIT, TREE } from '../pack/entry-header.ts'
import { PackBuilder } from '../pack/pack-builder.ts'
import { planPack } from '../pack/pack-plan.ts'
import { GitError } from '../ports.ts'
import { OidMap } from '../store/oid-map.ts'
import { BudgetExceeded } from '../store/work-budget.ts'
import { bytesToOid, oidsToBytes, placesOfIds } from '../object.ts'
import type { FetchRequest, NamespaceTips } from '../protocol/fetch-request.ts'
import { Framer } from '../protocol/framer.ts'
import { NO_FILTER, parseFilter } from '../walk/object-filter.ts'
import { peelHex } from '../walk/peel.ts'
import { selectObjects, type FetchSelection, type ResolvedWants } from './select-objects.ts'
import { computeShallow, shallowRootsBelow } from '../walk/shallow.ts'
import { type Negotiation, negotiateV0, negotiateV2 } from './negotiate.ts'
import type { OpenStore } from './open-store.ts'
import { FetchOutput } from './fetch-output.ts'
import type { BorrowedBlocks } from './lent-blocks.ts'
import type { Task } from './task.ts'

/**
 * Runs a fetch of `Git.uploadPack`. Errors after the first output are sent in the stream, as git
 * expects. Returns whether the response is complete and may be reused.
 */
export function* fetchTask(
  store: OpenStore,
  request: FetchRequest,
  names: NamespaceTips,
  blocks?: BorrowedBlocks,
): Task<boolean> {
  store.objects.pin()
  const framer = new Framer(request.band, blocks?.allocate)
  const out = new FetchOutput(framer, request)
  let sent = false
  try {
    sent = yield* runFetch(store, request, names, framer, out)
  } catch (error) {
    if (!(error instanceof GitError)) throw error
    out.fail(error)
  } finally {
    store.objects.unpin()
  }
  yield* out.drain(true)
  return sent
}

function* runFetch(
  store: OpenStore,
  request: FetchRequest,
  names: NamespaceTips,
  framer: Framer,
  out: FetchOutput,
): Task<boolean> {
  store.objects.refresh()
  const filter = request.filter === null ? NO_FILTER : parseFilter(request.filter)
  const reach = store.reach(names.tips)
  const table = store.commits
  const wants = yield* resolveWants(store, request.wants, names)
  // Only existing objects get a commit number, so that clients cannot fill the table with invented
  // ids.
  const ends = placesOfIds(request.shallow).filter((at) => isCommit(store, request.shallow, at))
  const client = [...ends.map((at) => table.numberOfRaw(request.shallow, at))].filter((commit) =>
    reach.has(commit, true),
  )

  const { cut, boundary, shallowInfo } = findBoundary(store, request, wants.commits, client)
  const talk = { request, out, store, reach, wants: wants.commits, shallowInfo }
  const haves = request.protocol === 2 ? negotiateV2(talk) : negotiateV0(talk)
  if (haves === null) return true
  out.packStarts()

  const selected = yield* selectObjects({
    store,
    request,
    names,
    wants,
    haves,
    boundary,
    client,
    cut,
    filter,
    out,
  })
  yield* sendPack(store, request, selected, framer, out)
  return true
}

function isCommit({ objects }: OpenStore, ids: Uint8Array, at: number): boolean {
  return objects.header(bytesToOid(ids, at))?.type === 'commit'
}

type Boundary = {
  /** All commits at which the client's history will end. */
  readonly cut: ReadonlySet<number>
  /** What a request that deepens changes; null for any other. */
  readonly boundary: Negotiation['shallowInfo']
  readonly shallowInfo: Negotiation['shallowInfo']
}

/** `client` are the commits at which the client's history ends now. */
function findBoundary(
  { objects, commits: table }: OpenStore,
  { protocol, depth, deepenRelative, deepenSince, deepenNot }: FetchRequest,
  wants: readonly number[],
  client: readonly number[],
): Boundary {
  const unchanged = new Set(client)
  if (depth === 0 && deepenSince === null && deepenNot.length === 0) {
    // Versions 0 and 1 name the boundary of a shallow store with the refs.
    const shallowInfo =
      protocol === 2 && table.hasShallowRoots
        ? { shallow: shallowRootsBelow(table, wants, unchanged), unshallow: [] }
        : null
    return { cut: unchanged, boundary: null, shallowInfo }
  }
  const excluded = deepenNot
    .map((oid) => peelHex(objects, oid))
    .filter((peeled) => peeled?.type === COMMIT)
  const found = computeShallow(table, wants, {
    client,
    depth,
    relative: deepenRelative,
    since: deepenSince,
    excluded: excluded.map((peeled) => table.numberOf(peeled!.oid)),
  })
  if (found === null) throw new GitError('invalid', 'no commits selected for shallow requests')
  return { cut: found.cut, boundary: found, shallowInfo: found }
}

/** Writes the pack of the selected objects and its trailer. */
export function* sendPack(
  store: OpenStore,
  request: FetchRequest,
  { objects: selection, receiverHas, previousVersion }: FetchSelection,
  framer: Framer,
  out: FetchOutput,
): Task<void> {
  const parts = planPack(store.objects, selection)
  const builder = new PackBuilder(
    store.objects,
    parts,
    { ofsDelta: request.ofsDelta, receiverHas, previousVersion },
    framer,
  )
  const same = builder.identicalPack
  const hasher = same === null ? new Bun.CryptoHasher('sha1') : null
  framer.hashTo(hasher)
  let next = 256
  for (const _ of builder.run(() => framer.hasReady || builder.doneCount >= next)) {
    next = builder.doneCount + 256
    out.counting('Sending objects', () => builder.doneCount)
    yield* out.drain(false)
    yield 'pause'
  }
  framer.hashTo(null)
  const trailer = same === null ? (hasher!.digest() as Uint8Array) : same.index.packChecksum
  framer.put(Buffer.from(trailer), 0, 20)
  out.packEnds(builder.total)
}

/**
 * Resolves the wants of a client, raw ids. Throws GitError `missing` for everything that the tips do
 * not reach.
 */
export function* resolveWants(
  store: OpenStore,
  ids: Uint8Array,
  names: NamespaceTips,
): Task<ResolvedWants> {
  const reach = store.reach(names.tips)
  const table = store.commits
  const commits: number[] = []
  const tags: string[] = []
  const others: { oid: string; type: number }[] = []
  const unproven: string[] = []
  const seen = new OidMap(ids.length / 20)
  for (const at of placesOfIds(ids)) {
    seen.add(ids, at)
    if (!seen.added) continue
    const known = table.parsedNumber(ids, at)
    if (known >= 0) {
      if (!reach.has(known, true)) throw notOurRef(bytesToOid(ids, at))
      commits.push(known)
      continue
    }
    const oid = bytesToOid(ids, at)
    const peeled = store.peel(ids, at)
    if (peeled === null) throw notOurRef(oid)
    if (!reach.isNamed(oid)) {
      // A tag is visible only as a tip or on the way from a tip.
      if (peeled.tags.length > 0) throw notOurRef(oid)
      if (peeled.type === COMMIT) {
        if (!reach.has(table.numberOfRaw(peeled.raw, 0), true)) throw notOurRef(oid)
      } else unproven.push(oid)
    }
    tags.push(...peeled.tags)
    if (peeled.type === COMMIT) {
      const number = table.numberOfRaw(peeled.raw, 0)
      table.load(number)
      commits.push(number)
    } else if (peeled.type === TREE || peeled.type === BLOB)
      others.push({ oid: peeled.oid, type: peeled.type })
  }
  if (unproven.length > 0) {
    // The walk is kept for later queries, so it must not be aborted by a budget.
    if (store.objects.reader.budget !== null) throw new BudgetExceeded()
    const hidden = yield* store.visible(names.tips).firstHidden(oidsToBytes(unproven))
    if (hidden !== null) throw notOurRef(hidden)
  }
  return { commits: [...new Set(commits)], tags, others }
}

const notOurRef = (oid: string) => new GitError('missing', `upload-pack: not our ref ${oid}`)
