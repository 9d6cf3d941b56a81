/** One byte of flags for each commit number. The array grows with the numbers. */
export class CommitMarks {
  private bytes = new Uint8Array(256)

  get(index: number): number {
    return index < this.bytes.length ? this.bytes[index]! : 0
  }

  /** Sets bits. Returns whether any of them was clear. */
  add(index: number, bits: number): boolean {
    if (index >= this.bytes.length) {
      const grown = new Uint8Array(Math.max(index + 1, this.bytes.length * 2))
      grown.set(this.bytes)
      this.bytes = grown
    }
    const before = this.bytes[index]!
    this.bytes[index] = before | bits
    return (before & bits) !== bits
  }
}
