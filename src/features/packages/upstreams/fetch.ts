/**
 * One request to an upstream, through the client for outbound requests. The body goes to a blob as
 * it arrives, hashed and within bounds; what breaks off or has another digest is not kept.
 */
import { storeBlob, type DigestedBlob, type OtherDigests } from '#core/blobs.ts'
import type { Hearth } from '#core/hearth.ts'
import { outboundClient } from '#core/outbound.ts'
import { isDiskFullError } from '#core/disk-space.ts'
import { Refusal } from '#lib/errors.ts'
import { OutboundError, ResponseTooLong } from '#lib/outbound/outbound.ts'
import { MINUTE, SECOND } from '#lib/time.ts'

const FILE_TIMEOUT_MS = 30 * MINUTE
const DOCUMENT_TIMEOUT_MS = 2 * MINUTE
const IDLE_TIMEOUT_MS = 20 * SECOND
const MAX_REDIRECTS = 5
/** Longer validators are not stored. */
const MAX_HEADER_LENGTH = 500

export type UpstreamRequest = {
  readonly url: URL
  readonly kind: 'document' | 'file'
  readonly accept: string
  /** Sent to the origin of the upstream only. */
  readonly authorization: string | null
  readonly maxBytes: number
  /** What the bytes have to be, as the documents of the registry say. */
  readonly sha256?: string
  readonly expected?: OtherDigests
  /** Of what is cached. */
  readonly etag?: string | null
  readonly last_modified?: string | null
}

export type Fetched =
  | {
      readonly outcome: 'stored'
      readonly blob: DigestedBlob
      readonly content_type: string
      readonly etag: string | null
      readonly last_modified: string | null
    }
  | { readonly outcome: 'unchanged' | 'missing' }
  /** The upstream wants credentials, or refuses the ones that it was sent. */
  | { readonly outcome: 'refused'; readonly challenge: string | null; readonly status: number }

/** The upstream does not answer as it should. The message is for people of the workspace. */
export class UpstreamFailure extends Error {}

const shortHeader = (value: string | undefined): string | null =>
  value === undefined || value.length > MAX_HEADER_LENGTH ? null : value

function requestHeaders(request: UpstreamRequest): Record<string, string> {
  return {
    accept: request.accept,
    'user-agent': 'Hearth package cache',
    ...(request.etag && { 'if-none-match': request.etag }),
    ...(request.last_modified && { 'if-modified-since': request.last_modified }),
  }
}

const isMissing = (status: number): boolean => status === 404 || status === 410 || status === 451

type Answered = {
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: ReadableStream<Uint8Array>
}

/**
 * The bytes, and how many were announced; null for an unknown count. Some registries keep documents
 * compressed and send them so to everyone. Digests of files are those of the bytes as they are sent.
 */
async function decoded(
  request: UpstreamRequest,
  { headers, body }: Answered,
): Promise<{ readonly bytes: ReadableStream<Uint8Array>; readonly length: number | null }> {
  const coding = headers['content-encoding'] ?? 'identity'
  if (coding === 'gzip' && request.kind === 'document') {
    const source = body as ReadableStream<Uint8Array<ArrayBuffer>>
    return { bytes: source.pipeThrough(new DecompressionStream('gzip')), length: null }
  }
  const length = Number(headers['content-length'])
  if (coding === 'identity' && !(length > request.maxBytes))
    return { bytes: body, length: Number.isSafeInteger(length) && length >= 0 ? length : null }
  await body.cancel()
  if (coding === 'identity') throw tooLong(request)
  throw new UpstreamFailure(`${request.url.host} answered in the coding ${coding}`)
}

/** What cannot be unpacked is a fault of the upstream. */
async function* unpacked(
  { url }: UpstreamRequest,
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes
  } catch (error) {
    if (error instanceof TypeError || (error as { code?: unknown })?.code === 'Z_DATA_ERROR')
      throw new UpstreamFailure(`${url.host} sent a document that cannot be unpacked`)
    throw error
  }
}

async function receive(
  hearth: Hearth,
  request: UpstreamRequest,
  response: Answered,
): Promise<Fetched> {
  const { headers } = response
  const { bytes, length } = await decoded(request, response)
  const blob = await storeBlob(hearth, unpacked(request, bytes), {
    maxBytes: request.maxBytes,
    length,
    ...(request.sha256 !== undefined && { sha256: request.sha256 }),
    ...(request.expected !== undefined && { expected: request.expected }),
  })
  return {
    outcome: 'stored',
    blob,
    content_type: headers['content-type']?.slice(0, 200) ?? 'application/octet-stream',
    etag: shortHeader(headers.etag),
    last_modified: shortHeader(headers['last-modified']),
  }
}

const tooLong = ({ url, maxBytes }: UpstreamRequest): UpstreamFailure =>
  new UpstreamFailure(
    `${url.host} answered with more than the ${Math.floor(maxBytes / 1024 ** 2)} MiB that are taken`,
  )

/** Whether a failure is one of this forge: its disk, its quota. */
const isOwn = (error: unknown): boolean =>
  isDiskFullError(error) || (error instanceof Refusal && error.code === 'unavailable')

function failureOf(error: unknown, request: UpstreamRequest): UpstreamFailure | null {
  if (error instanceof UpstreamFailure) return error
  if (error instanceof ResponseTooLong || (error instanceof Refusal && error.code === 'too_large'))
    return tooLong(request)
  if (error instanceof OutboundError) return new UpstreamFailure(error.message)
  if (error instanceof Refusal && !isOwn(error))
    return new UpstreamFailure(`${request.url.host} sent a wrong file: ${error.message}`)
  return null
}

/** Throws UpstreamFailure when the upstream is away, or sends what it should not. */
export async function fetchFromUpstream(
  hearth: Hearth,
  request: UpstreamRequest,
): Promise<Fetched> {
  try {
    const response = await outboundClient(hearth).open(request.url, {
      headers: requestHeaders(request),
      authorization: request.authorization,
      timeoutMs: request.kind === 'file' ? FILE_TIMEOUT_MS : DOCUMENT_TIMEOUT_MS,
      idleTimeoutMs: IDLE_TIMEOUT_MS,
      maxBytes: request.maxBytes,
      redirects: MAX_REDIRECTS,
    })
    const { status, headers } = response
    if (status === 200) return await receive(hearth, request, response)
    await response.body.cancel()
    if (status === 304 && (request.etag || request.last_modified)) return { outcome: 'unchanged' }
    if (isMissing(status)) return { outcome: 'missing' }
    if (status === 401 || status === 403)
      return { outcome: 'refused', status, challenge: headers['www-authenticate'] ?? null }
    throw new UpstreamFailure(`${request.url.host} answered with the status ${status}`)
  } catch (error) {
    throw failureOf(error, request) ?? error
  }
}
