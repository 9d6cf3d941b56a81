/**
 * Bounds work that is done where others wait for it. Whoever reads objects or walks history says
 * what that costs before it does it, and is stopped by `Spent` once the bound is reached. What was
 * read until then stays known; what was being made is thrown away.
 */

/** The bound is reached. It is no GitError: nothing is wrong with what was asked for. */
export class Spent extends Error {}

export type Bounds = {
  /** Milliseconds from now on. */
  readonly milliseconds: number
  /** Bytes to be inflated, compared, copied. */
  readonly bytes: number
}

/** Steps, and bytes, after which the clock is looked at again. */
const STEPS = 64
const BYTES = 1 << 14
/** Bytes of one object beyond which there is no time to look at the clock again. */
const AT_ONCE = 1 << 20

export class Meter {
  private readonly until: number
  private bytes: number
  private steps = 0
  private unseen = 0

  constructor({ milliseconds, bytes }: Bounds) {
    this.until = performance.now() + milliseconds
    this.bytes = bytes
  }

  /** One commit, tree or object is looked at. */
  step(): void {
    if (++this.steps % STEPS === 0) this.look()
  }

  /** So many bytes are about to be worked on. */
  spend(bytes: number): void {
    this.bytes -= bytes
    if (this.bytes < 0 || bytes > AT_ONCE) throw new Spent()
    this.unseen += bytes
    if (this.unseen < BYTES) return
    this.unseen = 0
    this.look()
  }

  /** Looks at the clock. */
  look(): void {
    if (performance.now() > this.until) throw new Spent()
  }
}
