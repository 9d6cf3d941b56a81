/** One byte of marks for every number, growing as numbers do. */
export class Marks {
  private bytes = new Uint8Array(256)

  get(index: number): number {
    return index < this.bytes.length ? this.bytes[index]! : 0
  }

  /** Adds bits; says whether any of them was new. */
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
