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
