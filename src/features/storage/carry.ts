/**
 * Bytes of files on their way to the bucket and back, a part at a time, held against their sums.
 */
import { BucketError, PART, type Bucket } from '#lib/bucket.ts'
import { open, type FileHandle } from 'node:fs/promises'

/** What is hashed at once, so that others have their turn. */
const PIECE = 1024 ** 2

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

export type Sent = { readonly size: number; readonly sha256: string; readonly modified_ms: number }

/**
 * Sends a file under a name that is made of its sum. It is read twice, because the name comes
 * first, and its bytes must be the same both times. Null when the file is gone.
 */
export async function send(
  bucket: Bucket,
  path: string,
  keyFor: (sha256: string) => string,
  signal: AbortSignal,
): Promise<Sent | null> {
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
    for (let at = 0; at < size; at += PIECE) {
      signal.throwIfAborted()
      first.update(await readFully(file, at, Math.min(PIECE, size - at)))
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
 * Whether an object has these bytes. What comes is given to `take`, if anybody wants it. Gives
 * BucketError when it cannot be had at all.
 */
export async function receive(
  bucket: Bucket,
  key: string,
  { size, sha256 }: { readonly size: number; readonly sha256: string },
  take: (bytes: Uint8Array) => Promise<void>,
  signal?: AbortSignal,
): Promise<boolean> {
  const hasher = new Bun.CryptoHasher('sha256')
  const part = (at: number): Promise<Uint8Array> | null => {
    if (at >= size) return null
    const coming = bucket.range(key, at, Math.min(PART, size - at))
    coming.catch(() => {})
    return coming
  }
  let next = part(0)
  for (let at = 0; at < size; ) {
    signal?.throwIfAborted()
    const bytes = (await next) ?? new Uint8Array()
    if (bytes.length !== Math.min(PART, size - at)) return false
    at += bytes.length
    // One part comes while the other is written.
    next = part(at)
    for (let from = 0; from < bytes.length; from += PIECE)
      hasher.update(bytes.subarray(from, from + PIECE))
    await take(bytes)
  }
  return hasher.digest('hex') === sha256
}

/**
 * Fetches an object into a new file, which is whole and on disk when this resolves. Gives
 * BucketError, and the error of a disk that takes no more.
 */
export async function fetchInto(
  bucket: Bucket,
  key: string,
  what: { readonly size: number; readonly sha256: string },
  path: string,
): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    const sound = await receive(bucket, key, what, async (bytes) => {
      for (let at = 0; at < bytes.length; )
        at += (await file.write(bytes, at, bytes.length - at)).bytesWritten
    })
    if (!sound)
      throw new BucketError(`${bucket.address}/${key} has other bytes than were stored there`)
    await file.sync()
  } finally {
    await file.close()
  }
}
