/** Finds documents in the archives that are packages. What they unpack to is bounded. */
import { createReadStream, readFileSync } from 'node:fs'
import { gunzip, gunzipSync } from 'node:zlib'
import { promisify } from 'node:util'
import type { ArchivedFile } from '#lib/archives/archived-file.ts'
import { gunzipFile, limitBytes } from '#lib/archives/gunzip-file.ts'
import { readTar } from '#lib/archives/tar.ts'
import { readZip } from '#lib/archives/zip-reader.ts'
import { invalid, Refusal } from '#lib/errors.ts'
import { releaseAfterUse } from '#lib/pieces.ts'
import { MAX_DOCUMENT_BYTES } from './document-reader.ts'

/** An archive may unpack to so many times its size, and a little more. */
const MAX_EXPANSION = 200
const SPARE_UNPACKED_BYTES = 1024 ** 2
const MAX_FILES = 100_000

export type FoundFile = { readonly path: string; readonly bytes: Buffer }

const maxUnpackedBytes = (packedBytes: number): number =>
  SPARE_UNPACKED_BYTES + packedBytes * MAX_EXPANSION

/** What is wrong with an archive is for the publisher to see; faults of the server are thrown on. */
function asRefusal(error: unknown): unknown {
  if (error instanceof Refusal || !(error instanceof Error)) return error
  const isFault = error.name === 'Error' && !('syscall' in error)
  return isFault ? invalid('body', `the package cannot be read: ${error.message}`) : error
}

async function bytesOf(file: ArchivedFile): Promise<Buffer> {
  if (file.size > MAX_DOCUMENT_BYTES)
    throw invalid('body', `${file.path} in the package is larger than 1 MiB`)
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of file.data) {
    size += part.length
    if (size > MAX_DOCUMENT_BYTES) throw new Error(`${file.path} is longer than the archive says`)
    // A copy, because the archive's memory is released as it is read.
    parts.push(new Uint8Array(part))
  }
  return Buffer.concat(parts)
}

/** The chosen files of a zip archive, in their order. Others are not unpacked. */
export async function findInZip(
  path: string,
  packedBytes: number,
  isChosen: (name: string) => boolean,
): Promise<FoundFile[]> {
  const found: FoundFile[] = []
  let count = 0
  try {
    for await (const file of readZip(path, maxUnpackedBytes(packedBytes))) {
      if (++count > MAX_FILES) throw new Error(`it has more than ${MAX_FILES} files`)
      if (isChosen(file.path)) found.push({ path: file.path, bytes: await bytesOf(file) })
    }
  } catch (error) {
    throw asRefusal(error)
  }
  return found
}

/**
 * The chosen file of a tar archive, which may be compressed; null for none. Throws 422 for two: some
 * clients unpack the first, and some the last.
 */
export async function findInTar(
  path: string,
  packedBytes: number,
  options: { readonly isGzip: boolean; readonly isChosen: (name: string) => boolean },
): Promise<FoundFile | null> {
  const tar = openTar(path, packedBytes, options.isGzip)
  let count = 0
  let found: FoundFile | null = null
  try {
    for await (const file of readTar(tar, { skipsOthers: true })) {
      if (++count > MAX_FILES) throw new Error(`it has more than ${MAX_FILES} files`)
      if (options.isChosen(file.path)) {
        if (found !== null) throw invalid('body', `the package has two files ${found.path}`)
        found = { path: file.path, bytes: await bytesOf(file) }
      } else for await (const _ of file.data);
    }
    return found
  } catch (error) {
    throw asRefusal(error)
  } finally {
    await tar.return(undefined)
  }
}

/** A packed archive up to this size is read at once, which takes half of the time. */
const MAX_SMALL_BYTES = 64 * 1024
/** What it may unpack to, so that putting the pieces together takes no long turn of the event loop. */
const MAX_SMALL_UNPACKED_BYTES = 1024 ** 2

/** The bytes of a tar archive. Throws when they are more than `maxBytes`. */
async function* openTar(
  path: string,
  packedBytes: number,
  isGzip: boolean,
): AsyncGenerator<Uint8Array> {
  const maxBytes = maxUnpackedBytes(packedBytes)
  if (isGzip && packedBytes <= MAX_SMALL_BYTES) {
    const unpacked = await unpackSmall(readFileSync(path))
    if (unpacked !== null) {
      yield unpacked
      return
    }
  }
  if (isGzip) {
    yield* releaseAfterUse(gunzipFile(path, maxBytes))
    return
  }
  const input = createReadStream(path)
  try {
    yield* limitBytes(input, maxBytes)
  } finally {
    input.destroy()
  }
}

/**
 * What is unpacked on the event loop, which takes 0.01 to 0.5 ms: waking a thread takes 0.1 ms of the
 * processor, ten times as much as unpacking a small package.
 */
const MAX_SYNC_UNPACKED_BYTES = 64 * 1024

const isTooLarge = (error: unknown): boolean =>
  (error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE'

/** Returns null for what is too large to be in memory as a whole. */
async function unpackSmall(bytes: Uint8Array): Promise<Buffer | null> {
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_SYNC_UNPACKED_BYTES })
  } catch (error) {
    if (!isTooLarge(error)) throw error
  }
  try {
    return await unpack(bytes, { maxOutputLength: MAX_SMALL_UNPACKED_BYTES })
  } catch (error) {
    if (isTooLarge(error)) return null
    throw error
  }
}

const unpack = promisify(gunzip) as (
  bytes: Uint8Array,
  options: { maxOutputLength: number },
) => Promise<Buffer>

/** Unpacks a small document. Throws 422 for one that is broken or larger than 1 MiB. */
export async function gunzipDocument(bytes: Uint8Array, name: string): Promise<Buffer> {
  try {
    return await unpack(bytes, { maxOutputLength: MAX_DOCUMENT_BYTES })
  } catch {
    throw invalid('body', `${name} in the package is broken, or larger than 1 MiB`)
  }
}
