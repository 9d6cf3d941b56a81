import { growTable, HEAP_TABLES, type Tables } from '../store/tables.ts'

/** One byte of flags for each commit number. The array grows with the numbers. */
export class CommitMarks {
  private bytes: Uint8Array

  constructor(private readonly tables: Tables = HEAP_TABLES) {
    this.bytes = tables.allocate(Uint8Array, 256)
  }

  get(index: number): number {
    return index < this.bytes.length ? this.bytes[index]! : 0
  }

  /** Sets bits. Returns whether any of them was clear. */
  add(index: number, bits: number): boolean {
    if (index >= this.bytes.length) {
      const length = Math.max(index + 1, this.bytes.length * 2)
      this.bytes = growTable(this.tables, this.bytes, length)
    }
    const before = this.bytes[index]!
    this.bytes[index] = before | bits
    return (before & bits) !== bits
  }

  release(): void {
    this.tables.release(this.bytes)
  }
}
