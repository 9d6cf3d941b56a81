/** Answers as streams: made when they are read, given up when their reader goes. */
import { GitError } from '../ports.ts'

export type AnswerSink = {
  /** Puts bytes into the stream; `taken` is called once the reader wants more. */
  put(bytes: Uint8Array, taken?: () => void): void
  /** Called when the reader goes away before the end. */
  onCancel(handler: () => void): void
}

/** A stream of what `make` puts. An error that `make` throws errors the stream. */
export function answerStream(make: (sink: AnswerSink) => Promise<void>, signal?: AbortSignal): ReadableStream<Uint8Array> {
  let cancelled = false
  const handlers: (() => void)[] = []
  const waiting: (() => void)[] = []
  const cancel = () => {
    cancelled = true
    for (const handler of handlers.splice(0)) handler()
    for (const taken of waiting.splice(0)) taken()
  }
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const sink: AnswerSink = {
          put(bytes, taken) {
            if (cancelled) {
              taken?.()
              return
            }
            controller.enqueue(bytes)
            if (taken === undefined) return
            if ((controller.desiredSize ?? 0) > 0) taken()
            else waiting.push(taken)
          },
          onCancel(handler) {
            if (cancelled) handler()
            else handlers.push(handler)
          },
        }
        const abort = () => {
          if (cancelled) return
          cancel()
          controller.error(new GitError('aborted', 'the request was given up'))
        }
        if (signal?.aborted) abort()
        signal?.addEventListener('abort', abort, { once: true })
        make(sink)
          .then(() => {
            if (!cancelled) controller.close()
          })
          .catch((error) => {
            if (!cancelled) controller.error(error)
          })
          .finally(() => signal?.removeEventListener('abort', abort))
      },
      pull() {
        for (const taken of waiting.splice(0)) taken()
      },
      cancel,
    },
    new ByteLengthQueuingStrategy({ highWaterMark: 1 << 18 }),
  )
}

/** Bytes up to which an answer is handed over whole, and milliseconds that its first bytes wait for the last. */
const WHOLE = 1 << 16
const PATIENCE = 30

/**
 * What `make` puts, whole when it is small and soon there, else as a stream: a short answer costs far less without one. Gives the
 * error that `make` throws before the stream begins.
 */
export function answerSoon(make: (sink: AnswerSink) => Promise<void>, signal?: AbortSignal): Promise<Uint8Array | ReadableStream<Uint8Array>> {
  return new Promise((resolve, reject) => {
    const gathered: Uint8Array[] = []
    const handlers: (() => void)[] = []
    let size = 0
    let given = false
    let onward: AnswerSink | null = null
    let timer: ReturnType<typeof setTimeout> | null = null
    const settle = (): boolean => {
      if (given) return false
      given = true
      if (timer !== null) clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
      return true
    }
    const abort = (): void => {
      if (!settle()) return
      for (const handler of handlers.splice(0)) handler()
      reject(new GitError('aborted', 'the request was given up'))
    }
    const stream = (): void => {
      if (!settle()) return
      const rest = (sink: AnswerSink): Promise<void> => {
        onward = sink
        for (const handler of handlers) sink.onCancel(handler)
        for (const bytes of gathered.splice(0)) sink.put(bytes)
        return made
      }
      resolve(answerStream(rest, signal))
    }
    const made = Promise.resolve().then(() =>
      make({
        put(bytes, taken) {
          if (onward) return onward.put(bytes, taken)
          gathered.push(bytes)
          size += bytes.length
          if (size > WHOLE) stream()
          else timer ??= setTimeout(stream, PATIENCE)
          taken?.()
        },
        onCancel(handler) {
          if (onward) onward.onCancel(handler)
          else handlers.push(handler)
        },
      }),
    )
    if (signal?.aborted) abort()
    else signal?.addEventListener('abort', abort, { once: true })
    made.then(
      () => {
        if (settle()) resolve(gathered.length === 1 ? gathered[0]! : Buffer.concat(gathered))
      },
      (error) => {
        if (settle()) reject(error)
      },
    )
  })
}
