/** Replaces texts in a stream of bytes, whatever pieces it comes in. */

export type Replacement = { readonly from: string; readonly to: string }

/** A host name, or a port, that goes on is another one. */
const continuesName = (byte: number | undefined): boolean =>
  byte !== undefined && /[0-9A-Za-z.-]/.test(String.fromCharCode(byte))

type Needle = { readonly from: Buffer; readonly to: Buffer }

/** Replaces addresses of hosts, where no longer name begins with them. */
export class AddressReplacer {
  readonly #needles: readonly Needle[]
  readonly #longest: number
  #held: Buffer = Buffer.alloc(0)

  constructor(replacements: readonly Replacement[]) {
    this.#needles = replacements.map(({ from, to }) => ({
      from: Buffer.from(from),
      to: Buffer.from(to),
    }))
    this.#longest = Math.max(0, ...this.#needles.map(({ from }) => from.length))
  }

  /** All of the bytes are there. */
  whole(data: Uint8Array): Buffer {
    return Buffer.concat([this.push(data), this.end()])
  }

  text(text: string): string {
    return this.#needles.some(({ from }) => text.includes(from.toString()))
      ? this.whole(Buffer.from(text)).toString()
      : text
  }

  /** The part that further bytes cannot change. */
  push(data: Uint8Array): Buffer {
    const all = this.#held.length === 0 ? Buffer.from(data) : Buffer.concat([this.#held, data])
    // The byte behind a name decides about it, so that is waited for too.
    const { result, rest } = this.#replace(all, all.length - this.#longest)
    this.#held = Buffer.from(rest)
    return result
  }

  end(): Buffer {
    const { result, rest } = this.#replace(this.#held, this.#held.length)
    this.#held = Buffer.alloc(0)
    return Buffer.concat([result, rest])
  }

  /** Replaces what begins before `until`. */
  #replace(data: Buffer, until: number): { result: Buffer; rest: Buffer } {
    const parts: Buffer[] = []
    let from = 0
    for (;;) {
      const next = this.#next(data, from)
      if (next === null || next.at >= until) break
      const end = next.at + next.needle.from.length
      const isName = !continuesName(data[end])
      parts.push(
        data.subarray(from, next.at),
        isName ? next.needle.to : data.subarray(next.at, end),
      )
      from = end
    }
    const cut = Math.max(from, until)
    parts.push(data.subarray(from, cut))
    return { result: Buffer.concat(parts), rest: data.subarray(cut) }
  }

  #next(data: Buffer, from: number): { at: number; needle: Needle } | null {
    let first: { at: number; needle: Needle } | null = null
    for (const needle of this.#needles) {
      const at = data.indexOf(needle.from, from)
      if (at >= 0 && (first === null || at < first.at)) first = { at, needle }
    }
    return first
  }
}

/** The same bytes with the texts replaced. */
export const replaceInStream = (
  stream: ReadableStream<Uint8Array>,
  replacements: readonly Replacement[],
): ReadableStream<Uint8Array> => {
  const replacer = new AddressReplacer(replacements)
  return stream.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        const bytes = replacer.push(chunk)
        if (bytes.length > 0) controller.enqueue(bytes)
      },
      flush: (controller) => {
        const bytes = replacer.end()
        if (bytes.length > 0) controller.enqueue(bytes)
      },
    }),
  )
}
