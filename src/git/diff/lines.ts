/**
 * Splits files into lines and numbers them. Two compared files share one numbering: equal lines
 * have equal numbers, in order of first appearance, the old file first. So all diff algorithms work
 * on integers.
 */

/**
 * The bytes of a file with the offsets of its lines. Line i is `data[starts[i]..starts[i + 1])`,
 * including its newline.
 */
export type Lines = {
  readonly data: Uint8Array
  readonly count: number
  /** `count + 1` offsets. */
  readonly starts: Uint32Array
}

const NEWLINE = 0x0a

export function splitLines(data: Uint8Array): Lines {
  const buffer = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  let starts = new Uint32Array(Math.max(16, Math.min(data.length + 1, 1 + (data.length >> 4))))
  let count = 0
  let at = 0
  while (at < data.length) {
    const end = buffer.indexOf(NEWLINE, at)
    if (count + 2 > starts.length) {
      const wider = new Uint32Array(starts.length * 2)
      wider.set(starts)
      starts = wider
    }
    starts[count++] = at
    at = end < 0 ? data.length : end + 1
  }
  starts[count] = data.length
  return { data, count, starts: starts.subarray(0, count + 1) }
}

/** The bytes of a range of lines, `to` exclusive. */
export const sliceLines = (lines: Lines, from: number, to: number): Uint8Array =>
  lines.data.subarray(lines.starts[from] ?? 0, lines.starts[to] ?? lines.data.length)

export const endsWithNewline = (data: Uint8Array): boolean =>
  data.length > 0 && data[data.length - 1] === NEWLINE

/** The number of lines of a file. A last line without newline counts too. */
export function countLines(data: Uint8Array): number {
  const buffer = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  let count = 0
  let at = buffer.indexOf(NEWLINE)
  while (at >= 0) {
    count++
    at = buffer.indexOf(NEWLINE, at + 1)
  }
  return data.length > 0 && !endsWithNewline(data) ? count + 1 : count
}

/** Git's rule: a NUL byte in the first 8000 bytes. */
export function isBinary(data: Uint8Array): boolean {
  const buffer = Buffer.from(data.buffer, data.byteOffset, Math.min(data.byteLength, 8000))
  return buffer.indexOf(0) >= 0
}

/** The bytes that git treats as white space (its own `isspace`). */
const isSpace = (byte: number): boolean =>
  byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d

export type Numbered = {
  readonly old: Int32Array
  readonly new: Int32Array
  readonly kinds: number
}

/**
 * Numbers the lines of two files; with `ignoreWhitespace` lines that differ in white space only are
 * equal.
 */
export function numberLines(a: Lines, b: Lines, ignoreWhitespace = false): Numbered {
  const table = new LineTable(a.count + b.count, ignoreWhitespace)
  return { old: table.number(a), new: table.number(b), kinds: table.kinds }
}

/** An open-addressing table from line content to number. The content stays in the files. */
class LineTable {
  kinds = 0
  private readonly mask: number
  private readonly slots: Int32Array
  private readonly hashes: Int32Array
  private readonly files: Lines[] = []
  private readonly homeFile: Uint8Array
  private readonly homeLine: Int32Array

  constructor(
    lines: number,
    private readonly loose: boolean,
  ) {
    let size = 16
    while (size < lines * 2) size *= 2
    this.mask = size - 1
    this.slots = new Int32Array(size)
    this.hashes = new Int32Array(lines + 1)
    this.homeFile = new Uint8Array(lines + 1)
    this.homeLine = new Int32Array(lines + 1)
  }

  number(lines: Lines): Int32Array {
    const file = this.files.push(lines) - 1
    const numbers = new Int32Array(lines.count)
    for (let i = 0; i < lines.count; i++) numbers[i] = this.find(lines, i, file)
    return numbers
  }

  private find(lines: Lines, line: number, file: number): number {
    const from = lines.starts[line] ?? 0
    const to = lines.starts[line + 1] ?? from
    const hash = this.loose ? hashLoose(lines.data, from, to) : hashBytes(lines.data, from, to)
    let slot = (hash ^ (hash >>> 15)) & this.mask
    for (;;) {
      const kind = (this.slots[slot] ?? 0) - 1
      if (kind < 0) break
      if (this.hashes[kind] === hash && this.equals(kind, lines.data, from, to)) return kind
      slot = (slot + 1) & this.mask
    }
    const kind = this.kinds++
    this.slots[slot] = kind + 1
    this.hashes[kind] = hash
    this.homeFile[kind] = file
    this.homeLine[kind] = line
    return kind
  }

  private equals(kind: number, data: Uint8Array, from: number, to: number): boolean {
    const home = this.files[this.homeFile[kind] ?? 0]
    if (!home) return false
    const line = this.homeLine[kind] ?? 0
    const start = home.starts[line] ?? 0
    const end = home.starts[line + 1] ?? start
    return this.loose
      ? equalLoose(home.data, start, end, data, from, to)
      : equalBytes(home.data, start, end, data, from, to)
  }
}

/**
 * FNV-1a with a random seed per process, so that nobody can craft a file whose lines all collide.
 */
const SEED = crypto.getRandomValues(new Int32Array(1))[0] ?? 0

function hashBytes(data: Uint8Array, from: number, to: number): number {
  let hash = SEED
  for (let i = from; i < to; i++) hash = Math.imul(hash ^ (data[i] as number), 0x01000193)
  hash ^= hash >>> 13
  return Math.imul(hash, 0x5bd1e995)
}

function hashLoose(data: Uint8Array, from: number, to: number): number {
  let hash = SEED
  for (let i = from; i < to; i++) {
    const byte = data[i] as number
    if (!isSpace(byte)) hash = Math.imul(hash ^ byte, 0x01000193)
  }
  hash ^= hash >>> 13
  return Math.imul(hash, 0x5bd1e995)
}

function equalBytes(
  a: Uint8Array,
  aFrom: number,
  aTo: number,
  b: Uint8Array,
  bFrom: number,
  bTo: number,
): boolean {
  if (aTo - aFrom !== bTo - bFrom) return false
  for (let i = aFrom, j = bFrom; i < aTo; i++, j++) if (a[i] !== b[j]) return false
  return true
}

function equalLoose(
  a: Uint8Array,
  aFrom: number,
  aTo: number,
  b: Uint8Array,
  bFrom: number,
  bTo: number,
): boolean {
  let i = aFrom
  let j = bFrom
  for (;;) {
    while (i < aTo && isSpace(a[i] as number)) i++
    while (j < bTo && isSpace(b[j] as number)) j++
    if (i >= aTo || j >= bTo) return i >= aTo && j >= bTo
    if (a[i++] !== b[j++]) return false
  }
}
