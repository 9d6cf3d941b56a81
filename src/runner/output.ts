/**
 * Converts the output of a command to text for readers: decodes it as UTF-8, removes control
 * sequences, and masks secrets. It works on whole lines, because half a secret would not be
 * recognised. A very long line is passed on in pieces.
 */

/** A line is passed on in pieces when it is longer. */
const MAX_LINE_CHARS = 16_384
/** Characters of such a line that stay for the next piece, so that no secret is cut in two. */
const OVERLAP_CHARS = 4_096
/** A private key is masked up to its end line, or up to this many characters. */
const MAX_KEY_CHARS = 65_536

/**
 * Control sequences of terminals (ECMA-48 section 5.4; xterm's OSC), and control characters other
 * than tab and line feed.
 */
const SEQUENCES =
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]{0,2000}(?:\u0007|\u001b\\)|\u001b[@-Z\\-_]/g
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/**
 * Removes control sequences. A carriage return, which would overwrite the line in a terminal, begins
 * a new line, so that nothing is hidden.
 */
export const toPlainText = (text: string): string =>
  text
    .replace(/(?<!\r)\r+\n/g, '\n')
    .replaceAll('\r', '\n')
    .replace(SEQUENCES, '')
    .replace(CONTROLS, '')

const KEY_START = /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g
const KEY_END = /-----END [A-Z0-9 ]{1,50}-----/

/** Where a private key begins that does not end in this text; -1 when there is none. */
function findOpenKey(text: string): number {
  let last = -1
  for (const match of text.matchAll(KEY_START)) last = match.index
  return last >= 0 && !KEY_END.test(text.slice(last)) ? last : -1
}

export class OutputSanitizer {
  #decoder = new TextDecoder('utf-8')
  #waiting = ''
  #inKey = 0

  /** `mask` removes secrets from a text of whole lines. */
  constructor(
    private readonly mask: (text: string) => string,
    private readonly emit: (text: string) => void,
  ) {}

  write(bytes: Uint8Array): void {
    this.#waiting += this.#decoder.decode(bytes, { stream: true })
    const cut = this.#waiting.lastIndexOf('\n') + 1
    if (cut > 0) this.#passOn(this.#take(cut))
    while (this.#waiting.length > MAX_LINE_CHARS)
      this.#passOn(this.#take(this.#waiting.length - OVERLAP_CHARS))
  }

  end(): void {
    this.#waiting += this.#decoder.decode()
    if (this.#waiting !== '') this.#passOn(this.#take(this.#waiting.length))
  }

  /** Takes about `length` characters; never cuts a surrogate pair or CR LF in two. */
  #take(length: number): string {
    const last = this.#waiting.charCodeAt(length - 1)
    const cut =
      length < this.#waiting.length && ((last >= 0xd800 && last < 0xdc00) || last === 0x0d)
        ? length - 1
        : length
    const text = this.#waiting.slice(0, cut)
    this.#waiting = this.#waiting.slice(cut)
    return text
  }

  #passOn(raw: string): void {
    let text = toPlainText(raw)
    if (this.#inKey > 0) {
      const end = KEY_END.exec(text)
      if (end) text = text.slice(end.index + end[0].length)
      else if ((this.#inKey += text.length) < MAX_KEY_CHARS) return
      this.#inKey = 0
    }
    // The mask removes an open key up to the end of this text; the rest of the key is yet to come.
    if (findOpenKey(text) >= 0) this.#inKey = 1
    text = this.mask(text)
    if (text !== '') this.emit(text)
  }
}

/** The last characters of a text; never begins in the middle of a surrogate pair. */
export function tailOf(text: string, most: number): string {
  if (text.length <= most) return text
  const start = text.length - most
  const first = text.charCodeAt(start)
  return text.slice(first >= 0xdc00 && first < 0xe000 ? start + 1 : start)
}

export type OutputCollector = {
  write(bytes: Uint8Array): void
  /** `left_out`: output between the limit and the last bytes is missing. */
  end(left_out: boolean): void
}

/** Assembles the text of an output: the bytes up to the limit, a note on a gap, the last bytes. */
export function collectOutput({
  limit,
  mask,
  emit,
}: {
  limit: number
  mask: (text: string) => string
  emit: (text: string) => void
}): OutputCollector {
  const text = new OutputSanitizer(mask, emit)
  let total = 0
  const end: Uint8Array[] = []
  return {
    write(bytes) {
      const room = Math.max(0, limit - total)
      total += bytes.byteLength
      if (room > 0) text.write(bytes.subarray(0, room))
      if (bytes.byteLength > room) end.push(bytes.slice(room))
    },
    end(left_out) {
      const rest = Buffer.concat(end)
      if (!left_out) {
        text.write(rest)
        text.end()
        return
      }
      text.end()
      emit('\n[output left out here]\n')
      const last = new OutputSanitizer(mask, emit)
      // The tail begins in the middle of a line, where half a secret would not be recognised.
      last.write(rest.subarray(rest.indexOf(0x0a) + 1))
      last.end()
    },
  }
}
