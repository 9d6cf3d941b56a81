/** Keys in the bucket and file names beside them (see `keyOf`). */
import type { Bucket } from '#lib/bucket.ts'
import { storePrefix } from '#core/storage.ts'
import { join } from 'node:path'

export { keyOf, packOf } from '#core/storage.ts'

/** The object that names the owner, which alone may delete objects. */
export const OWNER_KEY = 'owner'
export const BLOBS_PREFIX = 'blobs/'

/** Paths of files below the data directory. */
export const packFile = (store: string, pack: string, ending: 'pack' | 'idx'): string =>
  `repos/${store}/objects/pack/${pack}.${ending}`
export const blobFile = (sha256: string): string => `${BLOBS_PREFIX}${sha256.slice(0, 2)}/${sha256}`

/** Exists when this machine knows all that the bucket has of the store. */
export const completeMarkPath = (directory: string): string =>
  join(directory, 'objects', 'info', 'in-bucket')

export type ListedObject = {
  readonly name: string
  readonly size: number
  readonly sha256: string
  readonly modified_ms: number
}
export type ListedPack = {
  readonly pack: string
  readonly data: ListedObject
  readonly index: ListedObject
}

const PACK_KEY = /^repos\/[^/]+\/(pack-[0-9a-f]{40})\.([0-9a-f]{64})\.(pack|idx)$/

const BLOB_KEY = /^blobs\/[0-9a-f]{2}\/[0-9a-f]{64}$/

/** Returns the file of an object; null for a foreign object. */
export function fileOfKey(key: string): string | null {
  if (BLOB_KEY.test(key)) return key
  const [, pack, , ending] = PACK_KEY.exec(key) ?? []
  return pack === undefined
    ? null
    : packFile(key.split('/')[1] ?? '', pack, ending as 'pack' | 'idx')
}

/** Lists the packs of a store that are complete in the bucket. */
export async function listPacksInBucket(bucket: Bucket, store: string): Promise<ListedPack[]> {
  const found = new Map<string, { data?: ListedObject; index?: ListedObject }>()
  for await (const { name: key, size, modified_ms } of bucket.list(storePrefix(store))) {
    const [, pack, sha256, ending] = PACK_KEY.exec(key) ?? []
    if (pack === undefined || sha256 === undefined) continue
    const parts = found.get(pack) ?? {}
    const part = {
      name: packFile(store, pack, ending as 'pack' | 'idx'),
      size,
      sha256,
      modified_ms,
    }
    found.set(pack, ending === 'idx' ? { ...parts, index: part } : { ...parts, data: part })
  }
  return [...found].flatMap(([pack, { data, index }]) =>
    data && index ? [{ pack, data, index }] : [],
  )
}
