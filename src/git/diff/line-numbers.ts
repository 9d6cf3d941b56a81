/**
 * Numbers the lines of many versions of a file: equal lines have equal numbers in all versions. A
 * version is numbered from its neighbour, with which it shares most bytes. So only the lines that
 * differ are looked up.
 */
import { splitLines, type Lines } from './lines.ts'

/** A version's lines with their numbers. */
export type NumberedLines = { readonly lines: Lines; readonly numbers: Int32Array }

const NEWLINE = 0x0a
const BLOCK = 1024

const asBuffer = (data: Uint8Array): Buffer =>
  Buffer.from(data.buffer, data.byteOffset, data.byteLength)

/** A random seed per process, so that nobody can craft a file whose lines all collide. */
const SEED = crypto.getRandomValues(new Int32Array(1))[0] ?? 0

export class LineNumbers {
  /** The number of different lines; all line numbers are smaller. */
  kinds = 0
  private slots = new Int32Array(1 << 12)
  private hashes = new Int32Array(1 << 11)
  /** The offsets in `text` at which each kind of line begins; the last is the end. */
  private places = new Uint32Array((1 << 11) + 1)
  private text = Buffer.allocUnsafeSlow(1 << 16)

  /** Bytes that the lines occupy. */
  get held(): number {
    return this.places[this.kinds] ?? 0
  }

  /** The lines of a version. `near` is a version with which it shares most bytes. */
  number(data: Uint8Array, near: NumberedLines | null = null): NumberedLines {
    if (near === null) return this.whole(splitLines(data))
    const mine = asBuffer(data)
    const other = asBuffer(near.lines.data)
    const { starts, count } = near.lines
    const shorter = Math.min(mine.length, other.length)
    const equal = commonStart(mine, other, shorter)
    // A last line without newline differs from a line that continues in the other file.
    const cut =
      equal === other.length && mine.length > equal && equal > 0 && other[equal - 1] !== NEWLINE
    const head = lineAt(starts, cut ? equal - 1 : equal)
    const from = starts[head] as number
    const shift = mine.length - other.length
    const end = other.length - commonEnd(mine, other, shorter - from)
    let tail = lineAt(starts, end)
    // The line in which the equal end begins is only partly equal, unless it begins there in both
    // files.
    if ((starts[tail] as number) < end || (end + shift > from && mine[end + shift - 1] !== NEWLINE))
      tail++
    tail = Math.min(tail, count)
    const to = (starts[tail] as number) + shift
    const middle = this.whole(splitLines(mine.subarray(from, to)))
    const between = middle.lines.count
    const rest = count - tail
    const all = new Uint32Array(head + between + rest + 1)
    const numbers = new Int32Array(head + between + rest)
    all.set(starts.subarray(0, head))
    numbers.set(near.numbers.subarray(0, head))
    for (let i = 0; i < between; i++) all[head + i] = from + (middle.lines.starts[i] as number)
    numbers.set(middle.numbers, head)
    for (let i = 0; i <= rest; i++) all[head + between + i] = (starts[tail + i] as number) + shift
    numbers.set(near.numbers.subarray(tail), head + between)
    return { lines: { data, count: numbers.length, starts: all }, numbers }
  }

  private whole(lines: Lines): NumberedLines {
    const numbers = new Int32Array(lines.count)
    const data = asBuffer(lines.data)
    for (let i = 0; i < lines.count; i++)
      numbers[i] = this.find(data, lines.starts[i] as number, lines.starts[i + 1] as number)
    return { lines, numbers }
  }

  private find(data: Buffer, from: number, to: number): number {
    let hash = SEED
    for (let i = from; i < to; i++) hash = Math.imul(hash ^ (data[i] as number), 0x01000193)
    hash = Math.imul(hash ^ (hash >>> 13), 0x5bd1e995)
    const mask = this.slots.length - 1
    let slot = (hash ^ (hash >>> 15)) & mask
    for (
      let kind = (this.slots[slot] as number) - 1;
      kind >= 0;
      kind = (this.slots[slot] as number) - 1
    ) {
      if (this.hashes[kind] === hash && this.equals(kind, data, from, to)) return kind
      slot = (slot + 1) & mask
    }
    return this.add(hash, slot, data, from, to)
  }

  private equals(kind: number, data: Buffer, from: number, to: number): boolean {
    const start = this.places[kind] as number
    if ((this.places[kind + 1] as number) - start !== to - from) return false
    for (let i = from, j = start; i < to; i++, j++) if (data[i] !== this.text[j]) return false
    return true
  }

  private add(hash: number, slot: number, data: Buffer, from: number, to: number): number {
    const kind = this.kinds++
    const at = this.places[kind] as number
    if (at + to - from > this.text.length) {
      const wider = Buffer.allocUnsafeSlow(Math.max(this.text.length * 2, at + to - from))
      this.text.copy(wider, 0, 0, at)
      this.text = wider
    }
    data.copy(this.text, at, from, to)
    this.slots[slot] = kind + 1
    this.hashes[kind] = hash
    this.places[kind + 1] = at + to - from
    if (this.kinds === this.hashes.length) this.grow()
    return kind
  }

  private grow(): void {
    const hashes = new Int32Array(this.hashes.length * 2)
    hashes.set(this.hashes)
    this.hashes = hashes
    const places = new Uint32Array(hashes.length + 1)
    places.set(this.places)
    this.places = places
    this.slots = new Int32Array(this.slots.length * 2)
    const mask = this.slots.length - 1
    for (let kind = 0; kind < this.kinds; kind++) {
      const hash = hashes[kind] as number
      let slot = (hash ^ (hash >>> 15)) & mask
      while (this.slots[slot] !== 0) slot = (slot + 1) & mask
      this.slots[slot] = kind + 1
    }
  }
}

/** The line of an offset; the number of lines for the end of the file. */
function lineAt(starts: Uint32Array, offset: number): number {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((starts[middle] as number) <= offset) low = middle
    else high = middle - 1
  }
  return low
}

function commonStart(a: Buffer, b: Buffer, limit: number): number {
  let length = 0
  while (
    length + BLOCK <= limit &&
    a.compare(b, length, length + BLOCK, length, length + BLOCK) === 0
  )
    length += BLOCK
  while (length < limit && a[length] === b[length]) length++
  return length
}

function commonEnd(a: Buffer, b: Buffer, limit: number): number {
  let length = 0
  const same = (to: number): boolean =>
    a.compare(b, b.length - to, b.length - length, a.length - to, a.length - length) === 0
  while (length + BLOCK <= limit && same(length + BLOCK)) length += BLOCK
  while (length < limit && a[a.length - 1 - length] === b[b.length - 1 - length]) length++
  return length
}
