/**
 * How much work comparisons may still do, in steps of a few nanoseconds. Files can be made so that
 * comparing them takes for ever; when the effort is spent, comparing goes on in a way that is quick
 * and coarse, and still correct.
 */
export class Effort {
  constructor(private left: number) {}

  spend(steps: number): void {
    this.left -= steps
  }

  get spent(): boolean {
    return this.left < 0
  }
}

/** For one comparison: some two seconds. */
export const oneFile = (): Effort => new Effort(400_000_000)
/** For all comparisons of one request. */
export const manyFiles = (): Effort => new Effort(1_000_000_000)
