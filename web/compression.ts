// Compression of responses (RFC 9110, section 12.5.3). Files of the site are compressed once, as
// well as possible; pages with every request, as fast as possible.
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { type ContentCoding, chooseCoding } from '#lib/content-coding.ts'
import type { Asset } from './assets.ts'

/** Smaller bodies gain nothing: they fit into one packet. */
const MIN_COMPRESSED_BYTES = 1024

/**
 * Larger pages are compressed in a thread. This much takes about 0.2 ms, and the runtime's threads
 * may be waiting for a disk.
 */
const MAX_SYNC_BYTES = 64 * 1024

/** A larger file is compressed less well: 2.5 MB take a second of a thread then, and not twenty. */
const MAX_BEST_BYTES = 1024 * 1024
const FAST_BROTLI_QUALITY = 7

const compressGzip = promisify(gzip)
const compressBrotli = promisify(brotliCompress)

const vary = (headers: Headers): void => headers.append('vary', 'accept-encoding')

/** A page in a coding that the browser accepts. Other responses are returned as they are. */
export async function compressPage(request: Request, response: Response): Promise<Response> {
  const { headers, status } = response
  if (
    response.body === null ||
    !headers.get('content-type')?.startsWith('text/html') ||
    headers.has('content-encoding')
  )
    return response
  vary(headers)
  headers.append('vary', 'accept-language')
  const coding = chooseCoding(request.headers.get('accept-encoding'), ['zstd', 'gzip'])
  if (coding === null || request.method === 'HEAD') return response
  const body = new Uint8Array(await response.arrayBuffer())
  if (body.length < MIN_COMPRESSED_BYTES) return new Response(body, { status, headers })
  const compressed =
    coding === 'zstd'
      ? body.length <= MAX_SYNC_BYTES
        ? Bun.zstdCompressSync(body, { level: 3 })
        : await Bun.zstdCompress(body, { level: 3 })
      : await compressGzip(body, { level: 5 })
  headers.set('content-encoding', coding)
  return new Response(compressed as Uint8Array<ArrayBuffer>, { status, headers })
}

function compressAsset({ body }: Asset, coding: ContentCoding): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = Buffer.from(body)
  return coding === 'br'
    ? compressBrotli(bytes, {
        params: {
          [constants.BROTLI_PARAM_QUALITY]:
            bytes.length > MAX_BEST_BYTES ? FAST_BROTLI_QUALITY : 11,
          [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
        },
      })
    : compressGzip(bytes, { level: 9 })
}

/**
 * Serves the files of the site. An address names its content, so browsers may store it for ever.
 * Each coding has its own entity tag.
 */
export class AssetResponder {
  /** Compressed files by coding and path. There are few. */
  readonly #compressed = new Map<string, Promise<Uint8Array<ArrayBuffer>>>()

  async respond(request: Request, asset: Asset): Promise<Response> {
    const coding =
      asset.body.length < MIN_COMPRESSED_BYTES
        ? null
        : chooseCoding(request.headers.get('accept-encoding'), ['br', 'gzip'])
    const etag = coding === null ? asset.etag : `${asset.etag.slice(0, -1)}-${coding}"`
    const headers = new Headers({
      'content-type': asset.type,
      etag,
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    })
    vary(headers)
    const cached = (request.headers.get('if-none-match') ?? '')
      .split(',')
      .map((tag) => tag.trim().replace(/^W\//, ''))
    if (cached.includes(etag) || cached.includes('*'))
      return new Response(null, { status: 304, headers })
    if (coding !== null) headers.set('content-encoding', coding)
    if (request.method === 'HEAD') return new Response(null, { headers })
    const body = coding === null ? asset.body : await this.#compress(asset, coding)
    return new Response(body, { headers })
  }

  #compress(asset: Asset, coding: ContentCoding): Promise<Uint8Array<ArrayBuffer>> {
    const key = `${coding} ${asset.path}`
    const compressed = this.#compressed.get(key) ?? compressAsset(asset, coding)
    this.#compressed.set(key, compressed)
    return compressed
  }
}
