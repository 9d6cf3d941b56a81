/**
 * Receives the pack of a push (gitprotocol-pack, "Reference Update Request And Packfile Transfer").
 * Nothing becomes visible before all checks have passed: format, hashes, deltas, content of each
 * object, and connectivity. Every object that a new one references must be in the pack or reachable
 * from this namespace's refs. This rule keeps the store closed under references. It also prevents a
 * push from referencing objects that only another fork has.
 */
import { join } from 'node:path'
import { release } from '#lib/pieces.ts'
import { COMMIT } from '../pack/entry-header.ts'
import { PackReceiver } from '../pack/pack-receiver.ts'
import type { DeltaResolver } from '../pack/delta-resolver.ts'
import { resolveDeltas, resolverMemoryBytes } from '../pack/resolve-deltas.ts'
import { bytesToOid } from '../object.ts'
import { GitError } from '../ports.ts'
import { installPack, randomName } from '../store/store-files.ts'
import { completeThinPack } from '../pack/thin-pack.ts'
import { writeReceivedIndex } from '../pack/received-index.ts'
import { refuseSha1Collisions } from '../pack/refuse-sha1-collisions.ts'
import { requireSameContent, checkSettingsFiles, checkConnectivity } from '../pack/connectivity.ts'
import { OverlayStore } from '../store/overlay-store.ts'
import { PackFile } from '../store/pack-file.ts'
import { readShallowRoots, writeShallowRoots } from '../store/shallow-roots.ts'
import { findReceivedRoots } from '../pack/received-roots.ts'
import { peelRaw } from '../walk/peel.ts'
import type { ReachableCommits } from '../walk/reachable-commits.ts'
import { removeQuietly, type Engine } from './engine.ts'
import type { OpenStore } from './open-store.ts'
import type { IngestTargets } from './ingest-targets.ts'
import type { TaskHelpers, Task } from './task.ts'

export type IngestRequest = {
  readonly store: string
  /** Raw ids of the namespace's refs. */
  readonly tips: Uint8Array
  /** What the refs shall name. */
  readonly targets: IngestTargets
  /** Whether the input has a pack. */
  readonly pack: boolean
  /**
   * Whether the output reports progress after each block of input: received and announced objects,
   * as two big-endian 32-bit numbers.
   */
  readonly counts?: boolean
  /** Whether one byte of output says that the pack is complete, although the input goes on. */
  readonly tellsEnd?: boolean
  /** Whether harmless faults of old history are accepted, as in packs of other servers (fsck.ts). */
  readonly imported?: boolean
  /** The commits at which the sender's history ends, if it may send such a history. */
  readonly shallow?: readonly string[]
}

export type IngestResult = {
  /** Bytes of the received pack. */
  readonly bytes: number
  readonly objects: number
  /** Name of the installed pack, which is pending; null when nothing was received. */
  readonly pack: string | null
  /** Whether objects were received that have not been scanned for SHA-1 collisions. */
  readonly unscanned: boolean
  /** For each target the reason why a ref may not point at it, or null. */
  readonly targetErrors: readonly (string | null)[]
}

/** The error of a target that was neither received nor is visible. */
export const MISSING_OBJECTS = 'missing necessary objects'

export function* ingestTask(
  engine: Engine,
  request: IngestRequest,
  helpers: TaskHelpers | null = null,
): Task<IngestResult> {
  const store = engine.store(request.store)
  store.objects.pin()
  const path = join(engine.settings.tmp, `incoming-${randomName()}`)
  try {
    if (!request.pack) {
      store.objects.refresh()
      return withoutPack(store, request, 0)
    }
    return yield* receivePack(engine, store, request, path, helpers)
  } finally {
    store.objects.unpin()
    for (const ending of ['.pack', '.idx', '.rev']) removeQuietly(path + ending)
  }
}

function* receivePack(
  engine: Engine,
  store: OpenStore,
  request: IngestRequest,
  path: string,
  helpers: TaskHelpers | null,
): Task<IngestResult> {
  const { settings } = engine
  const { memory } = engine
  const receiver = new PackReceiver(
    `${path}.pack`,
    { ...settings, imported: request.imported ?? false },
    memory,
  )
  let reservedBytes = 0
  let resolver: DeltaResolver | null = null
  try {
    yield* readInput(receiver, request)
    const bytes = receiver.size
    if (receiver.expectedCount === 0) {
      store.objects.refresh()
      return withoutPack(store, request, bytes)
    }
    const limits = {
      maxObjectBytes: settings.maxObjectBytes,
      memoryBytes: Math.max(16 << 20, Math.min(64 << 20, settings.memoryBudget / 8)),
      boundsExpansion: true,
    }
    const resolverBytes = resolverMemoryBytes(receiver, limits, helpers)
    reservedBytes = yield* memory.reserve(resolverBytes + receiver.tableBytes)
    resolver = yield* resolveDeltas(receiver, bytes - 20, limits, helpers, undefined, memory)
    store.objects.refresh()
    const checksum = yield* completeThinPack(store, receiver, resolver, request.tips, settings)
    const left = resolver.deltas - resolver.resolved
    if (left > 0) throw new GitError('corrupt', `the pack has ${left} deltas without a base`)
    resolver.close()
    resolver = null
    reservedBytes = memory.keep(reservedBytes, receiver.tableBytes)
    writeReceivedIndex(`${path}.idx`, receiver.entries, receiver.links, checksum)
    const checked = yield* checkPack(store, request, receiver, path)
    const pack = installPack(engine.directory(request.store), `${path}.pack`, `${path}.idx`, true)
    store.objects.refresh()
    return { bytes, objects: receiver.expectedCount, pack, ...checked }
  } finally {
    receiver.close()
    resolver?.close()
    memory.release(reservedBytes)
  }
}

/** Passes the input to the receiver, and reports what the request asks for. */
function* readInput(
  receiver: PackReceiver,
  { counts = false, tellsEnd = false }: Pick<IngestRequest, 'counts' | 'tellsEnd'>,
): Task<void> {
  let hasTold = false
  for (;;) {
    const chunk = yield 'input'
    if (chunk === null || chunk === undefined) break
    receiver.push(chunk)
    release(chunk)
    if (counts) yield progressCounts(receiver)
    if (tellsEnd && receiver.isComplete && !hasTold) {
      hasTold = true
      yield Uint8Array.of(1)
    }
  }
  receiver.end()
  receiver.close()
}

/** Checks the content of a received pack that has an index. Throws GitError for a refused pack. */
function* checkPack(
  store: OpenStore,
  request: IngestRequest,
  { entries, links }: PackReceiver,
  path: string,
): Task<Pick<IngestResult, 'unscanned' | 'targetErrors'>> {
  const received = new PackFile(path)
  try {
    const plain = new OverlayStore(store.objects, received)
    const named = request.shallow ?? []
    const { roots, absent } = yield* findReceivedRoots(store.objects, plain, entries, links, named)
    const overlay = new OverlayStore(store.objects, received, roots)
    yield* checkConnectivity(store, overlay, entries, links, request.tips, absent)
    yield* requireSameContent(store.objects, received)
    const scanned = yield* refuseSha1Collisions(store.objects, received)
    yield* checkSettingsFiles(overlay, links)
    // Before the pack is installed, so that no walk goes beyond the roots.
    if (roots.size > 0) {
      const known = readShallowRoots(store.objects.directory) ?? []
      writeShallowRoots(store.objects.directory, [...known, ...roots])
    }
    return { unscanned: !scanned, targetErrors: targetErrors(store, request, overlay) }
  } finally {
    received.close()
  }
}

/** The result for a request without objects. */
const withoutPack = (store: OpenStore, request: IngestRequest, bytes: number): IngestResult => ({
  bytes,
  objects: 0,
  pack: null,
  unscanned: false,
  targetErrors: targetErrors(store, request, null),
})

function targetErrors(
  store: OpenStore,
  { targets, tips }: IngestRequest,
  overlay: OverlayStore | null,
): (string | null)[] {
  if (targets.branches.length === 0) return []
  // To find it in the cache of the store, all tips are hashed.
  const reach = store.reach(tips)
  return Array.from(targets.branches, (_, index) =>
    targetError(store, reach, targets, index, overlay),
  )
}

function progressCounts(receiver: PackReceiver): Uint8Array {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt32BE(receiver.entries.count, 0)
  bytes.writeUInt32BE(receiver.expectedCount, 4)
  return bytes
}

/** Returns why a ref may not point at a target, or null: it is missing, or it is no commit. */
function targetError(
  store: OpenStore,
  reach: ReachableCommits,
  { ids, branches }: IngestTargets,
  index: number,
  overlay: OverlayStore | null,
): string | null {
  const raw = ids.subarray(index * 20, index * 20 + 20)
  const sent = overlay?.isAdded(raw)
  const peeled = peelRaw(overlay ?? store.objects, raw, 0)
  if (peeled === null) return MISSING_OBJECTS
  if (!sent) {
    const plain = peeled.tags.length === 0 && peeled.type === COMMIT
    const visible =
      reach.isNamed(bytesToOid(raw)) ||
      (plain && reach.has(store.commits.numberOfRaw(raw, 0), true))
    if (!visible) return MISSING_OBJECTS
  }
  if (branches[index] === 1 && (peeled.type !== COMMIT || peeled.tags.length > 0))
    return 'a branch must point at a commit'
  return null
}
