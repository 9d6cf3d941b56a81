import { growTable, HEAP_TABLES, type Tables } from '../store/tables.ts'

/** A growing list of numbers of 32 bits, such as commits of a `CommitTable`. */
export class NumberList {
  private numbers: Uint32Array
  length = 0

  constructor(private readonly tables: Tables = HEAP_TABLES) {
    this.numbers = tables.allocate(Uint32Array, 256)
  }

  push(number: number): void {
    if (this.length === this.numbers.length)
      this.numbers = growTable(this.tables, this.numbers, this.length * 2)
    this.numbers[this.length++] = number
  }

  /** Removes the last number and returns it. */
  pop(): number {
    return this.numbers[--this.length]!
  }

  at(index: number): number {
    return this.numbers[index]!
  }

  set(index: number, number: number): void {
    this.numbers[index] = number
  }

  get last(): number {
    return this.at(this.length - 1)
  }

  /** The numbers, as a view that is valid until the next `push`. */
  get view(): Uint32Array {
    return this.numbers.subarray(0, this.length)
  }

  release(): void {
    this.tables.release(this.numbers)
  }
}
