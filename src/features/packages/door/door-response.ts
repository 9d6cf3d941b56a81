/** Answers that doors share: files with ranges and conditions, and documents. */
import { localBlob } from '#core/blobs.ts'
import type { Hearth } from '#core/hearth.ts'
import { isNotModified, selectBytes } from '#lib/byte-range.ts'
import { Refusal } from '#lib/errors.ts'
import type { PackageDocument } from '../documents.ts'
import type { DoorRequest } from './door-request.ts'

/** Anyone may upload a page with a script, so a browser only downloads it, in a sandbox. */
const SAFE_HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'content-disposition': 'attachment',
}

/** Of public packages too, because an unpublished version must be gone at once. */
const REVALIDATE = { 'cache-control': 'private, no-cache' }

type SentFile = {
  readonly sha256: string
  readonly size_in_bytes: number
  readonly content_type: string
}

/** A file of a package. The runtime sends it without passing its bytes through JavaScript. */
export async function fileResponse(
  hearth: Hearth,
  { headers: requestHeaders }: DoorRequest,
  file: SentFile,
  extra: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const request = { headers: requestHeaders }
  const etag = extra.etag ?? `"${file.sha256}"`
  const headers: Record<string, string> = {
    etag,
    'content-type': file.content_type,
    ...REVALIDATE,
    ...SAFE_HEADERS,
    ...extra,
  }
  if (isNotModified(request, etag)) return new Response(null, { status: 304, headers })
  const { status, range, headers: selected } = selectBytes(request, etag, file.size_in_bytes)
  Object.assign(headers, selected)
  if (status === 416) return new Response(null, { status, headers: selected })
  const path = await localBlob(hearth, file.sha256)
  if (path === null) {
    hearth.log.error('a file of a package is missing', { sha256: file.sha256 })
    throw new Refusal('unavailable', 'the file is missing on this installation')
  }
  const bytes = Bun.file(path)
  return new Response(
    status === 206 ? bytes.slice(range.start, range.start + range.length) : bytes,
    { status, headers },
  )
}

const acceptsGzip = (headers: Headers): boolean =>
  /(^|[\s,])gzip([\s,;]|$)/i.test(headers.get('accept-encoding') ?? '')

function isUnmodified(headers: Headers, { etag, modified_ms }: PackageDocument): boolean {
  if (headers.has('if-none-match')) return isNotModified({ headers }, etag)
  const since = Date.parse(headers.get('if-modified-since') ?? '')
  return Number.isFinite(since) && modified_ms <= since
}

/** A document that is made of all versions of a package. */
export function documentResponse(
  { headers: requestHeaders }: DoorRequest,
  document: PackageDocument,
  extra: Readonly<Record<string, string>> = {},
): Response {
  const headers: Record<string, string> = {
    'content-type': document.content_type,
    etag: document.etag,
    'last-modified': new Date(document.modified_ms).toUTCString(),
    vary: 'Accept, Accept-Encoding, Authorization',
    ...REVALIDATE,
    'x-content-type-options': 'nosniff',
    ...extra,
  }
  if (isUnmodified(requestHeaders, document)) return new Response(null, { status: 304, headers })
  if (!acceptsGzip(requestHeaders))
    return new Response(document.body as Uint8Array<ArrayBuffer>, { headers })
  headers['content-encoding'] = 'gzip'
  return new Response(document.gzip as Uint8Array<ArrayBuffer>, { headers })
}

export const jsonResponse = (
  value: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Response =>
  new Response(JSON.stringify(value), {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
  })
