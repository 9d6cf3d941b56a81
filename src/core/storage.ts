/**
 * The interface to remote storage: a bucket that holds copies of packs and blobs. Files that were
 * offloaded are in the bucket only. The feature `storage` implements it. It is declared in core,
 * because core and features that do not import each other read such files.
 */

/** A pack of a store and where its copies are. */
export type RemotePack = {
  readonly name: string
  readonly size: number
  /** Whether the pack is on this machine. */
  readonly isLocal: boolean
  /** Whether the bucket has the pack in its full size. */
  readonly isRemote: boolean
}

export type RemoteStorage = {
  /** For people to read; null without remote storage. */
  readonly address: string | null
  /**
   * Null when all packs of a store are on this machine, else resolves when they were fetched.
   * Throws 503 when the bucket cannot be reached.
   */
  restoreStore(store: string): Promise<void> | null
  /** Marks a store as in use, so that it is not offloaded. The returned function ends that. */
  beginUse(store: string): () => void
  /**
   * Fetches an offloaded blob; does nothing when the bucket has none. Throws 503 when the bucket
   * cannot be reached.
   */
  restoreBlob(sha256: string): Promise<void>
  /** Notifies of a new blob, so that it is copied soon. */
  blobStored(sha256: string): void
  /** Packs that are in the bucket only, read from the store without a request. */
  offloadedPacks(store: string): readonly { readonly name: string; readonly size: number }[]
  /** The offloaded and missing packs of a store. Throws BucketError. */
  listPacks(store: string): Promise<readonly RemotePack[]>
  /** Adds packs of a store that only the bucket knows. Returns how many. */
  adoptRemotePacks(store: string): Promise<number>
  /** Whether the bucket has a copy of a local pack. */
  hasRemoteCopy(store: string, pack: string): boolean
  /**
   * Replaces a local pack and its index by their copies in the bucket. Throws BucketError when a
   * copy is not what was stored.
   */
  restorePack(store: string, pack: string): Promise<void>
  /** The blobs among `digests` that the bucket has in full size. Throws BucketError. */
  remoteBlobs(digests: readonly string[]): Promise<ReadonlySet<string>>
  /** Whether this data directory may delete objects of the bucket. Throws BucketError. */
  ownsBucket(): Promise<boolean>
  /** Makes this data directory the owner of the bucket. */
  claimBucket(): Promise<void>
}

/** For a forge without a bucket. */
export const noRemoteStorage: RemoteStorage = {
  address: null,
  restoreStore: () => null,
  beginUse: () => () => {},
  restoreBlob: async () => {},
  blobStored: () => {},
  offloadedPacks: () => [],
  listPacks: async () => [],
  adoptRemotePacks: async () => 0,
  hasRemoteCopy: () => false,
  restorePack: async () => {},
  remoteBlobs: async () => new Set(),
  ownsBucket: async () => true,
  claimBucket: async () => {},
}

/** The prefix of all objects of a store. */
export const storePrefix = (store: string): string => `repos/${store}/`

const PACK_FILE = /^repos\/([^/]+)\/objects\/pack\/(pack-[0-9a-f]{40})\.(pack|idx)$/

/** The pack that a file belongs to; null for a blob. */
export function packOf(
  name: string,
): { store: string; pack: string; ending: 'pack' | 'idx' } | null {
  const [, store = '', pack = '', ending = ''] = PACK_FILE.exec(name) ?? []
  return store === '' ? null : { store, pack, ending: ending as 'pack' | 'idx' }
}

/**
 * The name of the object of a file. The name of a pack's object contains its SHA-256, so a listing
 * of the bucket tells size and content without the database. Blobs are named by their SHA-256
 * already.
 */
export function keyOf(name: string, sha256: string): string {
  const pack = packOf(name)
  return pack ? `${storePrefix(pack.store)}${pack.pack}.${sha256}.${pack.ending}` : name
}
