/** Packets of git's protocols (gitprotocol-common, "pkt-line Format"). */
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

/** Splits bytes into packets of a side band. Band 1 carries data, 2 progress for the person, 3 a fatal error. */
export function bandPackets(band: 1 | 2 | 3, bytes: Uint8Array, payload = MAX_PACKET - 5): Buffer {
  const parts: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += payload) {
    const part = bytes.subarray(at, at + payload)
    parts.push(Buffer.from((part.length + 5).toString(16).padStart(4, '0')), Uint8Array.of(band), part)
  }
  return Buffer.concat(parts)
}

/** A packet without content on band 1: tells the other side that work goes on. */
export const KEEP_ALIVE = Buffer.from('0005\x01')

export type Packet = { readonly kind: 'data'; readonly data: Buffer } | { readonly kind: 'flush' | 'delim' | 'end' }

/** Reads the length of a packet at `at`: -1 for malformed. */
export function packetLength(bytes: Uint8Array, at: number): number {
  let length = 0
  for (let i = 0; i < 4; i++) {
    const byte = bytes[at + i]!
    const digit =
      byte >= 0x30 && byte <= 0x39 ? byte - 0x30 : byte >= 0x61 && byte <= 0x66 ? byte - 0x57 : byte >= 0x41 && byte <= 0x46 ? byte - 0x37 : -1
    if (digit < 0) return -1
    length = length * 16 + digit
  }
  return length
}

/** Every packet of a whole body. Throws GitError `invalid` when it is malformed or cut off. */
export function parsePackets(body: Uint8Array): Packet[] {
  const packets: Packet[] = []
  let at = 0
  while (at < body.length) {
    const length = at + 4 <= body.length ? packetLength(body, at) : -1
    if (length === 0 || length === 1 || length === 2) {
      packets.push({ kind: length === 0 ? 'flush' : length === 1 ? 'delim' : 'end' })
      at += 4
    } else {
      if (length < 4 || at + length > body.length) throw new GitError('invalid', 'the request is not made of pkt-lines')
      packets.push({ kind: 'data', data: Buffer.from(body.buffer, body.byteOffset + at + 4, length - 4) })
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
