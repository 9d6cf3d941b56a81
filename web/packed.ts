// Answers as small as the browser takes them (RFC 9110, section 12.5.3). Files of the site are
// packed once and kept; pages each time, by what packs quickest.
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Asset } from './assets.ts'

type Coding = 'br' | 'zstd' | 'gzip'

/** What is smaller gains nothing. */
const SMALLEST = 1024

const gzipped = promisify(gzip)
const brotlied = promisify(brotliCompress)

/** The first of these codings that a request accepts; null when it wants none. */
export function codingFor(header: string | null, offered: readonly Coding[]): Coding | null {
  if (header === null) return null
  const weights = new Map(
    header
      .toLowerCase()
      .split(',')
      .map((part): [string, number] => {
        const [name = '', ...rest] = part.split(';').map((piece) => piece.trim())
        const weight = rest.find((piece) => piece.startsWith('q='))
        return [name, weight === undefined ? 1 : Number(weight.slice(2)) || 0]
      }),
  )
  return offered.find((coding) => (weights.get(coding) ?? weights.get('*') ?? 0) > 0) ?? null
}

const vary = (headers: Headers): void => headers.append('vary', 'accept-encoding')

/** A page in the coding that the browser takes; anything else as it is. */
export async function packedPage(request: Request, response: Response): Promise<Response> {
  const { headers, status } = response
  if (
    response.body === null ||
    !headers.get('content-type')?.startsWith('text/html') ||
    headers.has('content-encoding')
  )
    return response
  vary(headers)
  const coding = codingFor(request.headers.get('accept-encoding'), ['zstd', 'gzip'])
  if (coding === null || request.method === 'HEAD') return response
  const body = new Uint8Array(await response.arrayBuffer())
  if (body.length < SMALLEST) return new Response(body, { status, headers })
  const packed =
    coding === 'zstd'
      ? await Bun.zstdCompress(body, { level: 3 })
      : await gzipped(body, { level: 5 })
  headers.set('content-encoding', coding)
  return new Response(packed as Uint8Array<ArrayBuffer>, { status, headers })
}

/** By address and coding: few, and packed as well as can be. */
const packedAssets = new Map<string, Promise<Uint8Array<ArrayBuffer>>>()

function packAsset({ path, body }: Asset, coding: Coding): Promise<Uint8Array<ArrayBuffer>> {
  const key = `${coding} ${path}`
  let packed = packedAssets.get(key)
  if (!packed) {
    const bytes = Buffer.from(body)
    packed =
      coding === 'br'
        ? brotlied(bytes, {
            params: {
              [constants.BROTLI_PARAM_QUALITY]: 11,
              [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
            },
          })
        : gzipped(bytes, { level: 9 })
    packedAssets.set(key, packed)
  }
  return packed
}

/**
 * A file of the site. Its address names its content, so it may be kept for ever; each coding has an
 * entity tag of its own.
 */
export async function assetResponse(request: Request, asset: Asset): Promise<Response> {
  const coding =
    asset.body.length < SMALLEST
      ? null
      : codingFor(request.headers.get('accept-encoding'), ['br', 'gzip'])
  const etag = coding === null ? asset.etag : `${asset.etag.slice(0, -1)}-${coding}"`
  const headers = new Headers({
    'content-type': asset.type,
    etag,
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
  })
  vary(headers)
  const known = (request.headers.get('if-none-match') ?? '')
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''))
  if (known.includes(etag) || known.includes('*'))
    return new Response(null, { status: 304, headers })
  if (coding !== null) headers.set('content-encoding', coding)
  if (request.method === 'HEAD') return new Response(null, { headers })
  return new Response(coding === null ? asset.body : await packAsset(asset, coding), { headers })
}
