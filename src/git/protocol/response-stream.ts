/** Responses as streams that pass on backpressure and cancellation. */
import { releaseBuffer } from '#lib/pieces.ts'
import { GitError, type ResponseOptions, type ResponseSink } from '../ports.ts'
import { copyBytes } from '../store/copy-bytes.ts'

export type { ResponseSink }

type Produce = (sink: ResponseSink) => Promise<void>

/**
 * A stream of the bytes that `produce` puts; its errors are the stream's. Bytes are written to a
 * direct stream of Bun, which tells when they were sent. So their memory can be recycled at once.
 */
export const streamResponse = (
  produce: Produce,
  options: ResponseOptions = {},
): ReadableStream<Uint8Array> => new ResponseStream(produce, options).readable

class ResponseStream implements ResponseSink {
  readonly readable: ReadableStream<Uint8Array>
  private outlet: ReadableStreamDirectController | null = null
  private isCancelled = false
  private readonly cancelHandlers: (() => void)[] = []
  /** Bytes that were put before the first read. */
  private readonly early: { readonly bytes: Uint8Array; readonly taken?: () => void }[] = []
  private readonly over = Promise.withResolvers<void>()

  constructor(
    produce: Produce,
    private readonly options: ResponseOptions,
  ) {
    const { signal } = options
    if (signal?.aborted) this.abort()
    signal?.addEventListener('abort', this.abort, { once: true })
    this.over.promise.then(this.end, this.end)
    produce(this).then(this.over.resolve, this.over.reject)
    const source: Bun.DirectUnderlyingSource<Uint8Array> = {
      type: 'direct',
      pull: (controller) => this.pull(controller),
      cancel: () => {
        this.cancel()
        this.over.resolve()
      },
    }
    // The DOM types do not know direct streams.
    this.readable = new ReadableStream<Uint8Array>(
      source as object as UnderlyingDefaultSource<Uint8Array>,
    )
  }

  put(bytes: Uint8Array, taken?: () => void): void {
    if (this.isCancelled) taken?.()
    else if (this.outlet === null) this.early.push(taken ? { bytes, taken } : { bytes })
    else this.write(this.outlet, bytes, taken)
  }

  onCancel(handler: () => void): void {
    if (this.isCancelled) handler()
    else this.cancelHandlers.push(handler)
  }

  private async pull(controller: ReadableStreamDirectController): Promise<void> {
    for (let next = this.early.shift(); next; next = this.early.shift())
      this.write(controller, next.bytes, next.taken)
    this.outlet = controller
    await this.over.promise
    if (!this.isCancelled) controller.close()
  }

  private write(
    outlet: ReadableStreamDirectController,
    bytes: Uint8Array,
    taken?: () => void,
  ): void {
    const { onProgress } = this.options
    onProgress?.()
    const accepted = outlet.write(bytes)
    if (typeof accepted === 'number') return taken?.()
    const sent = (): void => {
      onProgress?.()
      taken?.()
    }
    accepted.then(sent, sent)
  }

  private cancel(): void {
    this.isCancelled = true
    for (const handler of this.cancelHandlers.splice(0)) handler()
    for (const { taken } of this.early.splice(0)) taken?.()
  }

  private readonly abort = (): void => {
    this.cancel()
    this.over.reject(new GitError('aborted', 'the request was given up'))
  }

  private readonly end = (): void => {
    this.options.signal?.removeEventListener('abort', this.abort)
    this.options.onEnd?.()
  }
}

/** A sink that recycles the memory of blocks once they are taken. No other code may use them. */
export const recyclingSink = (sink: ResponseSink): ResponseSink => ({
  put: (bytes, taken) =>
    sink.put(bytes, () => {
      releaseBuffer(bytes)
      taken?.()
    }),
  onCancel: (handler) => sink.onCancel(handler),
})

/** Passes on a range of the bytes, or all, and cancels the production of what follows. */
export class RangeSink implements ResponseSink {
  /** Bytes that were put, selected or not. */
  size = 0
  private left: number
  private readonly start: number
  private readonly cancelHandlers: (() => void)[] = []

  constructor(
    private readonly sink: ResponseSink,
    range: { readonly start: number; readonly length: number } | null = null,
  ) {
    this.start = range?.start ?? 0
    this.left = range?.length ?? Infinity
  }

  /** Whether all selected bytes were passed on. */
  get isComplete(): boolean {
    return this.left === 0
  }

  put(bytes: Uint8Array, taken?: () => void): void {
    const skip = Math.max(0, this.start - this.size)
    this.size += bytes.length
    const part = bytes.subarray(skip, skip + this.left)
    this.left -= part.length
    if (part.length > 0) this.sink.put(part, taken)
    else taken?.()
    if (this.isComplete) for (const cancel of this.cancelHandlers.splice(0)) cancel()
  }

  onCancel(handler: () => void): void {
    this.cancelHandlers.push(handler)
    this.sink.onCancel(handler)
  }
}

/** A response is returned whole up to this size. */
const MAX_BUFFERED_BYTES = 1 << 16
/** How long the first bytes of a response wait for its end. */
const MAX_BUFFERED_MS = 30

/**
 * The bytes that `produce` puts: whole if they are few and complete soon, otherwise as a stream. A
 * short response costs far less without a stream. Throws the errors of `produce` before the stream
 * begins.
 */
export const bufferOrStreamResponse = (
  produce: Produce,
  options: ResponseOptions = {},
): Promise<Uint8Array | ReadableStream<Uint8Array>> =>
  new BufferedResponse(produce, options).result.promise

class BufferedResponse implements ResponseSink {
  readonly result = Promise.withResolvers<Uint8Array | ReadableStream<Uint8Array>>()
  private readonly produced: Promise<void>
  private readonly chunks: Uint8Array[] = []
  private readonly cancelHandlers: (() => void)[] = []
  private size = 0
  private isSettled = false
  /** The stream that has taken over. */
  private stream: ResponseSink | null = null
  private timer: ReturnType<typeof setTimeout> | null = null

  constructor(
    produce: Produce,
    private readonly options: ResponseOptions,
  ) {
    this.produced = Promise.resolve().then(() => produce(this))
    const { signal } = options
    if (signal?.aborted) this.abort()
    else signal?.addEventListener('abort', this.abort, { once: true })
    this.produced.then(
      () => {
        const [only] = this.chunks
        if (this.settle())
          this.result.resolve(this.chunks.length === 1 && only ? only : Buffer.concat(this.chunks))
      },
      (error) => {
        if (this.settle()) this.result.reject(error)
      },
    )
  }

  put(bytes: Uint8Array, taken?: () => void): void {
    this.size += bytes.length
    if (this.size > MAX_BUFFERED_BYTES) this.startStream()
    if (this.stream) return this.stream.put(bytes, taken)
    // `taken` may recycle the memory.
    this.chunks.push(taken ? copyBytes(bytes) : bytes)
    this.timer ??= setTimeout(this.startStream, MAX_BUFFERED_MS)
    taken?.()
  }

  onCancel(handler: () => void): void {
    if (this.stream) this.stream.onCancel(handler)
    else this.cancelHandlers.push(handler)
  }

  private readonly startStream = (): void => {
    if (!this.settle()) return
    const takeOver = (sink: ResponseSink): Promise<void> => {
      this.stream = sink
      for (const handler of this.cancelHandlers) sink.onCancel(handler)
      for (const bytes of this.chunks.splice(0)) sink.put(bytes)
      return this.produced
    }
    this.result.resolve(streamResponse(takeOver, this.options))
  }

  private readonly abort = (): void => {
    if (!this.settle()) return
    for (const handler of this.cancelHandlers.splice(0)) handler()
    this.result.reject(new GitError('aborted', 'the request was given up'))
  }

  /** Whether the result is still open; it is not afterwards. */
  private settle(): boolean {
    if (this.isSettled) return false
    this.isSettled = true
    if (this.timer !== null) clearTimeout(this.timer)
    this.options.signal?.removeEventListener('abort', this.abort)
    return true
  }
}
