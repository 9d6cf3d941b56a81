/**
 * Ends a thread that has had no work for a while, because what a thread has taken from the system
 * is given back only at its end: 10 MiB or more, and up to 150 MiB after much work. Starting one
 * again takes about 12 ms of processor time.
 */
import { SECOND } from '../time.ts'

const DEFAULT_IDLE_MS = 20 * SECOND

export type IdleTimerOptions = {
  /** Ends the thread. The next work starts another. */
  readonly end: () => void
  /** Whether a message of the thread is still to come, although nobody waits for its work. */
  readonly isAwaited?: () => boolean
  readonly idleMs?: number
}

export class IdleTimer {
  #timer: ReturnType<typeof setTimeout> | null = null

  constructor(private readonly options: IdleTimerOptions) {}

  /** The thread has no work from now on. */
  start(): void {
    const { end, isAwaited = () => false, idleMs = DEFAULT_IDLE_MS } = this.options
    this.stop()
    this.#timer = setTimeout(() => (isAwaited() ? this.start() : end()), idleMs)
    this.#timer.unref()
  }

  /** The thread has work again, or it ended. */
  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
  }
}
