/**
 * Takes a push's pack in (gitprotocol-pack, "Reference Update Request And Packfile Transfer").
 * Nothing is visible before everything is checked: format, hashes, deltas, each object's content,
 * and that every object that a new one names is either in the pack or reachable from this
 * namespace's own refs. The last rule keeps the store closed under references and keeps a push from
 * naming objects that only another fork has.
 */
import { join } from 'node:path'
import { giveBack } from '#lib/pieces.ts'
import { COMMIT } from '../pack/entry.ts'
import { PackReceiver } from '../pack/receive.ts'
import type { DeltaResolver } from '../pack/resolve.ts'
import { resolveDeltas } from '../pack/resolve-all.ts'
import { GitError } from '../ports.ts'
import { installPack, randomName } from '../store/files.ts'
import { completeThinPack } from '../pack/complete.ts'
import { writeReceivedIndex } from '../pack/received-index.ts'
import { refuseForged } from '../pack/forged.ts'
import { checkCollisions, checkSettings, proveLinks } from '../pack/prove.ts'
import { OverlayStore } from '../store/overlay-store.ts'
import { PackFile } from '../store/pack-file.ts'
import { peelHex } from '../walk/peel.ts'
import { removeQuietly, type Engine } from './engine.ts'
import type { OpenStore } from './open-store.ts'
import type { Help, Task } from './task.ts'

export type IngestRequest = {
  readonly store: string
  /** Raw ids of the namespace's refs. */
  readonly tips: Uint8Array
  /** The ids that refs are to get; `commit` when only a commit will do. */
  readonly targets: readonly { readonly oid: string; readonly commit: boolean }[]
  /** Whether a pack comes as input. */
  readonly pack: boolean
  /**
   * Whether the output tells after each block of input how many objects have come and how many are
   * announced, as two big-endian numbers of 32 bits.
   */
  readonly counts?: boolean
  /** Whether the pack comes from another server rather than from a push (fsck.ts). */
  readonly imported?: boolean
}

export type IngestResult = {
  /** Bytes of the pack as it came. */
  readonly bytes: number
  readonly objects: number
  /** The pack as it lies in the store, pending; null when nothing new came. */
  readonly pack: string | null
  /** Whether objects came that nobody has looked at for signs of a SHA-1 collision. */
  readonly unlooked: boolean
  /** For each target why it cannot be had, or null. */
  readonly verdicts: readonly (string | null)[]
}

/** The verdict on a target that neither came nor is visible. */
export const MISSING = 'missing necessary objects'

export function* ingestTask(
  engine: Engine,
  request: IngestRequest,
  help: Help | null = null,
): Task<IngestResult> {
  const store = engine.store(request.store)
  store.objects.pin()
  const path = join(engine.settings.tmp, `incoming-${randomName()}`)
  try {
    if (!request.pack) {
      store.objects.refresh()
      return {
        bytes: 0,
        objects: 0,
        pack: null,
        unlooked: false,
        verdicts: request.targets.map((target) => verdict(store, request.tips, target, null)),
      }
    }
    return yield* takePack(engine, store, request, path, help)
  } finally {
    store.objects.unpin()
    for (const ending of ['.pack', '.idx', '.rev']) removeQuietly(path + ending)
  }
}

function* takePack(
  engine: Engine,
  store: OpenStore,
  request: IngestRequest,
  path: string,
  help: Help | null,
): Task<IngestResult> {
  const { settings } = engine
  const receiver = new PackReceiver(`${path}.pack`, {
    ...settings,
    imported: request.imported ?? false,
  })
  let resolver: DeltaResolver | null = null
  let temporary: PackFile | null = null
  try {
    for (;;) {
      const chunk = yield 'input'
      if (chunk === null || chunk === undefined) break
      receiver.push(chunk)
      giveBack(chunk)
      if (request.counts) yield countOf(receiver)
    }
    receiver.end()
    receiver.close()
    const bytes = receiver.size
    if (receiver.count === 0) {
      store.objects.refresh()
      return {
        bytes,
        objects: 0,
        pack: null,
        unlooked: false,
        verdicts: request.targets.map((target) => verdict(store, request.tips, target, null)),
      }
    }
    const { rows, links } = receiver
    const limits = {
      maxObjectBytes: settings.maxObjectBytes,
      memory: Math.max(16 << 20, Math.min(64 << 20, settings.memoryBudget / 8)),
    }
    resolver = yield* resolveDeltas(receiver, bytes - 20, limits, help)
    store.objects.refresh()
    const checksum = yield* completeThinPack(store, receiver, resolver, request.tips, settings)
    const left = resolver.deltas - resolver.resolved
    if (left > 0) throw new GitError('corrupt', `the pack has ${left} deltas without a base`)
    resolver.close()
    resolver = null

    writeReceivedIndex(`${path}.idx`, rows, links, checksum)
    temporary = new PackFile(path)
    const overlay = new OverlayStore(store.objects, temporary)
    yield* proveLinks(store, overlay, rows, links, request.tips)
    yield* checkCollisions(store.objects, temporary)
    const looked = yield* refuseForged(store.objects, temporary)
    checkSettings(overlay, links)
    const verdicts = request.targets.map((target) => verdict(store, request.tips, target, overlay))
    temporary.close()
    const pack = installPack(engine.directory(request.store), `${path}.pack`, `${path}.idx`, true)
    store.objects.refresh()
    return { bytes, objects: receiver.count, pack, unlooked: !looked, verdicts }
  } finally {
    receiver.close()
    resolver?.close()
    temporary?.close()
  }
}

function countOf(receiver: PackReceiver): Uint8Array {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt32BE(receiver.rows.count, 0)
  bytes.writeUInt32BE(receiver.count, 4)
  return bytes
}

/**
 * Why a ref may not get this target: it is neither in the pack nor reachable from the refs, or no
 * commit.
 */
function verdict(
  store: OpenStore,
  tips: Uint8Array,
  target: { oid: string; commit: boolean },
  overlay: OverlayStore | null,
): string | null {
  const raw = Buffer.from(target.oid, 'hex')
  const reach = store.reach(tips)
  const sent = overlay !== null && overlay.isAdded(raw)
  const peeled = peelHex(overlay ?? store.objects, target.oid)
  if (peeled === null) return MISSING
  if (!sent) {
    const plain = peeled.tags.length === 0 && peeled.type === COMMIT
    const visible =
      reach.isNamed(target.oid) || (plain && reach.has(store.commits.numberOf(target.oid), true))
    if (!visible) return MISSING
  }
  if (target.commit && (peeled.type !== COMMIT || peeled.tags.length > 0))
    return 'a branch must point at a commit'
  return null
}
