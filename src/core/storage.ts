/**
 * Where packs and uploaded files are kept besides this machine. Here because the floor reads files
 * that may have gone there, and so do leaves that do not know each other; the feature `storage` is
 * behind it.
 */

/** A pack of a store as the bucket has it. */
export type DistantPack = {
  readonly name: string
  readonly size: number
  /** Whether the pack itself is on this machine. */
  readonly here: boolean
  /** Whether the bucket has it, as large as it was. */
  readonly there: boolean
}

export type Storage = {
  /** For people; null when none is set. */
  readonly address: string | null
  /**
   * Null when all packs of a store are here, else resolves when they have come back. Gives 503 when
   * they cannot.
   */
  ready(store: string): Promise<void> | null
  /** Told when work on a store begins; what it gives is called at its end. */
  begin(store: string): () => void
  /**
   * Brings an uploaded file back when it is not here and can be had; resolves when that is decided.
   * Gives 503 when the bucket cannot be asked.
   */
  bringBlob(sha256: string): Promise<void>
  /** Told of an uploaded file that came, so that it is copied soon. */
  tookBlob(sha256: string): void
  /** Packs that are in the bucket only, as the store itself notes it; asks nobody. */
  awayOf(store: string): readonly { readonly name: string; readonly size: number }[]
  /** What the bucket has of a store that is not here, and what neither has. Gives BucketError. */
  look(store: string): Promise<readonly DistantPack[]>
  /**
   * Takes over what the bucket has of a store and this machine does not know of. Gives how many
   * packs that were.
   */
  adopt(store: string): Promise<number>
  /** Whether the bucket has a pack that is here. */
  hasCopy(store: string, pack: string): boolean
  /**
   * Puts what the bucket has of a pack and its index in the place of what is here. Gives
   * BucketError when it is not what was stored.
   */
  renew(store: string, pack: string): Promise<void>
  /** Which of some uploaded files the bucket has, in their size. Gives BucketError. */
  blobsThere(digests: readonly string[]): Promise<ReadonlySet<string>>
  /**
   * Whether this data directory is the one that may take things out of the bucket. Gives
   * BucketError.
   */
  isOurs(): Promise<boolean>
  /** Makes it so. */
  claim(): Promise<void>
}

/** Of a forge that keeps everything on its own disk. */
export const noStorage: Storage = {
  address: null,
  ready: () => null,
  begin: () => () => {},
  bringBlob: async () => {},
  tookBlob: () => {},
  awayOf: () => [],
  look: async () => [],
  adopt: async () => 0,
  hasCopy: () => false,
  renew: async () => {},
  blobsThere: async () => new Set(),
  isOurs: async () => true,
  claim: async () => {},
}

/** Where all of a store is in the bucket. */
export const storePrefix = (store: string): string => `repos/${store}/`

const PACK_FILE = /^repos\/([^/]+)\/objects\/pack\/(pack-[0-9a-f]{40})\.(pack|idx)$/

/** The pack whose file it is; null for an uploaded file. */
export function packOf(
  name: string,
): { store: string; pack: string; ending: 'pack' | 'idx' } | null {
  const [, store = '', pack = '', ending = ''] = PACK_FILE.exec(name) ?? []
  return store === '' ? null : { store, pack, ending: ending as 'pack' | 'idx' }
}

/**
 * The object of a file. The sum of a pack is in its name, so that a list tells what is there, how
 * large it is and what its bytes are, whatever became of the database. Uploaded files are named by
 * their sum already.
 */
export function keyOf(name: string, sha256: string): string {
  const pack = packOf(name)
  return pack ? `${storePrefix(pack.store)}${pack.pack}.${sha256}.${pack.ending}` : name
}
