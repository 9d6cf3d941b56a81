/**
 * Output of a command on its way to people: bytes become UTF-8 text whatever they were, colours and
 * cursor movements are left out, and secrets are masked before anything is kept. Whole lines are
 * handed on, because half a secret is not recognised; a line without an end is handed on when it
 * grows too long.
 */

/** Of a line that does not end. */
const LONGEST_LINE = 16_384
/** Held back of such a line, so that a secret at the cut is still whole. */
const HELD_BACK = 4_096
/** A private key is masked to its end; what never ends is given up after so many characters. */
const LONGEST_KEY = 65_536

/**
 * Control sequences of terminals (ECMA-48 section 5.4; xterm's OSC), and controls besides tab and
 * line feed.
 */
const SEQUENCES =
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]{0,2000}(?:\u0007|\u001b\\)|\u001b[@-Z\\-_]/g
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/**
 * A carriage return goes back to the start of a line; here it begins a new one, so that nothing is
 * hidden.
 */
export const plainText = (text: string): string =>
  text.replace(/\r+\n/g, '\n').replaceAll('\r', '\n').replace(SEQUENCES, '').replace(CONTROLS, '')

const KEY_START = /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g
const KEY_END = /-----END [A-Z0-9 ]{1,50}-----/

/** Where a private key begins that does not end in this text; -1 when there is none. */
function openKey(text: string): number {
  let last = -1
  for (const match of text.matchAll(KEY_START)) last = match.index
  return last >= 0 && !KEY_END.test(text.slice(last)) ? last : -1
}

export class OutputText {
  #decoder = new TextDecoder('utf-8')
  #waiting = ''
  #inKey = 0

  /** `mask` takes secrets out of a text that holds whole lines. */
  constructor(
    private readonly mask: (text: string) => string,
    private readonly emit: (text: string) => void,
  ) {}

  write(bytes: Uint8Array): void {
    this.#waiting += this.#decoder.decode(bytes, { stream: true })
    const cut = this.#waiting.lastIndexOf('\n') + 1
    if (cut > 0) this.#hand(this.#take(cut))
    while (this.#waiting.length > LONGEST_LINE)
      this.#hand(this.#take(this.#waiting.length - HELD_BACK))
  }

  end(): void {
    this.#waiting += this.#decoder.decode()
    if (this.#waiting !== '') this.#hand(this.#take(this.#waiting.length))
  }

  /**
   * The first characters of what waits, without cutting one in two or a carriage return from its
   * line feed.
   */
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

  #hand(raw: string): void {
    let text = plainText(raw)
    if (this.#inKey > 0) {
      const end = KEY_END.exec(text)
      if (end) text = text.slice(end.index + end[0].length)
      else if ((this.#inKey += text.length) < LONGEST_KEY) return
      this.#inKey = 0
    }
    // The mask takes an open key out to the end of this text; the rest of the key is still to come.
    if (openKey(text) >= 0) this.#inKey = 1
    text = this.mask(text)
    if (text !== '') this.emit(text)
  }
}

/** The last characters of a text, none cut in two. */
export function endOf(text: string, most: number): string {
  if (text.length <= most) return text
  const start = text.length - most
  const first = text.charCodeAt(start)
  return text.slice(first >= 0xdc00 && first < 0xe000 ? start + 1 : start)
}

export type Collected = {
  write(bytes: Uint8Array): void
  /** `left_out`: something between the limit and the end is missing. */
  end(left_out: boolean): void
}

/**
 * Puts the output of a command together as text: what came up to the limit, a word where something
 * is missing, and the end.
 */
export function collectOutput({
  limit,
  mask,
  emit,
}: {
  limit: number
  mask: (text: string) => string
  emit: (text: string) => void
}): Collected {
  const text = new OutputText(mask, emit)
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
      const last = new OutputText(mask, emit)
      // It begins in the middle of a line, where half a secret would not be known for one.
      last.write(rest.subarray(rest.indexOf(0x0a) + 1))
      last.end()
    },
  }
}
