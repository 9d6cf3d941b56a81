import { localBlob } from '#core/blobs.ts'
import { nowhere } from '#core/audit.ts'
import { engineRefusal, principalOf, runAs } from '#core/principal.ts'
import { openLfsObject } from '#features/lfs/index.ts'
import { Refusal } from '#lib/errors.ts'
import { MAX_LFS_POINTER_BYTES, parseLfsPointer, type LfsPointer } from '#lib/lfs-pointer.ts'
import { MINUTE } from '#lib/time.ts'
import { isNotModified, selectBytes, type Range } from '#lib/byte-range.ts'
import { DOCUMENT_POLICY } from '../../file-headers.ts'
import { openDownload } from '../../open-streams.ts'
import { DirectResponse, type Resource, type Visit } from '../../site.ts'
import { parseNotebook } from '#lib/notebook.ts'
import { getFile } from '#features/repos/index.ts'
import { locate } from './frame.tsx'
import { pictureAt } from './notebook.tsx'
import { textFromBytes } from './text.ts'
import { t } from '../../text.ts'

/**
 * Types that browsers display and that cannot run code. All others are sent as plain text or as a
 * download.
 */
const SHOWN: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  ico: 'image/x-icon',
  bmp: 'image/bmp',
  svg: 'image/svg+xml',
}

const isPdf = (path: string): boolean => /\.pdf$/i.test(path)

const LABELS: Readonly<Record<string, string>> = {
  'UTF-16LE': 'utf-16le',
  'UTF-16BE': 'utf-16be',
  'Latin-1': 'windows-1252',
  'Windows-1252': 'windows-1252',
}

const SANDBOX_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"

/** The encoding is detected in this many bytes at the start. */
const WINDOW = 64 * 1024

/** The type of text with its encoding, or of bytes, from the first bytes of a file of `size`. */
function textType(part: Uint8Array, size: number): string {
  if (!part.subarray(0, 8000).includes(0)) {
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(part, { stream: part.length < size })
      return 'text/plain; charset=utf-8'
    } catch {
      // Not UTF-8.
    }
  }
  const encoding = textFromBytes(part)?.encoding
  return encoding
    ? `text/plain; charset=${LABELS[encoding] ?? 'utf-8'}`
    : part.subarray(0, 8000).includes(0)
      ? 'application/octet-stream'
      : 'text/plain; charset=utf-8'
}

/** A reader that takes nothing for this long is given up. */
const IDLE_TIMEOUT_MS = 2 * MINUTE

type Blob = { readonly store: string; readonly oid: string; readonly size: number }

/** Bytes that are sent as a file: those of a blob, or of a file of Git LFS. */
type RawSource = {
  /** Their digest. */
  readonly oid: string
  readonly size: number
  readonly read: (range: Range) => Promise<Uint8Array>
  readonly send: (range: Range) => Promise<BodyInit>
}

const blobSource = (visit: Visit, blob: Blob): RawSource => ({
  ...blob,
  read: async (range) => {
    const body = await visit.hearth.git.streamBlob(blob.store, blob.oid, range)
    return body instanceof Uint8Array ? body : await new Response(body).bytes()
  },
  send: async (range) => (await streamBlob(visit, blob, range)) as BodyInit,
})

/** A file of Git LFS on this disk. */
function lfsSource(path: string, { oid, size }: LfsPointer): RawSource {
  const part = ({ start, length }: Range) => Bun.file(path).slice(start, start + length)
  return { oid, size, read: (range) => part(range).bytes(), send: async (range) => part(range) }
}

/** The file that a pointer stands for; null for other blobs, and when the file is not here. */
async function findLfsSource(visit: Visit, repo: string, blob: Blob): Promise<RawSource | null> {
  if (blob.size > MAX_LFS_POINTER_BYTES) return null
  const read = await visit.hearth.git.readBlob(blob.store, blob.oid)
  const pointer = read && parseLfsPointer(read.data)
  if (!pointer) return null
  const stored = await visit.tryCall(openLfsObject, { repo, oid: pointer.oid })
  const path = stored && (await localBlob(visit.hearth, stored.oid))
  return stored && path ? lfsSource(path, stored) : null
}

/**
 * Streams a part of a blob in blocks. It counts as a download of its caller until the last byte is
 * taken.
 */
async function streamBlob(
  visit: Visit,
  { store, oid }: Blob,
  range: Range,
): Promise<Uint8Array | ReadableStream<Uint8Array>> {
  const { hearth, request } = visit
  const idle = new AbortController()
  const signal = AbortSignal.any([request.signal, hearth.stopping, idle.signal])
  const release = await openDownload(visit, signal)
  const timer = setTimeout(() => idle.abort(), IDLE_TIMEOUT_MS)
  const end = (): void => {
    clearTimeout(timer)
    release()
  }
  try {
    const onProgress = (): void => void timer.refresh()
    const body = await hearth.git.streamBlob(store, oid, range, { signal, onProgress, onEnd: end })
    if (body instanceof Uint8Array) end()
    return body
  } catch (error) {
    end()
    throw engineRefusal(hearth, error) ?? error
  }
}

const noFile = (): Refusal => new Refusal('not_found', t('There is no file at this address.'))

/**
 * Sends the bytes of a file, whole or a part. Users who may push choose them, so they must not run
 * on this site: no script, form or frame, and a sandbox without an origin (CSP `sandbox`).
 */
export async function respondWithBlob(
  visit: Visit,
  file: { readonly blob: Blob; readonly path: string; readonly isPrivate: boolean },
): Promise<Response> {
  return await respondWithSource(visit, { ...file, source: blobSource(visit, file.blob) })
}

async function respondWithSource(
  visit: Visit,
  {
    source,
    path,
    isPrivate,
  }: { readonly source: RawSource; readonly path: string; readonly isPrivate: boolean },
): Promise<Response> {
  const { request } = visit
  const etag = `"${source.oid}"`
  const headers: Record<string, string> = {
    etag,
    'cache-control': isPrivate ? 'private, no-cache' : 'no-cache',
    'x-content-type-options': 'nosniff',
    'content-security-policy': SANDBOX_POLICY,
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
  }
  if (isNotModified(request, etag)) {
    // Of a document the browser has the policy that its bytes got.
    if (isPdf(path)) delete headers['content-security-policy']
    return new Response(null, { status: 304, headers })
  }
  const { status, range, headers: selected } = selectBytes(request, etag, source.size)
  Object.assign(headers, selected)
  if (status === 416) return new Response(null, { status, headers })
  return await runAs(principalOf(visit.caller, { ...nowhere, ip: visit.ip }), async () => {
    const extension = path.split('.').at(-1)?.toLowerCase() ?? ''
    const start =
      SHOWN[extension] === undefined
        ? await source.read({ start: 0, length: Math.min(WINDOW, source.size) })
        : null
    if (start && isPdf(path) && Buffer.from(start.subarray(0, 5)).toString('latin1') === '%PDF-') {
      headers['content-type'] = 'application/pdf'
      headers['content-security-policy'] = DOCUMENT_POLICY
    } else headers['content-type'] = start ? textType(start, source.size) : (SHOWN[extension] ?? '')
    // The runtime sends the announced length of a response to HEAD.
    const body = request.method === 'HEAD' ? null : await source.send(range)
    return new Response(body, { status, headers })
  })
}

/** A file of a repository. */
type Located = Exclude<Awaited<ReturnType<typeof locate>>, DirectResponse>

/** The image of an output of a notebook, which is part of the file. */
async function respondWithPicture(
  visit: Visit,
  { name, repo, at }: Located,
  place: string,
): Promise<Response> {
  const file = await visit.call(getFile, { repo: name, ref: at.sha ?? at.ref, path: at.path })
  const notebook =
    file.encoding === 'utf-8' && !file.truncated && /\.ipynb$/i.test(at.path)
      ? parseNotebook(file.content ?? '')
      : null
  const picture = notebook && pictureAt(notebook, place)
  if (!picture) throw noFile()
  return new Response(Buffer.from(picture.base64, 'base64'), {
    headers: {
      ...visit.headers,
      'content-type': picture.type,
      'content-security-policy': SANDBOX_POLICY,
      'x-content-type-options': 'nosniff',
      'cache-control': repo.private ? 'private, no-cache' : 'no-cache',
    },
  })
}

export const rawFile: Resource = {
  path: '/:workspace/:repo/raw/*rest',
  async respond(visit) {
    const located = await locate(visit, 'raw')
    if (located instanceof DirectResponse) return located.response
    const { name, repo, at } = located
    const place = visit.url.searchParams.get('picture')
    if (place !== null) return await respondWithPicture(visit, located, place)
    if (at.oid === null || at.size === null || at.type === 'dir' || at.type === 'submodule')
      throw noFile()
    const grant = visit.hearth.facts.repo(name, visit.caller)
    if (!grant) throw noFile()
    const blob: Blob = { store: grant.store, oid: at.oid, size: at.size }
    const source = (await findLfsSource(visit, name, blob)) ?? blobSource(visit, blob)
    return await respondWithSource(visit, { source, path: at.path, isPrivate: repo.private })
  },
}
