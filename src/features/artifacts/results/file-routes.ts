/**
 * The addresses of files: uploads as block blobs of Azure Blob Storage take them
 * (https://learn.microsoft.com/rest/api/storageservices/put-block), and downloads of caches.
 */
import { localBlob } from '#core/blobs.ts'
import type { Hearth } from '#core/hearth.ts'
import type { ProtocolRequest, ProtocolRoute } from '#core/protocol-routes.ts'
import { selectBytes } from '#lib/byte-range.ts'
import { Refusal } from '#lib/errors.ts'
import { sha256 } from '#lib/hash.ts'
import { CACHE_PATH, cacheClaims, UPLOAD_PATH, uploadClaims } from './addresses.ts'
import { MAX_BLOCKS, uploads, WHOLE } from './uploads.ts'

/** The version of the interface that clients of today send. */
const VERSION = '2026-02-06'
const MAX_BLOCK_ID_CHARS = 128
const MAX_LIST_BYTES = MAX_BLOCKS * 200

const BLOCK = /<(?:Latest|Uncommitted|Committed)>([A-Za-z0-9+/=]{1,128})</g

const notAllowed = (allow: string): Refusal =>
  new Refusal('method_not_allowed', `only ${allow} is possible here`, { headers: { allow } })

/** Errors have the shape that clients of Azure Blob Storage show. */
function errorResponse({ code, reason, message, status, headers }: Refusal): Response {
  const name = reason ?? code
  const text = message.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return new Response(
    `<?xml version="1.0" encoding="utf-8"?><Error><Code>${name}</Code><Message>${text}</Message></Error>`,
    {
      status,
      headers: { ...headers, 'content-type': 'application/xml', 'x-ms-error-code': name },
    },
  )
}

/** Every name of a block, whatever its characters, is a file name of 64 hex digits. */
function blockOf(query: URLSearchParams): string {
  const id = query.get('blockid') ?? ''
  if (id === '' || id.length > MAX_BLOCK_ID_CHARS)
    throw new Refusal('bad_request', 'a block needs an id', {
      reason: 'InvalidQueryParameterValue',
    })
  return sha256(id)
}

async function blocksOf(http: ProtocolRequest): Promise<string[]> {
  const text = Buffer.from(await http.bytes(MAX_LIST_BYTES)).toString('utf8')
  return Array.from(text.matchAll(BLOCK), ([, id = '']) => sha256(id))
}

async function receive(hearth: Hearth, http: ProtocolRequest): Promise<Response> {
  if (http.request.method !== 'PUT') throw notAllowed('PUT')
  const query = new URLSearchParams(http.query)
  const claims = uploadClaims(hearth, query)
  const files = uploads(hearth)
  const part = query.get('comp')
  if (part === 'block') await files.putBlock(claims, blockOf(query), http.stream)
  else if (part === 'blocklist') await files.setBlocks(claims, await blocksOf(http))
  else if (part === null) {
    await files.putBlock(claims, WHOLE, http.stream)
    await files.setBlocks(claims, [WHOLE])
  } else
    throw new Refusal('not_available', `${part.slice(0, 50)} is not possible here`, {
      reason: 'UnsupportedQueryParameter',
    })
  const now = new Date(hearth.clock.now()).toUTCString()
  return new Response(null, {
    status: 201,
    headers: {
      etag: `"${claims.upload}"`,
      'last-modified': now,
      'x-ms-version': VERSION,
      'x-ms-request-server-encrypted': 'true',
    },
  })
}

/** Clients of Azure name the range in a header of their own. */
const withRange = ({ headers }: Pick<Request, 'headers'>): Pick<Request, 'headers'> => {
  const range = headers.get('x-ms-range')
  return range === null ? { headers } : { headers: new Headers({ range }) }
}

async function send(hearth: Hearth, http: ProtocolRequest): Promise<Response> {
  const { method } = http.request
  if (method !== 'GET' && method !== 'HEAD') throw notAllowed('GET, HEAD')
  const file = cacheClaims(hearth, new URLSearchParams(http.query))
  const path = await localBlob(hearth, file.sha256)
  if (path === null) throw new Refusal('gone', 'this cache was deleted')
  const etag = `"${file.sha256}"`
  const { status, range, headers } = selectBytes(withRange(http.request), etag, file.size)
  const bytes = Bun.file(path)
  const part = status === 206 ? bytes.slice(range.start, range.start + range.length) : bytes
  return new Response(status === 416 ? null : part, {
    status,
    headers: {
      ...headers,
      etag,
      'content-type': 'application/octet-stream',
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
      'x-ms-blob-type': 'BlockBlob',
      'x-ms-version': VERSION,
    },
  })
}

const route = (
  path: string,
  handle: (hearth: Hearth, http: ProtocolRequest) => Promise<Response>,
): ProtocolRoute => ({
  path,
  handle: async (hearth, http) => {
    try {
      return await handle(hearth, http)
    } catch (error) {
      if (error instanceof Refusal) return errorResponse(error)
      throw error
    }
  },
})

export const fileRoutes: readonly ProtocolRoute[] = [
  route(UPLOAD_PATH, receive),
  route(CACHE_PATH, send),
]
