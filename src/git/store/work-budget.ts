/**
 * Bounds work on a thread on which other requests wait. The code that reads objects or walks
 * history reports the cost of each step beforehand. When the budget is exhausted it throws
 * `BudgetExceeded`. Caches keep what was read until then; the unfinished result is discarded.
 */

/** The budget is exhausted. It is no GitError, because the request itself is valid. */
export class BudgetExceeded extends Error {}

export type BudgetLimits = {
  /** Milliseconds from now on. */
  readonly timeMs: number
  /** Bytes to inflate, compare or copy. */
  readonly bytes: number
}

/** Number of steps, and of bytes, between two reads of the clock. */
const CLOCK_EVERY_STEPS = 64
const CLOCK_EVERY_BYTES = 1 << 14
/**
 * Objects with more bytes exceed every budget: inflating one takes too long to check the clock in
 * between.
 */
const MAX_OBJECT_BYTES = 1 << 20

export class WorkBudget {
  private readonly deadlineMs: number
  private bytes: number
  private steps = 0
  private bytesSinceClock = 0

  constructor({ timeMs, bytes: bytesLeft }: BudgetLimits) {
    this.deadlineMs = performance.now() + timeMs
    this.bytes = bytesLeft
  }

  /** Counts one commit, tree or object. */
  countStep(): void {
    if (++this.steps % CLOCK_EVERY_STEPS === 0) this.checkClock()
  }

  /** Counts bytes that are about to be processed. */
  spendBytes(bytes: number): void {
    this.bytes -= bytes
    if (this.bytes < 0 || bytes > MAX_OBJECT_BYTES) throw new BudgetExceeded()
    this.bytesSinceClock += bytes
    if (this.bytesSinceClock < CLOCK_EVERY_BYTES) return
    this.bytesSinceClock = 0
    this.checkClock()
  }

  /** Throws BudgetExceeded after the deadline. */
  checkClock(): void {
    if (performance.now() > this.deadlineMs) throw new BudgetExceeded()
  }
}
