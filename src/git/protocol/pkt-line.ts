/** The packets of git's protocols (gitprotocol-common, "pkt-line Format"). */
import { bytesToUtf8 } from '#lib/byte-text.ts'
import type { Steps } from '#lib/steps.ts'
import { bytesToOid } from '../object.ts'
import { GitError } from '../ports.ts'

export const FLUSH = Buffer.from('0000')
export const DELIM = Buffer.from('0001')
export const MAX_PACKET = 65520

export function pkt(text: string): Buffer {
  return pktBytes(Buffer.from(text))
}

export function pktBytes(bytes: Uint8Array): Buffer {
  if (bytes.length + 4 > MAX_PACKET) throw new GitError('too_large', 'a protocol line is too long')
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, '0')), bytes])
}

/** The length prefixes of short packets. */
const LENGTHS = Array.from({ length: 512 }, (_, length) => length.toString(16).padStart(4, '0'))

function digits(length: number): string {
  if (length > MAX_PACKET) throw new GitError('too_large', 'a protocol line is too long')
  return LENGTHS[length] ?? length.toString(16).padStart(4, '0')
}

/**
 * Lines as packets, each with a line feed, and an end. Encoded in one string: thousands of buffers
 * would cost more than the lines.
 */
export function pktLines(lines: readonly string[], end: Buffer): Buffer {
  const ending = end.toString('latin1')
  let text = ''
  for (const line of lines) text += `${digits(line.length + 5)}${line}\n`
  const bytes = Buffer.from(text + ending)
  // Names that are not ASCII have more bytes than characters.
  if (bytes.length === text.length + ending.length) return bytes
  const packets = lines.map((line) => `${digits(5 + Buffer.byteLength(line))}${line}\n`)
  return Buffer.from(packets.join('') + ending)
}

/**
 * Splits bytes into packets of a side band: 1 is data, 2 progress for the user, 3 a fatal error.
 */
export function bandPackets(band: 1 | 2 | 3, bytes: Uint8Array, payload = MAX_PACKET - 5): Buffer {
  const parts: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += payload) {
    const part = bytes.subarray(at, at + payload)
    parts.push(
      Buffer.from((part.length + 5).toString(16).padStart(4, '0')),
      Uint8Array.of(band),
      part,
    )
  }
  return Buffer.concat(parts)
}

/** An empty packet on band 1, a keep-alive. */
export const KEEP_ALIVE = Buffer.from('0005\x01')

export type Packet =
  | { readonly kind: 'data'; readonly data: Buffer }
  | { readonly kind: 'flush' | 'delim' | 'end' }

const DIGITS = Buffer.from('0123456789abcdef')

/** Writes the length of a packet, which includes its own four digits. */
export function writeLength(bytes: Uint8Array, at: number, length: number): void {
  for (let i = 3; i >= 0; i--, length >>>= 4) bytes[at + i] = DIGITS[length & 15]!
}

/** Parses the length of a packet; -1 when it is malformed. */
export function packetLength(bytes: Uint8Array, at: number): number {
  let length = 0
  for (let i = 0; i < 4; i++) {
    const byte = bytes[at + i]!
    const digit =
      byte >= 0x30 && byte <= 0x39
        ? byte - 0x30
        : byte >= 0x61 && byte <= 0x66
          ? byte - 0x57
          : byte >= 0x41 && byte <= 0x46
            ? byte - 0x37
            : -1
    if (digit < 0) return -1
    length = length * 16 + digit
  }
  return length
}

/** All packets of a body. Throws GitError `invalid` when it is malformed or truncated. */
export function parsePackets(body: Uint8Array): Packet[] {
  const packets: Packet[] = []
  let at = 0
  while (at < body.length) {
    const length = at + 4 <= body.length ? packetLength(body, at) : -1
    if (length === 0 || length === 1 || length === 2) {
      packets.push({ kind: length === 0 ? 'flush' : length === 1 ? 'delim' : 'end' })
      at += 4
    } else {
      if (length < 4 || at + length > body.length)
        throw new GitError('invalid', 'the request is not made of pkt-lines')
      packets.push({
        kind: 'data',
        data: Buffer.from(body.buffer, body.byteOffset + at + 4, length - 4),
      })
      at += length
    }
  }
  return packets
}

/** The text of a packet without its line feed. */
export const lineOf = (data: Buffer): string => {
  const text = data.toString('utf8')
  return text.endsWith('\n') ? text.slice(0, -1) : text
}

/** Words before ids, of which a request can have hundreds of thousands. */
const ID_WORDS = ['want', 'have', 'shallow', 'oid'] as const

/** Lines that follow one another and have the same word before an id. */
export type IdLines = {
  readonly word: (typeof ID_WORDS)[number]
  /** 20 bytes each. */
  readonly ids: Uint8Array
}

/** A line of a request without its newline, lines of ids, or the length of a special packet. */
export type Line = string | IdLines | typeof FLUSH_LINE | typeof DELIM_LINE | typeof END_LINE
export const FLUSH_LINE = 0
export const DELIM_LINE = 1
export const END_LINE = 2

/** Git sends far fewer ids: it stops after 256 that are not common. */
export const MAX_LINES = 200_000

export const tooManyLines = (): GitError =>
  new GitError('too_large', `the request has more than ${MAX_LINES} lines`)

const HEX_LENGTH = 40
const NEWLINE = 10

/** The first bytes of lines with an id: the length of the packet, the word and a space. */
const ID_STARTS = ID_WORDS.map((word) => {
  const size = 4 + word.length + 1 + HEX_LENGTH + 1
  return { word, size, start: Buffer.from(`${size.toString(16).padStart(4, '0')}${word} `) }
})

type IdStart = (typeof ID_STARTS)[number]

/** The value of a hexadecimal digit in lower case by its character; 255 for any other character. */
const DIGIT_VALUES = new Uint8Array(256).fill(255)
DIGITS.forEach((digit, value) => (DIGIT_VALUES[digit] = value))

/** Writes the id of 40 digits at `from` to `ids`. False when it is none. */
function readId(bytes: Uint8Array, from: number, ids: Uint8Array, at: number): boolean {
  let wrong = 0
  for (let i = 0; i < 20; i++) {
    const high = DIGIT_VALUES[bytes[from + 2 * i]!]!
    const low = DIGIT_VALUES[bytes[from + 2 * i + 1]!]!
    wrong |= high | low
    ids[at + i] = (high << 4) | low
  }
  return wrong < 16
}

function startsWith(bytes: Uint8Array, at: number, start: Uint8Array): boolean {
  for (let i = 0; i < start.length; i++) if (bytes[at + i] !== start[i]) return false
  return true
}

/** What one step parses takes a few milliseconds. A short line costs as much as one of an id. */
const STEP_BYTES = 1 << 20
const MIN_LINE_BYTES = 50

/**
 * All lines of a body. Lines of ids become bytes and not strings: a clone can name each of 100,000
 * branches. Throws GitError `invalid` when the body is malformed or truncated, and `too_large` when
 * it has too many lines.
 */
export function* parseLines(body: Uint8Array): Steps<Line[]> {
  const lines: Line[] = []
  let [count, work] = [0, 0]
  for (let at = 0; at < body.length; ) {
    const begin = ID_STARTS.find(({ start }) => startsWith(body, at, start))
    const ids = begin ? readIds(body, at, begin) : null
    const line = ids ?? readLine(body, at)
    lines.push(line.value)
    work += Math.max(line.end - at, line.count * MIN_LINE_BYTES)
    at = line.end
    count += line.count
    if (count > MAX_LINES) throw tooManyLines()
    if (work < STEP_BYTES) continue
    work = 0
    yield
  }
  return lines
}

type ReadLine = { readonly value: Line; readonly end: number; readonly count: number }

/** Memory for the ids of one step, from which they are copied in the same turn. */
const stepIds = new Uint8Array(20 * Math.ceil(STEP_BYTES / MIN_LINE_BYTES))

/**
 * Reads lines of ids, as many as one step may. Null when the first one has no id. It ends at the first
 * line that has none, so that a body of such lines is read once.
 */
function readIds(bytes: Uint8Array, from: number, { word, size, start }: IdStart): ReadLine | null {
  let [end, count] = [from, 0]
  while (
    end + size <= bytes.length &&
    count * 20 < stepIds.length &&
    startsWith(bytes, end, start) &&
    bytes[end + size - 1] === NEWLINE &&
    readId(bytes, end + start.length, stepIds, count * 20)
  ) {
    end += size
    count++
  }
  return count === 0 ? null : { value: { word, ids: stepIds.slice(0, count * 20) }, end, count }
}

function readLine(bytes: Uint8Array, at: number): ReadLine {
  const length = at + 4 <= bytes.length ? packetLength(bytes, at) : -1
  if (length === FLUSH_LINE || length === DELIM_LINE || length === END_LINE)
    return { value: length, end: at + 4, count: 1 }
  if (length < 4 || at + length > bytes.length)
    throw new GitError('invalid', 'the request is not made of pkt-lines')
  const end = length > 4 && bytes[at + length - 1] === NEWLINE ? at + length - 1 : at + length
  return { value: bytesToUtf8(bytes, at + 4, end), end: at + length, count: 1 }
}

/** The first line of what was parsed as one. */
export function textOf(line: Line): string {
  if (typeof line === 'object') return `${line.word} ${bytesToOid(line.ids)}`
  return typeof line === 'string' ? line : ''
}
