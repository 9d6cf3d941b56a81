/** Uploads and downloads files in parts, verified by their SHA-256. */
import { BucketError, PART_BYTES, type Bucket } from '#lib/bucket.ts'
import { open, type FileHandle } from 'node:fs/promises'
import { writeFully } from '#lib/disk.ts'

/** Bytes hashed at once; the event loop runs between. */
const CHUNK_BYTES = 1024 ** 2

async function readFully(file: FileHandle, offset: number, length: number): Promise<Uint8Array> {
  const bytes = Buffer.allocUnsafe(length)
  let done = 0
  while (done < length) {
    const { bytesRead } = await file.read(bytes, done, length - done, offset + done)
    if (bytesRead === 0) break
    done += bytesRead
  }
  return bytes.subarray(0, done)
}

export type UploadedFile = {
  readonly size: number
  readonly sha256: string
  readonly modified_ms: number
}

/**
 * Uploads a file under a key that contains its SHA-256. The file is read twice, because the key is
 * needed first, and both reads must be equal. Null when the file does not exist.
 */
export async function uploadFile(
  bucket: Bucket,
  path: string,
  keyFor: (sha256: string) => string,
  signal: AbortSignal,
): Promise<UploadedFile | null> {
  let file: FileHandle
  try {
    file = await open(path, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  try {
    const { size, mtimeMs } = await file.stat()
    const first = new Bun.CryptoHasher('sha256')
    for (let at = 0; at < size; at += CHUNK_BYTES) {
      signal.throwIfAborted()
      first.update(await readFully(file, at, Math.min(CHUNK_BYTES, size - at)))
    }
    const sha256 = first.digest('hex')
    const second = new Bun.CryptoHasher('sha256')
    let hashed = 0
    await bucket.upload(keyFor(sha256), size, async (offset, length) => {
      signal.throwIfAborted()
      const bytes = await readFully(file, offset, length)
      if (offset === hashed) second.update(bytes)
      hashed = offset + bytes.length
      if (hashed === size && second.digest('hex') !== sha256)
        throw new BucketError(`${path} was not the same when it was read again`)
      return bytes
    })
    return { size, sha256, modified_ms: Math.floor(mtimeMs) }
  } finally {
    await file.close()
  }
}

/**
 * Downloads an object, passes its bytes to `take`, and returns whether size and SHA-256 match.
 * Throws BucketError when it cannot be read.
 */
export async function readVerified(
  bucket: Bucket,
  key: string,
  { size, sha256 }: { readonly size: number; readonly sha256: string },
  take: (bytes: Uint8Array) => Promise<void>,
  signal?: AbortSignal,
): Promise<boolean> {
  const hasher = new Bun.CryptoHasher('sha256')
  const part = (at: number): Promise<Uint8Array> | null => {
    if (at >= size) return null
    const coming = bucket.range(key, at, Math.min(PART_BYTES, size - at))
    coming.catch(() => {})
    return coming
  }
  let next = part(0)
  for (let at = 0; at < size; ) {
    signal?.throwIfAborted()
    const bytes = (await next) ?? new Uint8Array()
    if (bytes.length !== Math.min(PART_BYTES, size - at)) return false
    at += bytes.length
    // The next part is downloaded while this one is written.
    next = part(at)
    for (let from = 0; from < bytes.length; from += CHUNK_BYTES)
      hasher.update(bytes.subarray(from, from + CHUNK_BYTES))
    await take(bytes)
  }
  return hasher.digest('hex') === sha256
}

/**
 * Downloads an object into a new file, which is complete and synced when this resolves. Throws
 * BucketError, and the error of a full disk.
 */
export async function downloadFile(
  bucket: Bucket,
  key: string,
  what: { readonly size: number; readonly sha256: string },
  path: string,
): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    const sound = await readVerified(bucket, key, what, (bytes) => writeFully(file, bytes))
    if (!sound)
      throw new BucketError(`${bucket.address}/${key} has other bytes than were stored there`)
    await file.sync()
  } finally {
    await file.close()
  }
}
