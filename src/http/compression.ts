/**
 * Compression of JSON responses: of REST, the tool server and the OpenAPI document.
 *
 * The length of a compressed body tells how much of it repeats. Whoever can put text beside a secret
 * and watch lengths could guess the secret (the BREACH attack). So responses with a secret are
 * never compressed: `showsSecret` tells which operations have one.
 */
import { promisify } from 'node:util'
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib'
import type { Operation } from '#core/operation.ts'
import { type ContentCoding, chooseCoding } from '#lib/content-coding.ts'
import { asJsonSchema } from './shape.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** A smaller body fits into one packet with its headers, so compressing it gains nothing. */
const MIN_COMPRESSED_CHARACTERS = 1200

/** A longer text is compressed in a thread: this much takes about 0.2 ms here. */
const MAX_SYNC_CHARACTERS = 64 * 1024

/** In the order in which equals are preferred: by the time that they take for the same size. */
const CODINGS: readonly ContentCoding[] = ['zstd', 'br', 'gzip']

/** Levels for responses that are sent once. */
const ZSTD_LEVEL = 3
const GZIP_LEVEL = 5
const BROTLI_QUALITY = 4
/** Levels for documents that are compressed once and sent often. */
const STATIC_ZSTD_LEVEL = 19
const STATIC_GZIP_LEVEL = 9
const STATIC_BROTLI_QUALITY = 10

const gzipInThread = promisify(gzip)
const brotliInThread = promisify(brotliCompress)
const quality = (level: number) => ({ params: { [constants.BROTLI_PARAM_QUALITY]: level } })

/** Whether the output of an operation has a secret, such as a token or a link that is a way in. */
export const showsSecret = (operation: Operation): boolean =>
  operation.secretAnswer ||
  operation.redirect !== null ||
  JSON.stringify(asJsonSchema(operation.output)).includes('"x-secret":true')

/** The coding in which a text is sent; null when it is sent as it is. */
export const codingFor = (request: Request, text: string): ContentCoding | null =>
  text.length < MIN_COMPRESSED_CHARACTERS
    ? null
    : chooseCoding(request.headers.get('accept-encoding'), CODINGS)

function compressNow(text: string, coding: ContentCoding): Bytes {
  const bytes = Buffer.from(text)
  if (coding === 'zstd') return Bun.zstdCompressSync(bytes, { level: ZSTD_LEVEL }) as Bytes
  if (coding === 'br') return brotliCompressSync(bytes, quality(BROTLI_QUALITY)) as Bytes
  return gzipSync(bytes, { level: GZIP_LEVEL }) as Bytes
}

async function compressInThread(
  text: string,
  coding: ContentCoding,
  isStatic: boolean,
): Promise<Bytes> {
  const bytes = Buffer.from(text)
  if (coding === 'zstd')
    return (await Bun.zstdCompress(bytes, {
      level: isStatic ? STATIC_ZSTD_LEVEL : ZSTD_LEVEL,
    })) as Bytes
  if (coding === 'br')
    return brotliInThread(bytes, quality(isStatic ? STATIC_BROTLI_QUALITY : BROTLI_QUALITY))
  return gzipInThread(bytes, { level: isStatic ? STATIC_GZIP_LEVEL : GZIP_LEVEL })
}

function encodedResponse(bytes: Bytes, coding: ContentCoding, init: ResponseInit): Response {
  const response = new Response(bytes, init)
  response.headers.set('content-encoding', coding)
  return response
}

/** A response with this text, compressed as the client asks. The text must hold no secret. */
export function compressedResponse(
  request: Request,
  text: string,
  init: ResponseInit,
): Response | Promise<Response> {
  const coding = codingFor(request, text)
  if (coding === null) return new Response(text, init)
  if (text.length <= MAX_SYNC_CHARACTERS)
    return encodedResponse(compressNow(text, coding), coding, init)
  return compressInThread(text, coding, false).then((bytes) => encodedResponse(bytes, coding, init))
}

/** A text that is sent many times, with what it was compressed to. */
export class CompressedText {
  readonly #bytes = new Map<ContentCoding, Bytes | Promise<Bytes>>()

  /** `isStatic` texts are compressed as far as possible, in a thread. */
  constructor(
    readonly text: string,
    private readonly isStatic = false,
  ) {}

  response(request: Request, init: ResponseInit): Response | Promise<Response> {
    const coding = codingFor(request, this.text)
    if (coding === null) return new Response(this.text, init)
    const bytes = this.#bytesFor(coding)
    return bytes instanceof Promise
      ? bytes.then((ready) => encodedResponse(ready, coding, init))
      : encodedResponse(bytes, coding, init)
  }

  #bytesFor(coding: ContentCoding): Bytes | Promise<Bytes> {
    let bytes = this.#bytes.get(coding)
    if (bytes === undefined) {
      bytes = this.isStatic
        ? compressInThread(this.text, coding, true)
        : compressNow(this.text, coding)
      this.#bytes.set(coding, bytes)
    }
    return bytes
  }
}
