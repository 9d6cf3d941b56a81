/** Answers that doors share: files with ranges and conditions, and documents. */
import { localBlob } from '#core/blobs.ts'
import type { Hearth } from '#core/hearth.ts'
import { cache } from '#core/service.ts'
import { isNotModified, selectBytes } from '#lib/byte-range.ts'
import { Refusal } from '#lib/errors.ts'
import type { PackageDocument } from '../documents.ts'
import { downloadCounts } from '../download-counts.ts'
import type { FileRow } from '../store-versions.ts'
import type { DoorRequest, ReadRequest } from './door-request.ts'

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

/** Files up to this size are sent from memory: opening one costs more than sending it. */
const MAX_SMALL_BYTES = 64 * 1024

const smallFiles = cache<Uint8Array<ArrayBuffer>>('small-package-files', {
  maxSize: 16 * 1024 ** 2,
  sizeOf: (bytes) => bytes.length + 500,
})

async function readFile(hearth: Hearth, file: SentFile): Promise<Blob> {
  const path = await localBlob(hearth, file.sha256)
  if (path === null) {
    hearth.log.error('a file of a package is missing', { sha256: file.sha256 })
    throw new Refusal('unavailable', 'the file is missing on this installation')
  }
  return Bun.file(path)
}

async function readSmallFile(hearth: Hearth, file: SentFile): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await (await readFile(hearth, file)).bytes()
  smallFiles(hearth).set(file.sha256, bytes)
  return bytes
}

/**
 * A file of a package. The runtime sends a large one without passing its bytes through JavaScript,
 * and a small one is kept in memory.
 */
export function fileResponse(
  hearth: Hearth,
  { headers: requestHeaders }: Pick<ReadRequest, 'headers'>,
  file: SentFile,
  extra: Readonly<Record<string, string>> = {},
): Response | Promise<Response> {
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
  const { start, length } = range
  const end = start + length
  if (file.size_in_bytes > MAX_SMALL_BYTES)
    return readFile(hearth, file).then(
      (bytes) =>
        new Response(status === 206 ? bytes.slice(start, end) : bytes, { status, headers }),
    )
  const respond = (bytes: Uint8Array<ArrayBuffer>): Response =>
    new Response(status === 206 ? bytes.subarray(start, end) : bytes, { status, headers })
  const small = smallFiles(hearth).get(file.sha256)
  return small ? respond(small) : readSmallFile(hearth, file).then(respond)
}

/** A file whose answer is kept. Each request for its beginning counts as a download. */
export const downloadResponse = (
  hearth: Hearth,
  door: DoorRequest,
  file: FileRow,
  {
    counts = true,
    headers,
  }: { readonly counts?: boolean; readonly headers?: Readonly<Record<string, string>> } = {},
): Response | Promise<Response> =>
  door.keep((request) => {
    if (counts && request.isFromStart) downloadCounts(hearth).add(file.package_id, file.version_id)
    return fileResponse(hearth, request, file, headers)
  })

const acceptsGzip = (headers: Headers): boolean =>
  /(^|[\s,])gzip([\s,;]|$)/i.test(headers.get('accept-encoding') ?? '')

function isUnmodified(headers: Headers, { etag, modified_ms }: PackageDocument): boolean {
  if (headers.has('if-none-match')) return isNotModified({ headers }, etag)
  const since = Date.parse(headers.get('if-modified-since') ?? '')
  return Number.isFinite(since) && modified_ms <= since
}

/** Answers with a document that is made of all versions of a package, again and again. */
export function documentAnswer(
  document: PackageDocument,
  extra: Readonly<Record<string, string>> = {},
): (request: Pick<ReadRequest, 'headers'>) => Response {
  // Made once: names and values of headers cost more than all else of a response.
  const headers = new Headers({
    'content-type': document.content_type,
    etag: document.etag,
    'last-modified': new Date(document.modified_ms).toUTCString(),
    vary: 'Accept, Accept-Encoding, Authorization',
    ...REVALIDATE,
    'x-content-type-options': 'nosniff',
    ...extra,
  })
  const compressed = new Headers(headers)
  compressed.set('content-encoding', 'gzip')
  return (request) => {
    if (isUnmodified(request.headers, document)) return new Response(null, { status: 304, headers })
    return acceptsGzip(request.headers)
      ? new Response(document.gzip, { headers: compressed })
      : new Response(document.body as Uint8Array<ArrayBuffer>, { headers })
  }
}

/** A document that is made of all versions of a package. */
export const documentResponse = (
  request: Pick<ReadRequest, 'headers'>,
  document: PackageDocument,
  extra: Readonly<Record<string, string>> = {},
): Response => documentAnswer(document, extra)(request)

export const jsonResponse = (
  value: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Response =>
  new Response(JSON.stringify(value), {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
  })
