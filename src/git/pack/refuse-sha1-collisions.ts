/**
 * Refuses objects that were made for a SHA-1 collision, as git does in builds with `sha1dc`. An
 * attacker with two contents for one id could show one and have the other merged. The detection is
 * much slower than hashing, so a push waits for at most 4 MiB of it. The host scans the remaining
 * objects later.
 */
import { GitError } from '../ports.ts'
import type { ObjectStore } from '../store/object-store.ts'
import type { PackFile } from '../store/pack-file.ts'
import type { Task } from '../tasks/task.ts'
import { typeName } from './entry-header.ts'
import { DetectorScratch, UbcCollisionDetector } from './sha1-collision-detector.ts'

/** Maximum bytes of new objects that are scanned while the client waits. */
const MAX_PUSH_SCAN_BYTES = 4 << 20
/**
 * Bytes of a pack besides its objects' content: header, trailer and entry headers of small objects.
 */
const PACK_OVERHEAD_BYTES = 1 << 16
/** Bytes after which other tasks of the thread run. */
const PAUSE_EVERY_BYTES = 1 << 18

/** Detects a collision in one message. Tests pass a stand-in. */
export type Sha1CollisionDetector = {
  update(bytes: Uint8Array): void
  digest(): unknown
  readonly found: boolean
}

/** Whether an object, hashed as git hashes it, was made for a collision. */
export function isSha1Collision(
  type: string,
  data: Uint8Array,
  detector: Sha1CollisionDetector = new UbcCollisionDetector(),
): boolean {
  detector.update(Buffer.from(`${type} ${data.length}\0`))
  detector.update(data)
  detector.digest()
  return detector.found
}

/** The same for an object in blocks. Pauses after each. */
export function* isLargeCollision(
  blocks: Iterable<Uint8Array | null>,
  type: string,
  size: number,
  detector: Sha1CollisionDetector,
): Generator<'pause', boolean> {
  detector.update(Buffer.from(`${type} ${size}\0`))
  for (const block of blocks) {
    if (block !== null) detector.update(block)
    yield 'pause'
  }
  detector.digest()
  return detector.found
}

function detectorFactory(): () => Sha1CollisionDetector {
  const scratch = new DetectorScratch()
  return () => new UbcCollisionDetector(scratch)
}

/**
 * Scans the objects of a pack that the store does not have. Returns whether all of them were
 * scanned. Throws GitError `invalid` for an object that was made for a collision.
 */
export function* refuseSha1Collisions(
  store: ObjectStore,
  pack: PackFile,
  maxBytes = MAX_PUSH_SCAN_BYTES,
  createDetector: () => Sha1CollisionDetector = detectorFactory(),
): Task<boolean> {
  const { reader } = store
  const { index } = pack
  // A pack that is too large now is scanned whole later, so scanning a part of it now would be
  // repeated.
  if (pack.size > maxBytes + PACK_OVERHEAD_BYTES) return false
  let bytes = 0
  let pausedAt = 0
  for (let indexPos = 0; indexPos < index.count; indexPos++) {
    if (store.locateKnown(index.raw, index.oidAt(indexPos))) continue
    if (bytes >= maxBytes || bytes + reader.headerAt(pack, index.offset(indexPos)).size > maxBytes)
      return false
    reader.load(pack, index.offset(indexPos))
    bytes += reader.to - reader.from
    if (
      isSha1Collision(
        typeName(reader.type),
        reader.bytes.subarray(reader.from, reader.to),
        createDetector(),
      )
    ) {
      throw new GitError(
        'invalid',
        `object ${index.oid(indexPos)} was made for a collision of SHA-1`,
      )
    }
    if (bytes - pausedAt >= PAUSE_EVERY_BYTES) {
      pausedAt = bytes
      yield 'pause'
    }
  }
  return true
}
