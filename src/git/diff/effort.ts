/**
 * A budget for comparisons, in steps of a few nanoseconds. Files can be crafted to make a
 * comparison extremely slow. When the budget is spent, comparisons continue in a fast and coarse
 * way that is still correct.
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

/** For one comparison: about two seconds. */
export const oneFile = (): Effort => new Effort(400_000_000)
/** For all comparisons of one request. */
export const manyFiles = (): Effort => new Effort(1_000_000_000)
