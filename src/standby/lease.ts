/**
 * The primary's permission to change things: for a time after the standby answered last. The time
 * counts from when the primary asked, and the standby counts from when it answered, which is later.
 * So the permission ends before the standby may take over, whatever the network does. A machine that
 * was suspended sees it in one of its two clocks.
 */
import type { Clock } from '#lib/time.ts'

export class Lease {
  #asked = new Map<number, number>()
  #from: { readonly monotonic_ms: number; readonly wall_ms: number } | null = null

  constructor(
    readonly lengthMs: number,
    private readonly clock: Clock,
    private readonly monotonic: () => number = () => performance.now(),
  ) {}

  /** Notes a question to the standby and returns its time, which the answer repeats. */
  ask(): number {
    const now = this.monotonic()
    for (const asked of this.#asked.keys())
      if (now - asked > this.lengthMs) this.#asked.delete(asked)
    this.#asked.set(now, this.clock.now())
    return now
  }

  /** Takes the answer to the question of a time. */
  answer(asked: number): void {
    const wall_ms = this.#asked.get(asked)
    if (wall_ms === undefined || asked < (this.#from?.monotonic_ms ?? 0)) return
    this.#from = { monotonic_ms: asked, wall_ms }
  }

  /** How long it still lasts; 0 when it has ended. */
  get left_ms(): number {
    if (this.#from === null) return 0
    const passed = Math.max(
      this.monotonic() - this.#from.monotonic_ms,
      this.clock.now() - this.#from.wall_ms,
    )
    return Math.max(0, this.lengthMs - passed)
  }
}

/** Clocks of two machines run at speeds that differ by less than this. */
const CLOCK_TOLERANCE = 1.1

/** How long a standby waits after its last answer until it may take over. */
export const takeOverDelayMs = (lease_ms: number): number => lease_ms * CLOCK_TOLERANCE
