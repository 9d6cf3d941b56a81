/**
 * Deletes objects that no row knows. An interruption between a copy and its row leaves such
 * objects. A file that is here, offloaded, or referenced by the forge stays, whatever the rows of
 * the bucket say.
 */
import { blobHolders, blobPath } from '#core/blobs.ts'
import type { Hearth } from '#core/hearth.ts'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { BucketStorage } from './bucket-storage.ts'
import { BLOBS_PREFIX, completeMarkPath, fileOfKey, packOf } from './bucket-names.ts'
import { findStored, isStoreNamed } from './store.ts'

function isKnown(hearth: Hearth, storage: BucketStorage, name: string): boolean {
  if (findStored(hearth.db, name) !== null) return true
  const pack = packOf(name)
  if (pack) {
    const directory = storage.directory(pack.store)
    // Until a store is compared with the bucket, the bucket may have its only copy.
    if (
      existsSync(directory)
        ? !existsSync(completeMarkPath(directory))
        : isStoreNamed(hearth.db, pack.store)
    )
      return true
    return existsSync(join(directory, 'objects', 'pack', `${pack.pack}.idx`))
  }
  const sha256 = name.slice(name.lastIndexOf('/') + 1)
  return (
    existsSync(blobPath(hearth, sha256)) ||
    blobHolders.all(hearth).some((holder) => holder.isReferenced(hearth.db, sha256))
  )
}

/** Returns how many objects were deleted. Throws BucketError. */
export async function sweepBucket(
  hearth: Hearth,
  storage: BucketStorage,
  grace_ms: number,
  signal: AbortSignal,
): Promise<number> {
  const { bucket } = storage
  if (bucket === null || !(await storage.ensureOwner())) return 0
  const before = hearth.clock.now() - grace_ms
  let gone = 0
  for (const prefix of ['repos/', BLOBS_PREFIX]) {
    for await (const { name: key, modified_ms } of bucket.list(prefix)) {
      signal.throwIfAborted()
      const name = fileOfKey(key)
      if (name === null || modified_ms >= before || isKnown(hearth, storage, name)) continue
      await bucket.remove(key)
      gone++
    }
  }
  if (gone > 0) hearth.log.info('objects that nothing knew of left the bucket', { objects: gone })
  return gone
}
