/** Aborts a git transfer that makes no progress, so that a stalled client does not hold it open. */
import { GitError } from '#git'
import { MINUTE } from '#lib/time.ts'

const TRANSFER_IDLE_TIMEOUT_MS = 10 * MINUTE

export class Watchdog {
  readonly #abort = new AbortController()
  readonly #timer: ReturnType<typeof setTimeout>
  readonly signal = this.#abort.signal

  constructor(idleTimeoutMs = TRANSFER_IDLE_TIMEOUT_MS) {
    this.#timer = setTimeout(
      () => this.#abort.abort(new GitError('aborted', 'nothing moved for too long')),
      idleTimeoutMs,
    )
    this.#timer.unref()
  }

  /** Notes progress. */
  touch(): void {
    this.#timer.refresh()
  }

  stop(): void {
    clearTimeout(this.#timer)
  }
}
