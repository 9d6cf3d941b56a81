/** Bytes from something that pushes to something that reads, one piece at a time. */
export class BytePipe implements AsyncIterable<Uint8Array> {
  #piece: Uint8Array | null = null
  #fault: Error | null = null
  #isEnded = false
  #isStopped = false
  #changed = Promise.withResolvers<void>()

  /** Resolves when the piece was taken, or nobody reads any more. */
  async push(piece: Uint8Array): Promise<void> {
    if (this.#isStopped) return
    this.#piece = piece
    this.#change()
    while (this.#piece !== null && !this.#isStopped) await this.#changed.promise
  }

  /** The reader gets the fault, or the end. */
  end(fault: Error | null): void {
    this.#fault = fault
    this.#isEnded = true
    this.#change()
  }

  /** Nobody reads any more. */
  stop(): void {
    this.#isStopped = true
    this.#change()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        while (this.#piece === null && !this.#isEnded) await this.#changed.promise
        if (this.#piece !== null) {
          const piece = this.#piece
          this.#piece = null
          this.#change()
          yield piece
        } else if (this.#fault) throw this.#fault
        else return
      }
    } finally {
      this.stop()
    }
  }

  #change(): void {
    this.#changed.resolve()
    this.#changed = Promise.withResolvers<void>()
  }
}
