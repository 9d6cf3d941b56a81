/**
 * Reading a remote's answer: packets first, then what the side bands carry (gitprotocol-common,
 * gitprotocol-pack).
 */
import { MAX_PACKET, packetLength, type Packet } from '../protocol/pkt-line.ts'
import { Pace, type PaceLimits } from './pace.ts'
import { RemoteError } from './ports.ts'

const broken = (what: string): RemoteError =>
  new RemoteError('corrupt', `the remote's answer ${what}`)

/** A stream that is read packet by packet. Packets are views that are good until the next call. */
export class Answer {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  #held: Buffer = Buffer.alloc(0)
  #at = 0
  #ended = false
  #bytes = 0
  readonly #pace: Pace

  /** `limit` is the most bytes that are taken in packets other than those of a pack. */
  constructor(
    stream: ReadableStream<Uint8Array>,
    private readonly limit = Infinity,
    pace?: PaceLimits,
  ) {
    this.#reader = stream.getReader()
    this.#pace = new Pace(pace)
  }

  /**
   * The next packet; null at the end. Throws RemoteError for what is malformed, cut off or too
   * long.
   */
  async packet(): Promise<Packet | null> {
    if (!(await this.#need(4))) {
      if (this.#held.length > this.#at) throw broken('is cut off')
      return null
    }
    const length = packetLength(this.#held, this.#at)
    if (length >= 0 && length <= 2) {
      this.#at += 4
      return { kind: length === 0 ? 'flush' : length === 1 ? 'delim' : 'end' }
    }
    if (length < 4 || length > MAX_PACKET) throw broken('is not in git’s protocol')
    if (!(await this.#need(length))) throw broken('is cut off')
    const data = this.#held.subarray(this.#at + 4, this.#at + length)
    this.#at += length
    this.#bytes += length
    if (this.#bytes > this.limit)
      throw new RemoteError('too_large', `the remote's answer is longer than ${this.limit} bytes`)
    return { kind: 'data', data }
  }

  /** The next packet, which must be there and hold data or be one of the marks. */
  async expect(): Promise<Packet> {
    const packet = await this.packet()
    if (packet === null) throw broken('ends too early')
    return packet
  }

  /** Whatever comes next, without packets; null at the end. */
  async raw(): Promise<Uint8Array | null> {
    if (this.#held.length === this.#at && !(await this.#more())) return null
    const part = this.#held.subarray(this.#at)
    this.#at = this.#held.length
    return part
  }

  /** What comes now is a pack: it must come at some speed. */
  flows(): void {
    this.#pace.flows()
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
    this.#pace.note(value.length, performance.now() - began)
    const left = this.#held.subarray(this.#at)
    this.#held =
      left.length === 0
        ? Buffer.from(value.buffer, value.byteOffset, value.length)
        : Buffer.concat([left, value])
    this.#at = 0
    return true
  }
}

/** A line of the remote for people: one line, no control characters, not endless. */
export const shown = (bytes: Uint8Array): string =>
  Buffer.from(bytes.subarray(0, 2000))
    .toString('utf8')
    .replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g, ' ')
    .trim()
    .slice(0, 300)

/** Throws what an `ERR` packet says; gives the text of the line otherwise. */
export function requireLine(packet: Packet): string {
  if (packet.kind !== 'data') throw broken('ends too early')
  const text = packet.data.toString('utf8').replace(/\n$/, '')
  if (text.startsWith('ERR '))
    throw new RemoteError('invalid', `the remote says: ${shown(packet.data.subarray(4))}`)
  return text
}

/**
 * One packet of the side bands: data of band 1, or null for what was told to a person or keeps the
 * connection. Throws what band 3 says.
 */
export function unband(data: Buffer, onProgress: (text: string) => void): Buffer | null {
  const band = data[0]
  const rest = data.subarray(1)
  if (band === 1) return rest.length === 0 ? null : rest
  if (band === 3) throw new RemoteError('invalid', `the remote says: ${shown(rest)}`)
  if (band !== 2) throw broken('is not in git’s protocol')
  for (const line of rest.toString('latin1').split(/[\r\n]+/)) {
    const text = shown(Buffer.from(line, 'latin1'))
    if (text !== '') onProgress(text)
  }
  return null
}
