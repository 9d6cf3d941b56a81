/** The packets of git's protocols (gitprotocol-common, "pkt-line Format"). */
import { isAscii } from 'node:buffer'
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

/** A line of a request without its newline, or the length of a special packet. */
export type Line = string | typeof FLUSH_LINE | typeof DELIM_LINE | typeof END_LINE
export const FLUSH_LINE = 0
export const DELIM_LINE = 1
export const END_LINE = 2

/**
 * All lines of a body. Throws GitError `invalid` when it is malformed or truncated. Lines are
 * slices of one string: a fetch has hundreds of ids, and a buffer for each would cost more than all
 * other work.
 */
export function parseLines(body: Uint8Array): Line[] {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length)
  const text = isAscii(bytes) ? bytes.toString('latin1') : null
  const lines: Line[] = []
  for (let at = 0; at < bytes.length; ) {
    const length = at + 4 <= bytes.length ? packetLength(bytes, at) : -1
    if (length === FLUSH_LINE || length === DELIM_LINE || length === END_LINE) {
      lines.push(length)
      at += 4
      continue
    }
    if (length < 4 || at + length > bytes.length)
      throw new GitError('invalid', 'the request is not made of pkt-lines')
    const end = length > 4 && bytes[at + length - 1] === 10 ? at + length - 1 : at + length
    lines.push(text === null ? bytes.toString('utf8', at + 4, end) : text.slice(at + 4, end))
    at += length
  }
  return lines
}
