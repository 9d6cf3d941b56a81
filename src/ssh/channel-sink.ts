/** A response of the engine to the client of a channel, without copies on the way. */
import type { ServerChannel } from 'ssh2'
import { GitError, type ResponseSink } from '#git'
import { release } from '#lib/pieces.ts'

type SinkOptions = {
  readonly signal: AbortSignal
  /** The client has so many bytes of the response already. */
  readonly skippedBytes: number
  /** Called when the client has taken something. */
  readonly onProgress: () => void
}

/** What ssh2 knows of the side that receives. */
type Outgoing = { readonly window: number }

/** How many bytes ssh2 puts into packets at once; 0 when it keeps what it gets. */
const freeWindow = (channel: ServerChannel): number =>
  channel.writableLength === 0
    ? ((channel as unknown as { outgoing?: Outgoing }).outgoing?.window ?? 0)
    : 0

export class ChannelSink implements ResponseSink {
  /** All bytes of the response so far, with those that were skipped. */
  bytes = 0
  #waiting = 0
  #isOver = false
  #allSent: (() => void) | null = null
  readonly #ended = Promise.withResolvers<never>()
  readonly #cancelHandlers: (() => void)[] = []

  /** `close` must be called at the end. */
  constructor(
    private readonly channel: ServerChannel,
    private readonly options: SinkOptions,
  ) {
    this.#ended.promise.catch(() => {})
    channel.once('close', this.#cancel)
    options.signal.addEventListener('abort', this.#cancel, { once: true })
    if (options.signal.aborted || !channel.writable) this.#cancel()
  }

  put(bytes: Uint8Array, taken?: () => void): void {
    const skipped = Math.min(bytes.length, Math.max(0, this.options.skippedBytes - this.bytes))
    this.bytes += bytes.length
    const part = bytes.subarray(skipped)
    if (part.length === 0 || this.#isOver || !this.channel.writable) return taken?.()
    this.#waiting++
    // The memory is used again after `taken`, and after a cancellation. So what ssh2 keeps until the
    // client opens its window is a copy.
    const isSentNow = part.length <= freeWindow(this.channel)
    const whole = isSentNow
      ? Buffer.from(part.buffer, part.byteOffset, part.length)
      : Buffer.from(part)
    this.channel.write(whole, () => {
      if (!isSentNow) release(whole)
      this.options.onProgress()
      taken?.()
      if (--this.#waiting === 0) this.#allSent?.()
    })
  }

  onCancel(handler: () => void): void {
    if (this.#isOver) handler()
    else this.#cancelHandlers.push(handler)
  }

  /** The result of work, unless the transfer ends before it. */
  orEnd<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#ended.promise])
  }

  /** Puts bytes and waits until they are in packets. */
  async send(bytes: Uint8Array): Promise<void> {
    this.put(bytes)
    await this.sent()
  }

  /** Resolves when all bytes are in packets. Throws when the transfer ends before. */
  async sent(): Promise<void> {
    if (this.#waiting === 0 && !this.#isOver) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#allSent = resolve
    await this.orEnd(promise)
  }

  close(): void {
    this.channel.off('close', this.#cancel)
    this.options.signal.removeEventListener('abort', this.#cancel)
  }

  readonly #cancel = (): void => {
    if (this.#isOver) return
    this.#isOver = true
    const { signal } = this.options
    const closed = new GitError('aborted', 'the connection was closed')
    this.#ended.reject(signal.aborted ? signal.reason : closed)
    for (const handler of this.#cancelHandlers.splice(0)) handler()
  }
}
