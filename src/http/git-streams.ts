/**
 * The bytes of a git request and its answer: freed of compression, counted, and watched, so that a
 * stalled client is cut off.
 */
import { gunzipSync } from 'node:zlib'
import { GitError } from '#git'
import { MINUTE } from '#lib/time.ts'

/** A transfer in which nothing moves for this long has ended. */
const LONGEST_SILENCE = 10 * MINUTE

/** Ends a transfer in which nothing moves any more. */
export class Watchdog {
  readonly #abort = new AbortController()
  readonly #timer: ReturnType<typeof setTimeout>
  readonly signal = this.#abort.signal

  constructor(silence = LONGEST_SILENCE) {
    this.#timer = setTimeout(
      () => this.#abort.abort(new GitError('aborted', 'nothing moved for too long')),
      silence,
    )
    this.#timer.unref()
  }

  touch(): void {
    this.#timer.refresh()
  }

  stop(): void {
    clearTimeout(this.#timer)
  }
}

type Bytes = ReadableStream<Uint8Array>

/** Passes a stream on, telling of every chunk. */
function watched(
  stream: Bytes,
  on: { chunk: (chunk: Uint8Array) => void; failed: (error: unknown) => unknown },
): Bytes {
  const reader = stream.getReader()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (done) return controller.close()
        on.chunk(value)
        controller.enqueue(value)
      } catch (error) {
        controller.error(on.failed(error))
        await reader.cancel(error).catch(() => {})
      }
    },
    cancel: (reason) => reader.cancel(reason),
  })
}

/**
 * Bodies up to this are read whole, and may become this large when gzip is undone: ids do not
 * compress well.
 */
const SMALL = 64 * 1024
const SMALL_UNDONE = 4 * 1024 * 1024

const encodingOf = (request: Request): string =>
  request.headers.get('content-encoding')?.toLowerCase() ?? 'identity'
const isGzip = (encoding: string): boolean => encoding === 'gzip' || encoding === 'x-gzip'

/**
 * A body that is announced as small, read whole and freed of gzip; null for any other. Gives a
 * GitError as reading `bodyOf` does.
 */
export async function smallBodyOf(request: Request): Promise<Uint8Array | null> {
  const length = request.headers.get('content-length')
  const encoding = encodingOf(request)
  if (
    length === null ||
    !(Number(length) <= SMALL) ||
    !(isGzip(encoding) || encoding === 'identity')
  )
    return null
  const bytes = new Uint8Array(await request.arrayBuffer())
  if (encoding === 'identity') return bytes
  try {
    return gunzipSync(bytes, { maxOutputLength: SMALL_UNDONE })
  } catch (error) {
    const grew = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
    throw grew
      ? new GitError('too_large', `the request is larger than ${SMALL_UNDONE} bytes`)
      : new GitError('corrupt', 'the request body is not valid gzip')
  }
}

/**
 * The body of a git request as its sender wrote it: gzip is undone (git compresses long requests),
 * and what it grows to is held against `limit`. Reading gives a GitError when it is too large or
 * not what its header says.
 */
export function bodyOf(request: Request, limit: number, watchdog: Watchdog): Bytes | null {
  const { body } = request
  if (body === null) return null
  const encoding = encodingOf(request)
  const gzip = isGzip(encoding)
  if (!gzip && encoding !== 'identity')
    throw new GitError(
      'unsupported',
      `bodies with Content-Encoding ${encoding} are not taken, only gzip`,
    )
  const plain = gzip
    ? (body as ReadableStream<Uint8Array<ArrayBuffer>>).pipeThrough(new DecompressionStream('gzip'))
    : body
  let size = 0
  return watched(plain as Bytes, {
    chunk: (chunk) => {
      watchdog.touch()
      size += chunk.length
      if (size > limit) throw new GitError('too_large', `the request is larger than ${limit} bytes`)
    },
    failed: (error) =>
      error instanceof GitError || !gzip
        ? error
        : new GitError('corrupt', 'the request body is not valid gzip'),
  })
}
