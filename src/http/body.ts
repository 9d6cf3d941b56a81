/**
 * Reads request bodies, for REST, the tool server, OAuth, git and the website alike. Bytes are
 * counted while they arrive, against the announced length and the real one. A body that stops
 * arriving, or arrives too slowly, is given up. JSON is checked for depth and forms for their
 * number of fields before they are parsed, so no body costs more than time proportional to its
 * bytes.
 *
 * Handlers check who the caller is before they read: a body that the caller may not send is never
 * read.
 */
import type { IncomingBytes } from '#core/operation.ts'
import { Refusal } from '#lib/errors.ts'
import { type Part, readMultipart } from '#lib/multipart.ts'
import { parseJson } from '#lib/parse-json.ts'
import { releaseAfterUse } from '#lib/pieces.ts'
import { MINUTE, SECOND } from '#lib/time.ts'

export const KIB = 1024
export const MIB = 1024 * KIB

/** For operations without a `bodyLimit` of their own. */
export const DEFAULT_MAX_BODY_BYTES = 1024 * KIB

/** As many as Rack takes; the largest form here has a few hundred. */
const MAX_FORM_FIELDS = 4096

/** How long a client may send nothing while its body is awaited. */
const IDLE_TIMEOUT_MS = 30 * SECOND
/** A body may take a minute, and longer if it arrives faster than this. */
const TOTAL_TIMEOUT_MS = MINUTE
const MIN_BYTES_PER_SECOND = 8 * KIB

export type BodyLimits = {
  /** Infinity for bodies whose reader has limits of its own. */
  readonly maxBytes: number
  /** Null where the reader watches for stalls itself. */
  readonly idleTimeoutMs?: number | null
  /** Creates the error for a body that is too large; a Refusal with status 413 by default. */
  readonly tooLarge?: (maxBytes: number) => Error
}

export const tooLargeRefusal = (maxBytes: number): Refusal =>
  new Refusal(
    'too_large',
    `the body is larger than the ${Math.floor(maxBytes / KIB)} KiB that this takes`,
    { details: { limit: maxBytes }, headers: { connection: 'close' } },
  )

const tooSlow = (): Refusal =>
  new Refusal('bad_request', 'the body did not arrive in time', {
    reason: 'timeout',
    headers: { connection: 'close' },
  })

const compressedRefusal = (message: string): Refusal =>
  new Refusal('unsupported_media_type', message)

const timeoutFor = (bytes: number): number =>
  TOTAL_TIMEOUT_MS + (bytes / MIN_BYTES_PER_SECOND) * SECOND

/** The media type of a `Content-Type` header, without its parameters; empty without one. */
export function mediaTypeOf(header: string | null): string {
  if (header === null) return ''
  const end = header.indexOf(';')
  return (end < 0 ? header : header.slice(0, end)).trim().toLowerCase()
}

/** Rejects after the timeout. With fewer promises than `withTimeout`: every body passes here. */
const within = <T>(timeoutMs: number, promise: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(tooSlow()), timeoutMs)
    promise.then(
      (value) => {
        clearTimeout(timer)
        resolve(value)
      },
      (error: unknown) => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })

const NO_BYTES = new Uint8Array()

type Decompressor = ReadableWritablePair<Uint8Array, Uint8Array<ArrayBuffer>>

/** Waits until a request may go on after its body, or a block of it, has come; null when it may. */
export type Resume = () => Promise<void> | null

export class RequestBody {
  constructor(
    private readonly request: Request,
    private readonly resume: Resume = () => null,
  ) {}

  /** `Content-Length`; null for a chunked body. */
  get announcedBytes(): number | null {
    const header = this.request.headers.get('content-length')
    return header === null ? null : Number(header)
  }

  get isEmpty(): boolean {
    const announced = this.announcedBytes
    return announced === null ? this.request.body === null : announced === 0
  }

  /** The encoding of the content in lower case; `identity` when it is not compressed. */
  get contentEncoding(): string {
    return this.request.headers.get('content-encoding')?.toLowerCase() ?? 'identity'
  }

  /** Reads the whole body. */
  async bytes(limits: BodyLimits): Promise<Uint8Array> {
    const { maxBytes, tooLarge = tooLargeRefusal } = limits
    const announced = this.announcedBytes
    if (announced !== null) {
      if (announced > maxBytes) throw tooLarge(maxBytes)
      if (announced === 0) return NO_BYTES
      const bytes = await within(timeoutFor(announced), this.request.bytes())
      if (bytes.length > maxBytes) throw tooLarge(maxBytes)
      const turn = this.resume()
      if (turn !== null) await turn
      return bytes
    }
    const chunks: Uint8Array[] = []
    let size = 0
    for await (const chunk of this.stream(limits)) {
      size += chunk.length
      chunks.push(chunk)
    }
    return Buffer.concat(chunks, size)
  }

  /**
   * A reader that counts, for consumers that need a stream of their own; null without a body. With
   * a decompressor, the limit holds for what it yields.
   */
  reader(limits: BodyLimits, decompressor: Decompressor | null = null): CountedReader | null {
    // The runtime's body consists of blocks with a buffer of their own, as the decompressor requires.
    const body: ReadableStream<Uint8Array<ArrayBuffer>> | null = this.request.body
    if (body === null) return null
    return decompressor === null
      ? new CountedReader(body, limits, this.resume, this.announcedBytes)
      : new CountedReader(body.pipeThrough(decompressor), limits, this.resume)
  }

  /** Yields the body as it arrives. A consumer that stops early cancels the rest. */
  async *stream(limits: BodyLimits): AsyncGenerator<Uint8Array> {
    const reader = this.reader(limits)
    if (reader === null) return
    try {
      for (;;) {
        const chunk = await reader.read()
        if (chunk === null) return
        yield chunk
      }
    } finally {
      await reader.cancel()
    }
  }

  /**
   * The JSON object in the body, `{}` for an empty body. Throws 415 for another media type, 400 for
   * text that is not JSON, and 422 for JSON that is not an object or too deeply nested.
   */
  async jsonObject(limits: BodyLimits): Promise<Record<string, unknown>> {
    if (this.isEmpty) return {}
    const type = this.request.headers.get('content-type')
    if (type !== null && mediaTypeOf(type) !== 'application/json')
      throw new Refusal(
        'unsupported_media_type',
        `the body must be application/json, not ${type.slice(0, 100)}`,
      )
    if (this.contentEncoding !== 'identity')
      throw compressedRefusal('compressed bodies are not taken here')
    const bytes = await this.bytes(limits)
    if (bytes.length === 0) return {}
    const value = parseJson(bytes)
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new Refusal('invalid', 'the body must be a JSON object')
    return value as Record<string, unknown>
  }

  /**
   * The text fields of a form by name, url-encoded or multipart; files in it are skipped. Throws
   * 415 for another media type and 400 for a form that cannot be read or has too many fields.
   */
  async form(limits: BodyLimits): Promise<Map<string, string[]>> {
    const { maxBytes, tooLarge = tooLargeRefusal } = limits
    if ((this.announcedBytes ?? 0) > maxBytes) throw tooLarge(maxBytes)
    const fields = new FormFields()
    switch (mediaTypeOf(this.request.headers.get('content-type'))) {
      case 'application/x-www-form-urlencoded':
        for (const [name, value] of parseUrlEncoded(await this.bytes(limits)))
          fields.add(name, value)
        break
      case 'multipart/form-data':
        for await (const part of this.parts(limits))
          if (part.filename === null) fields.add(part.name, await readText(part.stream))
        break
      default:
        throw new Refusal('unsupported_media_type', 'This address takes forms only.')
    }
    return fields.values
  }

  /** The parts of a multipart form, one after the other, as they arrive. */
  parts(limits: BodyLimits): AsyncGenerator<Part> {
    if (this.isEmpty) throw new Refusal('bad_request', 'This form is empty.')
    const type = this.request.headers.get('content-type') ?? ''
    return readMultipart(this.stream(limits), type)
  }

  /**
   * A body that is a file of any type and size, not read yet. Throws 415 for a compressed one,
   * because the bytes are stored as they come.
   */
  file(): IncomingBytes {
    if (this.contentEncoding !== 'identity')
      throw compressedRefusal('a file is taken as it is, without a content-encoding')
    const announced = this.announcedBytes
    return {
      stream: releaseAfterUse(this.stream({ maxBytes: Infinity, idleTimeoutMs: MINUTE })),
      type: this.request.headers.get('content-type'),
      length: announced ?? (this.request.body === null ? 0 : null),
    }
  }
}

/** Counts what a stream yields, and cancels the stream when it exceeds a limit or stalls. */
export class CountedReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  readonly #idleTimer: ReturnType<typeof setTimeout> | null
  readonly #startedAt = performance.now()
  #bytes = 0
  #isAwaiting = false
  #isStalled = false

  constructor(
    stream: ReadableStream<Uint8Array>,
    private readonly limits: BodyLimits,
    private readonly resume: Resume,
    announcedBytes: number | null = null,
  ) {
    const { maxBytes, tooLarge = tooLargeRefusal, idleTimeoutMs = IDLE_TIMEOUT_MS } = limits
    if (announcedBytes !== null && announcedBytes > maxBytes) throw tooLarge(maxBytes)
    this.#reader = stream.getReader()
    this.#idleTimer = idleTimeoutMs === null ? null : setTimeout(() => this.#stall(), idleTimeoutMs)
    this.#idleTimer?.unref()
  }

  /** The next chunk; null at the end. */
  async read(): Promise<Uint8Array | null> {
    this.#isAwaiting = true
    this.#idleTimer?.refresh()
    const { done, value } = await this.#reader.read()
    this.#isAwaiting = false
    if (this.#isStalled) throw tooSlow()
    if (done) {
      if (this.#idleTimer) clearTimeout(this.#idleTimer)
      return null
    }
    this.#bytes += value.length
    const { maxBytes, tooLarge = tooLargeRefusal } = this.limits
    if (this.#bytes > maxBytes) {
      await this.cancel()
      throw tooLarge(maxBytes)
    }
    // Only bounded bodies: an upload or a push of any size takes as long as its line needs.
    const elapsedMs = performance.now() - this.#startedAt
    if (this.#idleTimer && maxBytes < Infinity && elapsedMs > timeoutFor(this.#bytes)) {
      await this.cancel()
      throw tooSlow()
    }
    const turn = this.resume()
    if (turn !== null) await turn
    return value
  }

  async cancel(reason?: unknown): Promise<void> {
    if (this.#idleTimer) clearTimeout(this.#idleTimer)
    await this.#reader.cancel(reason).catch(() => {})
  }

  /** Time that the consumer takes does not count, so the timer has an effect inside `read` only. */
  #stall(): void {
    if (!this.#isAwaiting) return
    this.#isStalled = true
    // This ends the pending read.
    void this.cancel()
  }
}

async function readText(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  // Copied, because a chunk's memory is released once the next is requested.
  for await (const chunk of stream) chunks.push(new Uint8Array(chunk))
  return Buffer.concat(chunks).toString('utf8')
}

/** Values of a form by name. Browsers send the lines of a text field with CR LF. */
export class FormFields {
  readonly values = new Map<string, string[]>()
  #count = 0

  add(name: string, value: string): void {
    if (++this.#count > MAX_FORM_FIELDS) throw tooManyFields()
    const text = value.replaceAll('\r\n', '\n')
    const before = this.values.get(name)
    if (before) before.push(text)
    else this.values.set(name, [text])
  }
}

const tooManyFields = (): Refusal =>
  new Refusal('bad_request', `a form has at most ${MAX_FORM_FIELDS} fields`)

const AMPERSAND = 0x26

/** The pairs of an url-encoded form (URL standard, section 5.1). */
export function parseUrlEncoded(bytes: Uint8Array): Iterable<[name: string, value: string]> {
  let fields = 1
  for (let at = bytes.indexOf(AMPERSAND); at >= 0; at = bytes.indexOf(AMPERSAND, at + 1))
    if (++fields > MAX_FORM_FIELDS) throw tooManyFields()
  return new URLSearchParams(new TextDecoder().decode(bytes))
}
