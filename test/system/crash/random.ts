/**
 * Numbers that look random and come again for the same seed (mulberry32), so that a run can be told
 * by its seed.
 */
export class Random {
  constructor(private state: number) {}

  /** From 0 up to 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0
    let mixed = this.state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }

  between(low: number, high: number): number {
    return low + this.next() * (high - low)
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  /**
   * Another source that this one decides, for a part of the program with its own order of
   * questions.
   */
  branch(): Random {
    return new Random(Math.floor(this.next() * 4294967296))
  }
}
