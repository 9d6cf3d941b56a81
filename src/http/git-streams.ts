/** The bytes of a git request and its answer: freed of compression, counted, and watched, so that a stalled client is cut off. */
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
    this.#timer = setTimeout(() => this.#abort.abort(new GitError('aborted', 'nothing moved for too long')), silence)
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

/** Passes a stream on, telling of every chunk and of its end. */
export function watched(stream: Bytes, on: { chunk: (chunk: Uint8Array) => void; end?: () => void; failed?: (error: unknown) => unknown }): Bytes {
  const reader = stream.getReader()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (done) {
          on.end?.()
          controller.close()
          return
        }
        on.chunk(value)
        controller.enqueue(value)
      } catch (error) {
        on.end?.()
        controller.error(on.failed ? on.failed(error) : error)
        await reader.cancel(error).catch(() => {})
      }
    },
    async cancel(reason) {
      on.end?.()
      await reader.cancel(reason)
    },
  })
}

/**
 * The body of a git request as its sender wrote it: gzip is undone (git compresses long requests), and what it grows to is
 * held against `limit`. Reading gives a GitError when it is too large or not what its header says.
 */
export function bodyOf(request: Request, limit: number, watchdog: Watchdog): Bytes | null {
  const { body } = request
  if (body === null) return null
  const encoding = request.headers.get('content-encoding')?.toLowerCase() ?? 'identity'
  const gzip = encoding === 'gzip' || encoding === 'x-gzip'
  if (!gzip && encoding !== 'identity') throw new GitError('unsupported', `bodies with Content-Encoding ${encoding} are not taken, only gzip`)
  const plain = gzip ? (body as ReadableStream<Uint8Array<ArrayBuffer>>).pipeThrough(new DecompressionStream('gzip')) : body
  let size = 0
  return watched(plain as Bytes, {
    chunk: (chunk) => {
      watchdog.touch()
      size += chunk.length
      if (size > limit) throw new GitError('too_large', `the request is larger than ${limit} bytes`)
    },
    failed: (error) => (error instanceof GitError || !gzip ? error : new GitError('corrupt', 'the request body is not valid gzip')),
  })
}
