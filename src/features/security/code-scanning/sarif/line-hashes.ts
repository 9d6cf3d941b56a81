/**
 * Hashes that identify a line by what follows it, as `primaryLocationLineHash` of code scanning
 * does: a rolling hash with the base 37 modulo 2^64 over the 100 UTF-16 units from the start of the
 * line. Blanks and tabs are left out and every line end counts as a line feed.
 */
const UNITS = 100
const BASE = 37
const TWO_32 = 2 ** 32
const END = 0xffff
const SPACE = 32
const TAB = 9
const LF = 10
const CR = 13

/** 37^100 modulo 2^64, in two halves. */
function highestPower(): readonly [number, number] {
  let power = 1n
  for (let count = 0; count < UNITS; count++) power = BigInt.asUintN(64, power * BigInt(BASE))
  return [Number(power >> 32n), Number(power & 0xffffffffn)]
}

class RollingHash {
  #high = 0
  #low = 0
  #at = 0
  readonly #window = new Uint16Array(UNITS)
  /** The line that begins at each unit of the window; 0 for none. */
  readonly #lines = new Int32Array(UNITS)
  readonly #power = highestPower()
  readonly #counts = new Map<string, number>()

  constructor(private readonly found: (line: number, hash: string) => void) {}

  /** Adds a unit. `line` is the line that begins with it; 0 for none. */
  add(unit: number, line: number): void {
    this.flush()
    if (line > 0) this.#lines[this.#at] = line
    const oldest = this.#window[this.#at] ?? 0
    this.#window[this.#at] = unit
    const [powerHigh, powerLow] = this.#power
    const grown = this.#low * BASE + unit
    const removed = powerLow * oldest
    const low = (grown % TWO_32) - (removed % TWO_32)
    const carry = Math.floor(grown / TWO_32) - Math.floor(removed / TWO_32) - (low < 0 ? 1 : 0)
    this.#low = low < 0 ? low + TWO_32 : low
    const high = (this.#high * BASE - ((powerHigh * oldest) % TWO_32) + carry) % TWO_32
    this.#high = high < 0 ? high + TWO_32 : high
    this.#at = (this.#at + 1) % UNITS
  }

  /** Reports the line whose units fill the window. */
  flush(): void {
    const line = this.#lines[this.#at] ?? 0
    if (line === 0) return
    this.#lines[this.#at] = 0
    const hash =
      this.#high === 0
        ? this.#low.toString(16)
        : this.#high.toString(16) + this.#low.toString(16).padStart(8, '0')
    const count = (this.#counts.get(hash) ?? 0) + 1
    this.#counts.set(hash, count)
    this.found(line, `${hash}:${count}`)
  }
}

/** The hash of every line, from 1, as `hex:count` where count tells equal hashes apart. */
export function lineHashes(text: string): string[] {
  const hashes: string[] = []
  const rolling = new RollingHash((line, hash) => {
    hashes[line - 1] = hash
  })
  let line = 0
  let isLineStart = true
  let afterReturn = false
  const process = (code: number): void => {
    if (code === SPACE || code === TAB || (afterReturn && code === LF)) {
      afterReturn = false
      return
    }
    afterReturn = code === CR
    const unit = code === CR ? LF : code
    if (isLineStart) line++
    rolling.add(unit, isLineStart ? line : 0)
    isLineStart = unit === LF
  }
  for (let at = 0; at < text.length; at++) process(text.charCodeAt(at))
  process(END)
  for (let count = 0; count < UNITS; count++) rolling.add(0, 0)
  return hashes
}
