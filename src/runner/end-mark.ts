/**
 * The end of a step in the output of its job: a record separator (0x1e), the step's nonce, a space,
 * the exit code and a line feed. Steps do not know the nonce before they end.
 */

const SEPARATOR = 0x1e
/** A space, an exit code of three digits, and a line feed. */
const MAX_TAIL_BYTES = 5

export type Split = {
  /** Output of the step. */
  readonly output: Uint8Array
  /** The exit code; null while the mark has not come. */
  readonly exit: number | null
  /** What followed the mark. */
  readonly rest: Uint8Array
}

const NOTHING = Buffer.alloc(0)

/** Finds the mark in output that comes in chunks, wherever these are cut. */
export class EndMark {
  readonly #mark: Buffer
  #held: Buffer = NOTHING

  constructor(nonce: string) {
    this.#mark = Buffer.from(`${String.fromCharCode(SEPARATOR)}${nonce} `)
  }

  push(chunk: Uint8Array): Split {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    const data = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes])
    const start = data.indexOf(this.#mark)
    if (start < 0) return this.#hold(data, this.#partialMark(data))
    const tail = data.subarray(start + this.#mark.length)
    const line = tail.indexOf(0x0a)
    if (line < 0 && tail.length < MAX_TAIL_BYTES) return this.#hold(data, start)
    const code = Number(/^\d{1,3}$/.exec(tail.toString('latin1', 0, Math.max(0, line)))?.[0] ?? 255)
    return {
      output: data.subarray(0, start),
      exit: code,
      rest: line < 0 ? NOTHING : tail.subarray(line + 1),
    }
  }

  /** What was held back when the output ended without a mark. */
  end(): Uint8Array {
    return this.#held
  }

  #hold(data: Buffer, from: number): Split {
    // A copy, because the chunk belongs to the stream.
    this.#held = Buffer.from(data.subarray(from))
    return { output: data.subarray(0, from), exit: null, rest: NOTHING }
  }

  /** Where the beginning of a mark stands at the end of the data; its length when there is none. */
  #partialMark(data: Buffer): number {
    const from = Math.max(0, data.length - this.#mark.length + 1)
    for (let at = data.indexOf(SEPARATOR, from); at >= 0; at = data.indexOf(SEPARATOR, at + 1))
      if (this.#mark.subarray(0, data.length - at).equals(data.subarray(at))) return at
    return data.length
  }
}
