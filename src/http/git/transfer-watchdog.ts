/**
 * Aborts a git transfer that makes no progress, so that a stalled client does not hold it open, and
 * one whose caller has lost the right to it, so that nobody keeps what is not sent yet.
 */
import { RIGHTS_INTERVAL_MS } from '#core/access.ts'
import { GitError } from '#git'
import { MINUTE } from '#lib/time.ts'

const TRANSFER_IDLE_TIMEOUT_MS = 10 * MINUTE

export class Watchdog {
  readonly #abort = new AbortController()
  readonly #idle: ReturnType<typeof setTimeout>
  readonly #rights: ReturnType<typeof setInterval> | undefined
  readonly signal = this.#abort.signal

  /**
   * `checkRights` throws when the transfer has to end; its error is the reason of the signal. Null
   * for transfers that were allowed once and for all, such as those of a signed link.
   */
  constructor(checkRights: (() => void) | null) {
    this.#idle = setTimeout(
      () => this.#abort.abort(new GitError('aborted', 'nothing moved for too long')),
      TRANSFER_IDLE_TIMEOUT_MS,
    )
    this.#idle.unref()
    if (checkRights === null) return
    this.#rights = setInterval(() => {
      try {
        checkRights()
      } catch (error) {
        this.#abort.abort(error)
      }
    }, RIGHTS_INTERVAL_MS)
    this.#rights.unref()
  }

  /** Notes progress. */
  touch(): void {
    this.#idle.refresh()
  }

  stop(): void {
    clearTimeout(this.#idle)
    clearInterval(this.#rights)
  }
}
