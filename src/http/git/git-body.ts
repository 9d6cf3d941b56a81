/**
 * Bodies of git requests. git compresses long requests with gzip, so bodies are decompressed here,
 * and the limit holds for the decompressed bytes.
 */
import { gunzipSync } from 'node:zlib'
import { GitError } from '#git'
import { type CountedReader, KIB, MIB, type RequestBody } from '../body.ts'
import type { Watchdog } from './transfer-watchdog.ts'

/** Fetch requests up to this size are read whole, before any work begins. */
const MAX_SMALL_BODY_BYTES = 64 * KIB
/** What a small body may decompress to. Object ids hardly compress, so honest ones stay small. */
const MAX_DECOMPRESSED_BYTES = 4 * MIB

const isGzip = (encoding: string): boolean => encoding === 'gzip' || encoding === 'x-gzip'

const tooLarge = (maxBytes: number): GitError =>
  new GitError('too_large', `the request is larger than ${maxBytes} bytes`)

const notGzip = (): GitError => new GitError('corrupt', 'the request body is not valid gzip')

/**
 * The whole body if it is announced as small; null for any other body. Throws a GitError for a body
 * that is not valid gzip or decompresses to too much.
 */
export async function readSmallGitBody(body: RequestBody): Promise<Uint8Array | null> {
  const { announcedBytes, contentEncoding } = body
  const isPlain = contentEncoding === 'identity'
  if (announcedBytes === null || !(announcedBytes <= MAX_SMALL_BODY_BYTES)) return null
  if (!isPlain && !isGzip(contentEncoding)) return null
  const bytes = await body.bytes({ maxBytes: MAX_SMALL_BODY_BYTES, tooLarge })
  if (isPlain) return bytes
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_DECOMPRESSED_BYTES })
  } catch (error) {
    const grew = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
    throw grew ? tooLarge(MAX_DECOMPRESSED_BYTES) : notGzip()
  }
}

/**
 * The decompressed body as a stream; null without a body. Reading throws a GitError when there are
 * more than `maxBytes` or the gzip is not valid. A stalled sender is the watchdog's matter.
 */
export function streamGitBody(
  body: RequestBody,
  maxBytes: number,
  watchdog: Watchdog,
): ReadableStream<Uint8Array> | null {
  const encoding = body.contentEncoding
  const isCompressed = isGzip(encoding)
  if (!isCompressed && encoding !== 'identity')
    throw new GitError(
      'unsupported',
      `bodies with Content-Encoding ${encoding} are not taken, only gzip`,
    )
  const limits = { maxBytes, idleTimeoutMs: null, tooLarge }
  const reader = body.reader(limits, isCompressed ? new DecompressionStream('gzip') : null)
  return reader && watchedStream(reader, watchdog, isCompressed)
}

function watchedStream(
  reader: CountedReader,
  watchdog: Watchdog,
  isCompressed: boolean,
): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const chunk = await reader.read()
        if (chunk === null) return controller.close()
        watchdog.touch()
        controller.enqueue(chunk)
      } catch (error) {
        controller.error(error instanceof GitError || !isCompressed ? error : notGzip())
        await reader.cancel(error)
      }
    },
    cancel: (reason) => reader.cancel(reason),
  })
}
