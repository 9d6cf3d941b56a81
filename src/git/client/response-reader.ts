/**
 * Reads a response of a remote: packets, and the payload of side bands (gitprotocol-common,
 * gitprotocol-pack).
 */
import { withTimeout } from '#lib/waiting.ts'
import { MAX_PACKET, packetLength, type Packet } from '../protocol/pkt-line.ts'
import { SpeedGuard, type SpeedLimits } from './speed-guard.ts'
import { RemoteError } from './ports.ts'

/** A server that is done ends its response with its last packet. */
const MAX_END_MS = 100

const protocolError = (what: string): RemoteError =>
  new RemoteError('corrupt', `the remote's answer ${what}`)

/** Reads a stream packet by packet. A packet is a view that is valid until the next call. */
export class ResponseReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  #held: Buffer = Buffer.alloc(0)
  #at = 0
  #ended = false
  #bytes = 0
  readonly #pace: SpeedGuard

  /** `limit` is the maximum size of all packets outside of a pack. */
  constructor(
    stream: ReadableStream<Uint8Array>,
    private readonly limit = Infinity,
    pace?: SpeedLimits,
  ) {
    this.#reader = stream.getReader()
    this.#pace = new SpeedGuard(pace)
  }

  /**
   * The next packet; null at the end. Throws RemoteError when it is malformed, truncated or too
   * long.
   */
  async packet(): Promise<Packet | null> {
    if (!(await this.#need(4))) {
      if (this.#held.length > this.#at) throw protocolError('is cut off')
      return null
    }
    const length = packetLength(this.#held, this.#at)
    if (length >= 0 && length <= 2) {
      this.#at += 4
      return { kind: length === 0 ? 'flush' : length === 1 ? 'delim' : 'end' }
    }
    if (length < 4 || length > MAX_PACKET) throw protocolError('is not in git’s protocol')
    if (!(await this.#need(length))) throw protocolError('is cut off')
    const data = this.#held.subarray(this.#at + 4, this.#at + length)
    this.#at += length
    this.#bytes += length
    if (this.#bytes > this.limit)
      throw new RemoteError('too_large', `the remote's answer is longer than ${this.limit} bytes`)
    return { kind: 'data', data }
  }

  /** The next packet. Throws RemoteError at the end. */
  async requirePacket(): Promise<Packet> {
    const packet = await this.packet()
    if (packet === null) throw protocolError('ends too early')
    return packet
  }

  /** The next bytes without framing; null at the end. */
  async readRaw(): Promise<Uint8Array | null> {
    if (this.#held.length === this.#at && !(await this.#more())) return null
    const part = this.#held.subarray(this.#at)
    this.#at = this.#held.length
    return part
  }

  /** A pack follows, for which the minimum speed holds. */
  startTransfer(): void {
    this.#pace.startTransfer()
  }

  /**
   * Ends the response after its last packet. A connection whose response was read to its end can
   * serve the next request; a response with more in it, or without an end, is cancelled.
   */
  async close(): Promise<void> {
    if (!this.#ended && this.#held.length === this.#at) {
      const end = this.#reader.read().then(
        ({ done }) => done,
        () => false,
      )
      this.#ended = await withTimeout(end, MAX_END_MS, () => false)
    }
    if (!this.#ended) await this.cancel()
  }

  async cancel(): Promise<void> {
    this.#ended = true
    await this.#reader.cancel().catch(() => {})
  }

  async #need(count: number): Promise<boolean> {
    while (this.#held.length - this.#at < count) if (!(await this.#more())) return false
    return true
  }

  async #more(): Promise<boolean> {
    if (this.#ended) return false
    const began = performance.now()
    const { done, value } = await this.#reader.read()
    if (done) {
      this.#ended = true
      return false
    }
    this.#pace.record(value.length, performance.now() - began)
    const left = this.#held.subarray(this.#at)
    this.#held =
      left.length === 0
        ? Buffer.from(value.buffer, value.byteOffset, value.length)
        : Buffer.concat([left, value])
    this.#at = 0
    return true
  }
}

/** A line of the remote for the user: one line of limited length without control characters. */
export const sanitizeLine = (bytes: Uint8Array): string =>
  Buffer.from(bytes.subarray(0, 2000))
    .toString('utf8')
    .replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g, ' ')
    .trim()
    .slice(0, 300)

/** The text of a line. Throws RemoteError for an `ERR` line. */
export function requireLine(packet: Packet): string {
  if (packet.kind !== 'data') throw protocolError('ends too early')
  const text = packet.data.toString('utf8').replace(/\n$/, '')
  if (text.startsWith('ERR '))
    throw new RemoteError('invalid', `the remote says: ${sanitizeLine(packet.data.subarray(4))}`)
  return text
}

/**
 * Handles a packet of a side band. Returns the data of band 1; null for progress and keep-alives.
 * Throws the error of band 3.
 */
export function demultiplex(data: Buffer, onProgress: (text: string) => void): Buffer | null {
  const band = data[0]
  const rest = data.subarray(1)
  if (band === 1) return rest.length === 0 ? null : rest
  if (band === 3) throw new RemoteError('invalid', `the remote says: ${sanitizeLine(rest)}`)
  if (band !== 2) throw protocolError('is not in git’s protocol')
  for (const line of rest.toString('latin1').split(/[\r\n]+/)) {
    const text = sanitizeLine(Buffer.from(line, 'latin1'))
    if (text !== '') onProgress(text)
  }
  return null
}
