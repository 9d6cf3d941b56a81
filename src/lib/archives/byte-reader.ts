/** Reads a stream of bytes in the lengths that a format has. */
export class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>
  #rest: Uint8Array = new Uint8Array(0)

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** Up to `max` bytes, as they come; null at the end. */
  async some(max: number): Promise<Uint8Array | null> {
    while (this.#rest.length === 0) {
      const { done, value } = await this.#source.next()
      if (done) return null
      this.#rest = value
    }
    const part = this.#rest.subarray(0, max)
    this.#rest = this.#rest.subarray(part.length)
    return part
  }

  /** Exactly `length` bytes; null when the stream ends before the first. */
  async exactly(length: number): Promise<Buffer | null> {
    const bytes = Buffer.alloc(length)
    let filled = 0
    while (filled < length) {
      const part = await this.some(length - filled)
      if (part === null) {
        if (filled === 0) return null
        throw new Error('the archive ends in the middle')
      }
      bytes.set(part, filled)
      filled += part.length
    }
    return bytes
  }

  /** Reads to the end. */
  async drain(): Promise<void> {
    while ((await this.some(65_536)) !== null);
  }
}
