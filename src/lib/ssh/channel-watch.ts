/**
 * Limits of a command on another machine, which may say nothing, never end, or say too much. Such a
 * machine may not confirm the end of a channel either, so the owner ends the whole connection.
 */
import { MINUTE } from '../time.ts'
import type { SshChannel } from './ssh-client.ts'

export type ChannelLimits = {
  /** Without a byte that comes, or that the other side takes. */
  readonly idleMs: number
  readonly totalMs: number
  /** Of its output and its error output together. */
  readonly maxBytes: number
}

export type ChannelFault = 'silent' | 'slow' | 'long'

/** This side may count objects for long before it sends the next byte. */
const OWN_WORK_MS = 30 * MINUTE

export class ChannelWatch {
  #heardMs = performance.now()
  #bytes = 0
  #writing = 0
  readonly #timer: Timer

  /** `end` is called once, with the fault, and has to close the channel. */
  constructor(
    private readonly channel: SshChannel,
    private readonly limits: ChannelLimits,
    private readonly end: (fault: ChannelFault) => void,
  ) {
    const startedMs = performance.now()
    const take = (chunk: Uint8Array): void => {
      this.#touch()
      this.#bytes += chunk.length
      if (this.#bytes > limits.maxBytes) this.#fail('long')
    }
    channel.on('data', take)
    channel.stderr.on('data', take)
    channel.on('drain', () => this.#touch())
    channel.once('close', () => clearInterval(this.#timer))
    this.#timer = setInterval(() => {
      // A reader that is behind holds the other side up.
      if (channel.isPaused()) this.#touch()
      if (performance.now() - startedMs > limits.totalMs) this.#fail('slow')
      else if (performance.now() - this.#heardMs > this.#idleMs) this.#fail('silent')
    }, limits.idleMs / 4)
  }

  /** Tells whether a write waits for the other side. */
  async writing(write: Promise<void>): Promise<void> {
    this.#touch()
    this.#writing++
    try {
      await write
    } finally {
      this.#writing--
      this.#touch()
    }
  }

  get #idleMs(): number {
    const { idleMs } = this.limits
    const waitsForThem = this.#bytes === 0 || this.#writing > 0 || this.channel.writableEnded
    return waitsForThem ? idleMs : Math.max(idleMs, OWN_WORK_MS)
  }

  #touch(): void {
    this.#heardMs = performance.now()
  }

  #fail(fault: ChannelFault): void {
    clearInterval(this.#timer)
    this.end(fault)
  }
}
