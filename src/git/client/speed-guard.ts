/**
 * Limits how slow a remote may be. A server that sends a byte now and then would hold a connection
 * for hours. Git has `http.lowSpeedLimit` and `http.lowSpeedTime` (git-config) against that. Only
 * time spent waiting for the remote counts, not delays of this side.
 */
import { RemoteError } from './ports.ts'

export type SpeedLimits = {
  /** The waiting time over which the speed is measured. */
  readonly windowMs: number
  /** The minimum speed of a pack. */
  readonly minBytesPerSecond: number
  /** The maximum waiting time until the refs are listed or the pack begins. */
  readonly maxPreparationMs: number
}

/**
 * A modem reaches this speed. Large repositories on small servers take minutes until the pack
 * begins.
 */
const DEFAULT_SPEED_LIMITS: SpeedLimits = {
  windowMs: 60_000,
  minBytesPerSecond: 1000,
  maxPreparationMs: 30 * 60_000,
}

/** The speed of one response. */
export class SpeedGuard {
  #waited = 0
  #bytes = 0
  #flows = false

  constructor(private readonly limits: SpeedLimits = DEFAULT_SPEED_LIMITS) {}

  /** The pack has begun. */
  startTransfer(): void {
    if (this.#flows) return
    this.#flows = true
    this.#waited = 0
    this.#bytes = 0
  }

  /** Records bytes and the time waited for them. Throws RemoteError when the remote is too slow. */
  record(bytes: number, waited: number): void {
    this.#waited += waited
    this.#bytes += bytes
    const { windowMs: window, minBytesPerSecond: least, maxPreparationMs: preparing } = this.limits
    if (!this.#flows) {
      if (this.#waited > preparing)
        throw new RemoteError(
          'invalid',
          `the remote took longer than ${Math.round(preparing / 1000)} seconds to begin`,
        )
      return
    }
    if (this.#waited < window) return
    if (this.#bytes * 1000 < least * this.#waited) {
      throw new RemoteError(
        'invalid',
        `the remote sent less than ${least} bytes a second for ${Math.round(window / 1000)} seconds`,
      )
    }
    this.#waited = 0
    this.#bytes = 0
  }
}
