/**
 * Blobs: uploaded files, stored once under the SHA-256 of their bytes as `blobs/<2 digits>/<64
 * digits>` in the data directory. A blob is on disk before the row that names it, so no row names a
 * missing file. Blobs that no row names are deleted after a day.
 */
import {
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  utimesSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { bytesFree, namesIn, syncDirectory } from '#lib/disk.ts'
import { Refusal } from '#lib/errors.ts'
import { FileWriter, OpenFile, writeWhole } from '#lib/file-writer.ts'
import { randomToken } from '#lib/hash.ts'
import { DAY, HOUR } from '#lib/time.ts'
import type { Db } from './db.ts'
import type { ReferencedFiles } from './files.ts'
import type { Hearth } from './hearth.ts'
import { job } from './jobs.ts'
import { extensionPoint } from './extension-points.ts'
import { replication } from './replication.ts'
import { writeAs } from './write.ts'

export const BLOBS = 'blobs'
/** Holds uploads in progress. The sweep deletes what a stopped process left there. */
const INCOMING = 'tmp/blobs'

/** A feature whose rows name blobs. */
export type BlobHolder = {
  /** Whether a row names the blob. The sweep calls it for every blob, so it needs an index. */
  readonly isReferenced: (db: Db, sha256: string) => boolean
  /** Every digest that a row names. */
  readonly list: (db: Db) => Iterable<string>
}
export const blobHolders = extensionPoint<BlobHolder>('core.blob_holders')

export type Blob = { readonly sha256: string; readonly size: number }

/** Digests that registries show beside SHA-256. */
export type OtherDigest = 'sha1' | 'md5' | 'sha512'
export type OtherDigests = Readonly<Partial<Record<OtherDigest, string>>>
export type DigestedBlob = Blob & { readonly digests: OtherDigests }

const SHA256 = /^[0-9a-f]{64}$/

/** The path of a blob below `blobs`. */
const relativePathOf = (sha256: string): string => `${sha256.slice(0, 2)}/${sha256}`

/** The file of a blob. Throws a TypeError for anything but a digest, so no other path results. */
export function blobPath({ settings }: Pick<Hearth, 'settings'>, sha256: string): string {
  if (!SHA256.test(sha256)) throw new TypeError('a blob is named by 64 hex digits')
  return join(settings.data, BLOBS, relativePathOf(sha256))
}

/**
 * The file of a blob after it was fetched from the bucket if needed. Null when it exists nowhere.
 * Throws 503 when the bucket cannot be reached.
 */
export async function localBlob(
  hearth: Pick<Hearth, 'settings' | 'storage'>,
  sha256: string,
): Promise<string | null> {
  const path = blobPath(hearth, sha256)
  await hearth.storage.restoreBlob(sha256)
  return existsSync(path) ? path : null
}

export type StoreBlobOptions = {
  /** A larger file is refused with 413. */
  readonly maxBytes: number
  /**
   * The announced length, null when unknown. Another length is refused with 400, because a broken
   * connection must not leave half a file.
   */
  readonly length?: number | null
  /** The announced SHA-256 in hex digits. Other bytes are refused with 422, and not kept. */
  readonly sha256?: string
  readonly signal?: AbortSignal
  /** Computed while the bytes arrive, in hex digits. */
  readonly digests?: readonly OtherDigest[]
  /**
   * Whether the pieces belong to this call, which then writes several at a time and releases their
   * memory. They must not be parts of a buffer that anybody else holds.
   */
  readonly ownsPieces?: boolean
  /** More announced digests in hex digits, which are computed. Treated as `sha256` is. */
  readonly expected?: OtherDigests
}

/** The free disk space is checked each time so many bytes have arrived. */
const DISK_CHECK_BYTES = 16 * 1024 ** 2

/** Throws 503 when less than `limits.disk_reserve` would be free on the disk of a folder. */
export function requireFreeBytes(
  { settings }: Pick<Hearth, 'settings'>,
  folder: string,
  needed: number,
): void {
  if (bytesFree(folder) - needed >= settings.limits.disk_reserve) return
  throw new Refusal('unavailable', 'the disk of this installation has no room for this file', {
    headers: { 'retry-after': '600', connection: 'close' },
  })
}

const tooLarge = (maxBytes: number): Refusal =>
  new Refusal(
    'too_large',
    `the file is larger than the ${Math.floor(maxBytes / 1024 ** 2)} MiB that are taken`,
    { details: { limit: maxBytes }, headers: { connection: 'close' } },
  )

/**
 * Stores a stream as a blob and returns its digest once it is on disk. It holds one piece of the
 * stream in memory and reads as fast as the disk writes. Throws 413 above `maxBytes`, 400 when the
 * stream ends early, and 503 when the disk is full; then no file is left.
 */
export async function storeBlob(
  hearth: Pick<Hearth, 'settings' | 'clock' | 'storage' | 'services'>,
  bytes: AsyncIterable<Uint8Array>,
  options: StoreBlobOptions,
): Promise<DigestedBlob> {
  const { maxBytes, length = null } = options
  if (length !== null && length > maxBytes) throw tooLarge(maxBytes)
  const folder = join(hearth.settings.data, INCOMING)
  const path = join(folder, randomToken(16))
  const file = inDirectory(folder, () => new OpenFile(path, 'wx'))
  let isPlaced = false
  try {
    requireFreeBytes(hearth, folder, length ?? 0)
    const requireSpace = (): void => requireFreeBytes(hearth, folder, 0)
    const blob = await receive(file, bytes, options, requireSpace)
    if (options.sha256 !== undefined && options.sha256 !== blob.sha256)
      throw new Refusal(
        'invalid',
        `the SHA-256 of the bytes is ${blob.sha256}, not ${options.sha256}`,
        { reason: 'checksum' },
      )
    requireDigests(blob, options.expected ?? {})
    isPlaced = await placeBlob(hearth, path, file, blob)
    return blob
  } finally {
    file.close()
    if (!isPlaced) rmSync(path, { force: true })
  }
}

function requireDigests({ digests }: DigestedBlob, expected: OtherDigests): void {
  for (const [name, value] of Object.entries(expected)) {
    const found = digests[name as OtherDigest]
    if (found === value) continue
    throw new Refusal('invalid', `the ${name} of the bytes is ${found}, not ${value}`, {
      reason: 'checksum',
    })
  }
}

/**
 * Makes a written file the blob of its digest. Returns false for a file whose blob exists, which stays
 * where it is.
 */
export async function placeBlob(
  hearth: Pick<Hearth, 'settings' | 'clock' | 'storage' | 'services'>,
  path: string,
  file: Pick<OpenFile, 'sync'>,
  blob: Blob,
): Promise<boolean> {
  const target = blobPath(hearth, blob.sha256)
  const isNew = statSync(target, { throwIfNoEntry: false })?.size !== blob.size
  if (isNew) {
    await file.sync()
    const folder = dirname(target)
    inDirectory(folder, () => renameSync(path, target))
    await syncDirectory(folder)
  }
  // The sweep deletes old files only. A blob that is uploaded again becomes young.
  const nowSeconds = hearth.clock.now() / 1000
  utimesSync(target, nowSeconds, nowSeconds)
  hearth.storage.blobStored(blob.sha256)
  replication(hearth).note(`${BLOBS}/${relativePathOf(blob.sha256)}`)
  return isNew
}

/** Does something in a directory, which is created if it is missing. It rarely is. */
function inDirectory<T>(folder: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ENOENT') throw error
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return run()
  }
}

/** Writes a stream into an open file. Returns the digest and size of what was written. */
async function receive(
  file: OpenFile,
  bytes: AsyncIterable<Uint8Array>,
  options: StoreBlobOptions,
  requireSpace: () => void,
): Promise<DigestedBlob> {
  const { maxBytes, length = null, signal, digests = [], expected = {} } = options
  const writer = options.ownsPieces ? new FileWriter(file) : null
  const hasher = new Bun.CryptoHasher('sha256')
  const computed = new Set([...digests, ...(Object.keys(expected) as OtherDigest[])])
  const others = [...computed].map((name) => [name, new Bun.CryptoHasher(name)] as const)
  let size = 0
  let sizeAtLastCheck = 0
  try {
    for await (const part of bytes) {
      signal?.throwIfAborted()
      size += part.length
      if (size > maxBytes) throw tooLarge(maxBytes)
      if (size - sizeAtLastCheck > DISK_CHECK_BYTES) {
        sizeAtLastCheck = size
        requireSpace()
      }
      hasher.update(part)
      for (const [, other] of others) other.update(part)
      await (writer ? writer.add(part) : writeWhole(file, part))
    }
  } finally {
    await writer?.flush()
  }
  signal?.throwIfAborted()
  if (length !== null && size !== length)
    throw new Refusal('bad_request', `the file ended after ${size} of ${length} bytes`)
  return {
    sha256: hasher.digest('hex'),
    size,
    digests: Object.fromEntries(others.map(([name, other]) => [name, other.digest('hex')])),
  }
}

/** All blobs that rows name, for the doctor. */
export const referencedBlobs = (hearth: Hearth): ReferencedFiles => ({
  folder: BLOBS,
  *list(db) {
    for (const { list } of blobHolders.all(hearth))
      for (const sha256 of list(db)) yield relativePathOf(sha256)
  },
})

/** A blob without a row is kept so long, because its row may still be written. */
const UNREFERENCED_RETENTION_MS = DAY
/** An upload whose file was not written to for so long is abandoned. */
const STALLED_UPLOAD_MS = HOUR

const isOlder = (path: string, nowMs: number, ageMs: number): boolean =>
  nowMs - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? nowMs) > ageMs

/** Deletes blobs that no row names, and abandoned uploads. */
export const sweepBlobs = job<null>({
  kind: 'sweep_blobs',
  every: '6h',
  run: async ({ hearth, signal }) => {
    const { data } = hearth.settings
    const nowMs = hearth.clock.now()
    for (const name of namesIn(join(data, INCOMING))) {
      const path = join(data, INCOMING, name)
      if (isOlder(path, nowMs, STALLED_UPLOAD_MS)) rmSync(path, { force: true })
    }
    const isReferenced = (db: Db, sha256: string) =>
      blobHolders.all(hearth).some((holder) => holder.isReferenced(db, sha256))
    for (const shard of namesIn(join(data, BLOBS))) {
      if (signal.aborted) return
      const isExpired = (name: string): boolean =>
        isOlder(join(data, BLOBS, shard, name), nowMs, UNREFERENCED_RETENTION_MS)
      const unreferenced = namesIn(join(data, BLOBS, shard)).filter(
        (name) => SHA256.test(name) && isExpired(name) && !isReferenced(hearth.db, name),
      )
      if (unreferenced.length === 0) continue
      // No other write can add a row during the transaction. A new upload has made the file young.
      await writeAs(hearth, null, (tx) => {
        for (const name of unreferenced)
          if (isExpired(name) && !isReferenced(tx.db, name))
            unlinkSync(join(data, BLOBS, shard, name))
      })
    }
  },
})
