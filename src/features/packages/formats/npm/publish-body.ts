/**
 * Reads the body of `npm publish`: JSON with the tarball in base64 at `_attachments.<name>.data`.
 * The tarball is decoded and handed on while it arrives. Only the rest is collected and parsed.
 */
import type { DigestedBlob } from '#core/blobs.ts'
import { Refusal } from '#lib/errors.ts'
import { parseJson } from '#lib/parse-json.ts'
import { release } from '#lib/pieces.ts'

export const MAX_DOCUMENT_BYTES = 4 * 1024 ** 2
const MAX_KEY_BYTES = 1000
const MAX_DEPTH = 64

const QUOTE = 0x22
const BACKSLASH = 0x5c

export type PublishBody = {
  /** The JSON, with empty texts in place of the attachments' data. */
  readonly document: unknown
  readonly attachments: ReadonlyMap<string, DigestedBlob>
}

type Frame = { readonly isObject: boolean; key: string; expectsKey: boolean }

const notJson = (): Refusal => new Refusal('bad_request', 'the body is not JSON')

/** Frames whose keys are known: those around the data of an attachment. */
const MAX_KEY_DEPTH = 3

/** Follows JSON as far as is needed to know the path of a text. */
class JsonPath {
  readonly #frames: Frame[] = []
  #isInText = false
  /** A backslash was the last byte of a chunk. */
  #isEscaped = false
  /** What is known of a key while it is read; null in a value and where keys do not matter. */
  #key: Buffer[] | null = null
  #keyBytes = 0

  /**
   * Reads a chunk from `start` on. Returns where the data of an attachment begins; -1 when the chunk
   * ends before.
   */
  findAttachment(chunk: Uint8Array, start: number): number {
    let at = start
    while (at < chunk.length) {
      if (this.#isInText) at = this.#skipText(chunk, at)
      else if (this.#take(chunk[at++] ?? 0)) return at
    }
    return -1
  }

  /** Takes a byte outside of texts. Returns whether the data of an attachment begins after it. */
  #take(byte: number): boolean {
    const top = this.#frames.at(-1)
    switch (byte) {
      case QUOTE:
        this.#isInText = true
        if (!top?.isObject || !top.expectsKey) return this.attachment() !== null
        this.#key = this.#frames.length <= MAX_KEY_DEPTH ? [] : null
        this.#keyBytes = 0
        return false
      case 0x7b: // {
      case 0x5b: // [
        if (this.#frames.length >= MAX_DEPTH) throw notJson()
        this.#frames.push({ isObject: byte === 0x7b, key: '', expectsKey: byte === 0x7b })
        break
      case 0x7d: // }
      case 0x5d: // ]
        this.#frames.pop()
        break
      case 0x2c: // ,
        if (top) top.expectsKey = top.isObject
        break
      case 0x3a: // :
        if (top) top.expectsKey = false
    }
    return false
  }

  /** The name of the attachment whose data is at the present path; null elsewhere. */
  attachment(): string | null {
    const [root, name, field] = this.#frames
    return this.#frames.length === 3 && root?.key === '_attachments' && field?.key === 'data'
      ? (name?.key ?? null)
      : null
  }

  endText(): void {
    this.#isInText = false
  }

  /** Returns the index after the text, or the length of the chunk when the text goes on. */
  #skipText(chunk: Uint8Array, start: number): number {
    let end = start
    if (this.#isEscaped) end++
    while (end < chunk.length && chunk[end] !== QUOTE) end += chunk[end] === BACKSLASH ? 2 : 1
    this.#isEscaped = end > chunk.length
    if (this.#key !== null) this.#addToKey(chunk.subarray(start, end))
    if (end >= chunk.length) return chunk.length
    this.#isInText = false
    this.#endKey()
    return end + 1
  }

  #addToKey(piece: Uint8Array): void {
    this.#keyBytes += piece.length
    if (this.#keyBytes > MAX_KEY_BYTES) throw notJson()
    // Copied, because the memory of a chunk is released after it.
    this.#key?.push(Buffer.from(piece))
  }

  #endKey(): void {
    const top = this.#frames.at(-1)
    if (this.#key !== null && top) top.key = Buffer.concat(this.#key).toString('utf8')
    this.#key = null
  }
}

const NOTHING = new Uint8Array(0)

/**
 * Base64 that arrives in pieces of any length. The decoder of the runtime takes texts only, and their
 * memory is freed late, so a piece becomes one text.
 */
export class Base64Decoder {
  /** Fewer than four characters. */
  #rest = ''

  decode({ buffer, byteOffset, length }: Uint8Array): Uint8Array {
    const piece = Buffer.from(buffer, byteOffset, length)
    return piece.includes(BACKSLASH)
      ? // The only escape that base64 may have in JSON is `\/`.
        this.#decode(Buffer.from(piece.toString('latin1').replaceAll('\\', ''), 'latin1'))
      : this.#decode(piece)
  }

  #decode(piece: Buffer): Uint8Array {
    const taken = this.#rest === '' ? 0 : 4 - this.#rest.length
    const first = this.#rest + piece.toString('latin1', 0, taken)
    if (piece.length < taken) {
      this.#rest = first
      return NOTHING
    }
    const end = piece.length - ((piece.length - taken) % 4)
    this.#rest = piece.toString('latin1', end)
    const decoded = Buffer.allocUnsafeSlow(((first.length + end - taken) / 4) * 3)
    const written = decoded.write(first, 'base64')
    const all = written + decoded.write(piece.toString('latin1', taken, end), written, 'base64')
    return all === decoded.length ? decoded : decoded.subarray(0, all)
  }

  end(): Uint8Array {
    return Buffer.from(this.#rest, 'base64')
  }
}

class BodyReader {
  readonly #path = new JsonPath()
  readonly #source: AsyncIterator<Uint8Array>
  #chunk: Uint8Array = new Uint8Array()
  #at = 0
  #collected: Uint8Array[] = []
  #collectedBytes = 0

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** Whether there is a byte to read. */
  async #fill(): Promise<boolean> {
    while (this.#at >= this.#chunk.length) {
      const { done, value } = await this.#source.next()
      if (done) return false
      release(this.#chunk)
      this.#chunk = value
      this.#at = 0
    }
    return true
  }

  #collect(bytes: Uint8Array): void {
    this.#collectedBytes += bytes.length
    if (this.#collectedBytes > MAX_DOCUMENT_BYTES)
      throw new Refusal('too_large', 'the document beside the tarball has more than 4 MiB', {
        headers: { connection: 'close' },
      })
    this.#collected.push(bytes.slice())
  }

  /** Reads to the data of the next attachment. Returns its name; null at the end of the body. */
  async nextAttachment(): Promise<string | null> {
    while (await this.#fill()) {
      const start = this.#at
      const found = this.#path.findAttachment(this.#chunk, start)
      this.#at = found < 0 ? this.#chunk.length : found
      this.#collect(this.#chunk.subarray(start, this.#at))
      if (found >= 0) return this.#path.attachment()
    }
    return null
  }

  /** The bytes of the attachment whose data begins here. */
  async *attachment(): AsyncGenerator<Uint8Array> {
    const decoder = new Base64Decoder()
    while (await this.#fill()) {
      const end = this.#chunk.indexOf(QUOTE, this.#at)
      const piece = this.#chunk.subarray(this.#at, end < 0 ? undefined : end)
      this.#at += piece.length
      if (piece.length > 0) yield decoder.decode(piece)
      if (end < 0) continue
      yield decoder.end()
      this.#path.endText()
      this.#collect(this.#chunk.subarray(this.#at, this.#at + 1))
      this.#at++
      return
    }
    throw new Refusal('bad_request', 'the body ended within an attachment')
  }

  document(): unknown {
    return parseJson(Buffer.concat(this.#collected))
  }

  async close(): Promise<void> {
    await this.#source.return?.()
  }
}

/** npm sends one attachment; some clients send a second one with provenance. */
const MAX_ATTACHMENTS = 4

export async function readPublishBody(
  source: AsyncIterable<Uint8Array>,
  store: (bytes: AsyncIterable<Uint8Array>) => Promise<DigestedBlob>,
): Promise<PublishBody> {
  const reader = new BodyReader(source)
  const attachments = new Map<string, DigestedBlob>()
  try {
    for (;;) {
      const name = await reader.nextAttachment()
      if (name === null) break
      if (attachments.size >= MAX_ATTACHMENTS || attachments.has(name))
        throw new Refusal('bad_request', 'a version has one tarball')
      attachments.set(name, await store(reader.attachment()))
    }
    return { document: reader.document(), attachments }
  } finally {
    await reader.close()
  }
}
