/** Answers as streams: made when they are asked for, given up when their reader goes. */
import { giveBackBuffer } from '#lib/pieces.ts'
import { GitError, type Sending } from '../ports.ts'
import { copyBytes } from '../store/copy-bytes.ts'

export type AnswerSink = {
  /**
   * Puts bytes into the stream. `taken` is called once the reader wants more; the stream needs the
   * memory of these bytes no more then.
   */
  put(bytes: Uint8Array, taken?: () => void): void
  /** Called when the reader goes away before the end. */
  onCancel(handler: () => void): void
}

/**
 * A stream of what `make` puts; an error that `make` throws errors it. Bytes are written to the
 * reader's own end of the stream (a direct stream of the runtime), which says when they have left:
 * only so can whoever made them give their memory back at once.
 */
export function answerStream(
  make: (sink: AnswerSink) => Promise<void>,
  { signal, onMove, onEnd }: Sending = {},
): ReadableStream<Uint8Array> {
  let outlet: ReadableStreamDirectController | null = null
  let isGone = false
  const handlers: (() => void)[] = []
  /** What was put before anybody read. */
  const early: { readonly bytes: Uint8Array; readonly taken: (() => void) | undefined }[] = []
  const over = Promise.withResolvers<void>()

  const write = (
    to: ReadableStreamDirectController,
    bytes: Uint8Array,
    taken?: () => void,
  ): void => {
    onMove?.()
    const accepted = to.write(bytes)
    if (typeof accepted === 'number') return taken?.()
    const moved = (): void => {
      onMove?.()
      taken?.()
    }
    accepted.then(moved, moved)
  }
  const sink: AnswerSink = {
    put(bytes, taken) {
      if (isGone) taken?.()
      else if (outlet === null) early.push({ bytes, taken })
      else write(outlet, bytes, taken)
    },
    onCancel(handler) {
      if (isGone) handler()
      else handlers.push(handler)
    },
  }
  const leave = (): void => {
    isGone = true
    for (const handler of handlers.splice(0)) handler()
    for (const { taken } of early.splice(0)) taken?.()
  }
  const abort = (): void => {
    leave()
    over.reject(new GitError('aborted', 'the request was given up'))
  }
  const end = (): void => {
    signal?.removeEventListener('abort', abort)
    onEnd?.()
  }

  if (signal?.aborted) abort()
  signal?.addEventListener('abort', abort, { once: true })
  over.promise.then(end, end)
  make(sink).then(over.resolve, over.reject)
  const source: Bun.DirectUnderlyingSource<Uint8Array> = {
    type: 'direct',
    async pull(controller) {
      for (let next = early.shift(); next; next = early.shift())
        write(controller, next.bytes, next.taken)
      outlet = controller
      await over.promise
      if (!isGone) controller.close()
    },
    cancel() {
      leave()
      over.resolve()
    },
  }
  // The types know the streams of browsers.
  return new ReadableStream<Uint8Array>(source as object as UnderlyingDefaultSource<Uint8Array>)
}

/**
 * A sink that gives back the memory of what was put and taken: for blocks that nobody else holds,
 * nor anything in their buffers.
 */
export const givingBack = (sink: AnswerSink): AnswerSink => ({
  put: (bytes, taken) =>
    sink.put(bytes, () => {
      giveBackBuffer(bytes)
      taken?.()
    }),
  onCancel: (handler) => sink.onCancel(handler),
})

/**
 * Bytes up to which an answer is handed over whole, and milliseconds that its first bytes wait for
 * the last.
 */
const WHOLE = 1 << 16
const PATIENCE = 30

/**
 * What `make` puts, whole when it is small and soon there, else as a stream: a short answer costs
 * far less without one. Gives the error that `make` throws before the stream begins.
 */
export function answerSoon(
  make: (sink: AnswerSink) => Promise<void>,
  sending: Sending = {},
): Promise<Uint8Array | ReadableStream<Uint8Array>> {
  const { signal } = sending
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
      resolve(answerStream(rest, sending))
    }
    const made = Promise.resolve().then(() =>
      make({
        put(bytes, taken) {
          size += bytes.length
          if (size > WHOLE) stream()
          if (onward) return onward.put(bytes, taken)
          // Whoever hears that they are taken may give their memory back.
          gathered.push(taken ? copyBytes(bytes) : bytes)
          timer ??= setTimeout(stream, PATIENCE)
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
