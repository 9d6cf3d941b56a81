/**
 * Takes out of the bucket what no row knows: a stop between a copy and its row leaves such, when
 * the pack was replaced before it could be copied again. What is here, or noted here as away, or
 * named by a row of the forge, stays, whatever the table of the bucket says.
 */
import { blobHolders, blobPath } from '#core/blobs.ts'
import type { Hearth } from '#core/hearth.ts'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Keeper } from './keeper.ts'
import { BLOBS, markOf, nameOf, packOf } from './names.ts'
import { findStored, isStoreNamed } from './store.ts'

function isWanted(hearth: Hearth, keeper: Keeper, name: string): boolean {
  if (findStored(hearth.db, name) !== null) return true
  const pack = packOf(name)
  if (pack) {
    const directory = keeper.directory(pack.store)
    // Until a store was compared with the bucket, what the bucket has of it may be all there is.
    if (
      existsSync(directory) ? !existsSync(markOf(directory)) : isStoreNamed(hearth.db, pack.store)
    )
      return true
    return existsSync(join(directory, 'objects', 'pack', `${pack.pack}.idx`))
  }
  const sha256 = name.slice(name.lastIndexOf('/') + 1)
  return (
    existsSync(blobPath(hearth, sha256)) ||
    blobHolders.all(hearth).some(({ holds }) => holds(hearth.db, sha256))
  )
}

/** Gives BucketError. Gives how many objects went. */
export async function sweepBucket(
  hearth: Hearth,
  keeper: Keeper,
  grace_ms: number,
  signal: AbortSignal,
): Promise<number> {
  const { bucket } = keeper
  if (bucket === null || !(await keeper.own())) return 0
  const before = hearth.clock.now() - grace_ms
  let gone = 0
  for (const prefix of ['repos/', BLOBS]) {
    for await (const { name: key, modified_ms } of bucket.list(prefix)) {
      signal.throwIfAborted()
      const name = nameOf(key)
      if (name === null || modified_ms >= before || isWanted(hearth, keeper, name)) continue
      await bucket.remove(key)
      gone++
    }
  }
  if (gone > 0) hearth.log.info('objects that nothing knew of left the bucket', { objects: gone })
  return gone
}
