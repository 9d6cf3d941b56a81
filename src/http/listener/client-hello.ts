/**
 * The protocols that a client offers in the first message of a TLS handshake (RFC 8446 section
 * 4.1.2, RFC 7301 section 3.1).
 */

const HANDSHAKE = 22
const CLIENT_HELLO = 1
const ALPN = 16

/** Reads bytes once, from front to back. Throws a RangeError past the end. */
class Reader {
  #at = 0
  constructor(private readonly bytes: Buffer) {}
  get left(): number {
    return this.bytes.length - this.#at
  }
  number(width: 1 | 2 | 3): number {
    if (this.left < width) throw new RangeError('the message ends too early')
    const value = this.bytes.readUIntBE(this.#at, width)
    this.#at += width
    return value
  }
  take(length: number): Reader {
    if (this.left < length) throw new RangeError('the message ends too early')
    this.#at += length
    return new Reader(this.bytes.subarray(this.#at - length, this.#at))
  }
  text(length: number): string {
    return this.take(length).bytes.toString('latin1')
  }
}

/** Null while more bytes are needed; empty if none are offered or the bytes are not TLS. */
export function protocolsOffered(bytes: Buffer): string[] | null {
  const parts: Buffer[] = []
  let at = 0
  // A message may span several records.
  for (;;) {
    if (bytes.length - at < 5) return bytes.length > 0 && bytes[0] !== HANDSHAKE ? [] : null
    if (bytes[at] !== HANDSHAKE) return []
    const length = bytes.readUInt16BE(at + 3)
    if (bytes.length - at - 5 < length) return null
    parts.push(bytes.subarray(at + 5, at + 5 + length))
    at += 5 + length
    const whole = Buffer.concat(parts)
    if (whole.length >= 4 && whole.length - 4 >= whole.readUIntBE(1, 3)) return read(whole)
  }
}

function read(message: Buffer): string[] {
  try {
    const hello = new Reader(message)
    if (hello.number(1) !== CLIENT_HELLO) return []
    const body = hello.take(hello.number(3))
    body.take(2 + 32)
    body.take(body.number(1))
    body.take(body.number(2))
    body.take(body.number(1))
    const extensions = body.take(body.number(2))
    while (extensions.left > 0) {
      const kind = extensions.number(2)
      const data = extensions.take(extensions.number(2))
      if (kind !== ALPN) continue
      const list = data.take(data.number(2))
      const names: string[] = []
      while (list.left > 0) names.push(list.text(list.number(1)))
      return names
    }
    return []
  } catch (error) {
    if (error instanceof RangeError) return []
    throw error
  }
}
