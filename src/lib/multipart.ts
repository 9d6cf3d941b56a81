/**
 * Reads `multipart/form-data` (RFC 7578) while it comes in, so that a file of any size passes
 * through without being held. What is in a part must be read before the next one is asked for; what
 * is left of it is passed over.
 */
import { Refusal } from './errors.ts'
import { giveBack, passing } from './pieces.ts'

export type Part = {
  readonly name: string
  /** Null for a field; empty for a file that was not chosen. */
  readonly filename: string | null
  readonly type: string | null
  readonly stream: AsyncIterable<Uint8Array>
}

const LONGEST_HEADERS = 16 * 1024
const MOST_PARTS = 1000

const broken = (what: string) => new Refusal('bad_request', `this form cannot be read: ${what}`)

/**
 * A parameter of a header as browsers write it: quotes and line ends are percent-encoded (HTML
 * standard, section 4.10.21.8).
 */
function parameter(header: string, name: string): string | null {
  const [, quoted, bare] =
    new RegExp(`;\\s*${name}=(?:"([^"]*)"|([^\\s;"]+))`, 'i').exec(header) ?? []
  const text = quoted ?? bare
  return text === undefined
    ? null
    : text.replace(/%(22|0D|0A)/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)))
}

class Source {
  #pieces: AsyncIterator<Uint8Array>
  /** What `buffer` is a part of. */
  #whole: Uint8Array = new Uint8Array()
  buffer: Buffer<ArrayBufferLike> = Buffer.from('\r\n')

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.#pieces = passing(pieces)[Symbol.asyncIterator]()
  }

  /** Puts more behind what is there. Gives 400 at the end, because every end is announced. */
  async more(): Promise<void> {
    const { done, value } = await this.#pieces.next()
    if (done) throw broken('it ends early')
    const joined = Buffer.concat([this.buffer, value])
    // What was given out of it has been read.
    giveBack(this.#whole)
    this.#whole = this.buffer = joined
  }

  take(length: number): Buffer {
    const taken = this.buffer.subarray(0, length)
    this.buffer = this.buffer.subarray(length)
    return taken
  }

  async atLeast(length: number): Promise<void> {
    while (this.buffer.length < length) await this.more()
  }
}

/** The bytes up to a delimiter, which is taken too. */
async function* upTo(
  source: Source,
  delimiter: Buffer,
  ended: () => void,
): AsyncGenerator<Uint8Array> {
  for (;;) {
    const at = source.buffer.indexOf(delimiter)
    if (at >= 0) {
      const last = source.take(at)
      source.take(delimiter.length)
      ended()
      if (last.length > 0) yield last
      return
    }
    // The delimiter may have begun.
    const sure = source.buffer.length - delimiter.length + 1
    if (sure > 0) yield source.take(sure)
    await source.more()
  }
}

async function headersOf(source: Source): Promise<string> {
  for (;;) {
    const end = source.buffer.indexOf('\r\n\r\n')
    if (end >= 0 && end <= LONGEST_HEADERS) return source.take(end + 4).toString('utf8')
    if (source.buffer.length > LONGEST_HEADERS) throw broken('a part has too long a head')
    await source.more()
  }
}

const headerOf = (headers: string, name: string): string | null =>
  new RegExp(`^${name}:\\s*(.*?)\\s*$`, 'im').exec(headers)?.[1] ?? null

/** Gives 415 for another type, 400 for what is broken or ends early. */
export async function* readMultipart(
  body: AsyncIterable<Uint8Array>,
  contentType: string,
): AsyncGenerator<Part> {
  const boundary = /^multipart\/form-data\b/i.test(contentType)
    ? parameter(contentType, 'boundary')
    : null
  if (boundary === null)
    throw new Refusal(
      'unsupported_media_type',
      'this address takes a form with a file (multipart/form-data)',
    )
  if (boundary === '' || boundary.length > 70) throw broken('its boundary is none')
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  const source = new Source(body)
  for await (const preamble of upTo(source, delimiter, () => {}))
    if (preamble.length > LONGEST_HEADERS) throw broken('it does not begin with its boundary')
  for (let count = 0; ; count++) {
    await source.atLeast(2)
    const next = source.take(2).toString('latin1')
    if (next === '--') return
    if (next !== '\r\n') throw broken('a boundary is followed by something else')
    if (count >= MOST_PARTS) throw broken('it has too many parts')
    const headers = await headersOf(source)
    const disposition = headerOf(headers, 'content-disposition') ?? ''
    const name = parameter(disposition, 'name')
    if (name === null || !/^form-data\b/i.test(disposition)) throw broken('a part has no name')
    let read = false
    const stream = upTo(source, delimiter, () => (read = true))
    yield {
      name,
      filename: parameter(disposition, 'filename'),
      type: headerOf(headers, 'content-type'),
      stream: { [Symbol.asyncIterator]: () => ({ next: () => stream.next() }) },
    }
    // Whoever stops in the middle leaves the rest to us, so their leaving must not end the
    // generator.
    while (!read) if ((await stream.next()).done) break
  }
}
