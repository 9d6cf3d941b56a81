/** What things are called in the bucket and beside it (`keyOf` says how). */
import type { Bucket } from '#lib/bucket.ts'
import { storePrefix } from '#core/storage.ts'
import { join } from 'node:path'

export { keyOf, packOf, storePrefix } from '#core/storage.ts'

/** Who may take things out. */
export const OWNER = 'owner'
/** Its counterpart in the data directory; in no backup, since a restored copy is another forge. */
export const IDENTITY = 'storage.id'
export const BLOBS = 'blobs/'

/** Names of files below the data directory. */
export const packFile = (store: string, pack: string, ending: 'pack' | 'idx'): string =>
  `repos/${store}/objects/pack/${pack}.${ending}`
export const blobFile = (sha256: string): string => `${BLOBS}${sha256.slice(0, 2)}/${sha256}`

/**
 * Which copies of the repositories' own folders are known to be complete lists of what the bucket
 * has.
 */
export const markOf = (directory: string): string => join(directory, 'objects', 'info', 'in-bucket')

export type Listed = {
  readonly name: string
  readonly size: number
  readonly sha256: string
  readonly modified_ms: number
}
export type ListedPack = { readonly pack: string; readonly data: Listed; readonly index: Listed }

const KEY = /^repos\/[^/]+\/(pack-[0-9a-f]{40})\.([0-9a-f]{64})\.(pack|idx)$/

const BLOB_KEY = /^blobs\/[0-9a-f]{2}\/[0-9a-f]{64}$/

/** The file that an object stands for; null for an object of nobody's. */
export function nameOf(key: string): string | null {
  if (BLOB_KEY.test(key)) return key
  const [, pack, , ending] = KEY.exec(key) ?? []
  return pack === undefined
    ? null
    : packFile(key.split('/')[1] ?? '', pack, ending as 'pack' | 'idx')
}

/** The packs of a store that are whole in the bucket. */
export async function listStore(bucket: Bucket, store: string): Promise<ListedPack[]> {
  const found = new Map<string, { data?: Listed; index?: Listed }>()
  for await (const { name: key, size, modified_ms } of bucket.list(storePrefix(store))) {
    const [, pack, sha256, ending] = KEY.exec(key) ?? []
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
