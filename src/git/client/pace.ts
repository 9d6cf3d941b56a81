/**
 * How slow a remote may be. A server that lets a byte fall now and then would hold a connection and
 * an import's place for hours; git has `http.lowSpeedLimit` and `http.lowSpeedTime` against that
 * (git-config). Only time in which this side waits is counted: what a full disk or a busy thread
 * here delays is not the remote's doing.
 */
import { RemoteError } from './ports.ts'

export type PaceLimits = {
  /** Milliseconds of waiting over which the least speed is measured. */
  readonly window: number
  /** Bytes a second, once a pack is coming. */
  readonly least: number
  /** Milliseconds of waiting that a remote may take to list its refs, or to put a pack together. */
  readonly preparing: number
}

/** A modem would do. Large repositories on small servers take minutes until their pack begins. */
const USUAL: PaceLimits = { window: 60_000, least: 1000, preparing: 30 * 60_000 }

/** The pace of one answer. */
export class Pace {
  #waited = 0
  #bytes = 0
  #flows = false

  constructor(private readonly limits: PaceLimits = USUAL) {}

  /** From now on a pack is coming. */
  flows(): void {
    if (this.#flows) return
    this.#flows = true
    this.#waited = 0
    this.#bytes = 0
  }

  /**
   * Bytes that came after so many milliseconds of waiting. Throws RemoteError when it is too slow.
   */
  note(bytes: number, waited: number): void {
    this.#waited += waited
    this.#bytes += bytes
    const { window, least, preparing } = this.limits
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
