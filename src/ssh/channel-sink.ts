/** A response of the engine to the client of a channel, without copies on the way. */
import type { ServerChannel } from 'ssh2'
import { GitError, type ResponseSink } from '#git'
import { release } from '#lib/pieces.ts'
import type { WorkTurns } from './work-turns.ts'

/** Eight packets of ssh2. */
const MAX_WRITE_BYTES = 256 * 1024
/** OpenSSH takes 64 KiB more at a time. Sending them at once costs more in calls than in bytes. */
const MIN_WRITE_BYTES = 256 * 1024
/** Of the client's window, so that it has enough to read meanwhile. */
const MIN_WRITE_PART = 1 / 8
/** A slow client gets less at a time, and so does one that uses its window up before it takes more. */
const MAX_WAIT_MS = 50

type SinkOptions = {
  readonly turns: WorkTurns
  readonly signal: AbortSignal
  /** The client has so many bytes of the response already. */
  readonly skippedBytes: number
  /** Called when the client has taken something. */
  readonly onProgress: () => void
}

/** What ssh2 knows of the side that receives: how many bytes it takes now. */
type Outgoing = { window: number }

const outgoingOf = (channel: ServerChannel): Outgoing =>
  (channel as unknown as { outgoing: Outgoing }).outgoing

/** Calls a function whenever the client takes more, until the returned one is called. */
function watchWindow(outgoing: Outgoing, onMore: () => void): () => void {
  let { window } = outgoing
  Object.defineProperty(outgoing, 'window', {
    configurable: true,
    enumerable: true,
    get: () => window,
    set: (next: number) => {
      const isMore = next > window
      window = next
      if (isMore) onMore()
    },
  })
  return () =>
    void Object.defineProperty(outgoing, 'window', {
      configurable: true,
      enumerable: true,
      writable: true,
      value: window,
    })
}

/** A part of the response, of which the beginning may be sent already. */
type Queued = { rest: Uint8Array; readonly taken: (() => void) | undefined }

export class ChannelSink implements ResponseSink {
  /** All bytes of the response so far, with those that were skipped. */
  bytes = 0
  readonly #queue: Queued[] = []
  #queuedBytes = 0
  /** Writes that ssh2 has not confirmed. */
  #writing = 0
  #isScheduled = false
  #isOver = false
  #allSent: (() => void) | null = null
  /** While the client takes less than this, it is about to take more. */
  #minWriteBytes = 0
  #waiting: Timer | null = null
  readonly #outgoing: Outgoing
  readonly #stopWatching: () => void
  readonly #ended = Promise.withResolvers<never>()
  readonly #cancelHandlers: (() => void)[] = []

  /** `close` must be called at the end. */
  constructor(
    private readonly channel: ServerChannel,
    private readonly options: SinkOptions,
  ) {
    this.#ended.promise.catch(() => {})
    this.#outgoing = outgoingOf(channel)
    this.#minWriteBytes = Math.min(MIN_WRITE_BYTES, this.#outgoing.window * MIN_WRITE_PART)
    this.#stopWatching = watchWindow(this.#outgoing, () => this.#writeNext())
    channel.once('close', this.#cancel)
    options.signal.addEventListener('abort', this.#cancel, { once: true })
    if (options.signal.aborted || !channel.writable) this.#cancel()
  }

  put(bytes: Uint8Array, taken?: () => void): void {
    const skipped = Math.min(bytes.length, Math.max(0, this.options.skippedBytes - this.bytes))
    this.bytes += bytes.length
    const part = bytes.subarray(skipped)
    if (part.length === 0 || this.#isOver || !this.channel.writable) return taken?.()
    this.#queue.push({ rest: part, taken })
    this.#queuedBytes += part.length
    this.#writeNext()
  }

  /** ssh2 would encrypt what it keeps at once when the client takes more, so it gets nothing to keep. */
  #writeNext(): void {
    const { window } = this.#outgoing
    if (this.#isScheduled || this.#writing > 0 || this.#queuedBytes === 0 || window === 0) return
    if (window < this.#minWriteBytes && window < this.#queuedBytes)
      this.#waiting ??= setTimeout(() => {
        this.#minWriteBytes /= 2
        this.#schedule()
      }, MAX_WAIT_MS)
    else this.#schedule()
  }

  #schedule(): void {
    this.#stopWaiting()
    this.#isScheduled = true
    this.options.turns.run(() => this.#write())
  }

  #stopWaiting(): void {
    if (this.#waiting !== null) clearTimeout(this.#waiting)
    this.#waiting = null
  }

  /** Writes as much as the client takes. Returns how many bytes are encrypted. */
  #write(): number {
    this.#isScheduled = false
    if (!this.channel.writable) this.#cancel()
    let written = 0
    for (let [first] = this.#queue; first; [first] = this.#queue) {
      const length = Math.min(MAX_WRITE_BYTES - written, this.#outgoing.window, first.rest.length)
      if (length === 0) break
      this.#writePart(first, length)
      written += length
    }
    return written
  }

  #writePart(first: Queued, length: number): void {
    const part = first.rest.subarray(0, length)
    first.rest = first.rest.subarray(length)
    this.#queuedBytes -= length
    const isTaken = first.rest.length === 0
    if (isTaken) this.#queue.shift()
    // The memory is used again after `taken`, and after a cancellation. So what waits behind an earlier
    // answer is a copy.
    const isSentNow = this.channel.writableLength === 0
    const bytes = isSentNow
      ? Buffer.from(part.buffer, part.byteOffset, part.length)
      : Buffer.from(part)
    this.#writing++
    this.channel.write(bytes, () => {
      if (!isSentNow) release(bytes)
      this.#writing--
      this.options.onProgress()
      if (isTaken) first.taken?.()
      if (this.#isAllSent) this.#allSent?.()
      else this.#writeNext()
    })
  }

  get #isAllSent(): boolean {
    return this.#queuedBytes === 0 && this.#writing === 0
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
    if (this.#isAllSent && !this.#isOver) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#allSent = resolve
    await this.orEnd(promise)
  }

  close(): void {
    this.#stopWaiting()
    this.#stopWatching()
    this.channel.off('close', this.#cancel)
    this.options.signal.removeEventListener('abort', this.#cancel)
  }

  readonly #cancel = (): void => {
    if (this.#isOver) return
    this.#isOver = true
    this.#queue.length = 0
    this.#queuedBytes = 0
    this.#stopWaiting()
    const { signal } = this.options
    const closed = new GitError('aborted', 'the connection was closed')
    this.#ended.reject(signal.aborted ? signal.reason : closed)
    for (const handler of this.#cancelHandlers.splice(0)) handler()
  }
}
