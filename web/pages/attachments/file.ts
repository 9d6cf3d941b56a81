import { localBlob } from '#core/blobs.ts'
import { INLINE_TYPES, openAttachment, type Attachment } from '#features/attachments/index.ts'
import { Refusal } from '#lib/errors.ts'
import { isNotModified, selectBytes } from '#lib/byte-range.ts'
import { contentDisposition, digestHeader, DOCUMENT_POLICY } from '../../file-headers.ts'
import type { Resource, Visit } from '../../site.ts'
import { repoOf } from '../repos/frame.tsx'
import { t } from '../../text.ts'

/** Videos are loaded by the document that a browser makes for them. */
const policyOf = (content_type: string): string =>
  content_type === 'application/pdf'
    ? DOCUMENT_POLICY
    : "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox"

function headersOf(file: Attachment, etag: string): Record<string, string> {
  const { content_type } = file
  const kind = INLINE_TYPES.has(content_type) ? 'inline' : 'attachment'
  return {
    etag,
    'accept-ranges': 'bytes',
    'content-type': content_type,
    'content-disposition': contentDisposition(kind, file.name),
    'last-modified': new Date(file.created_at).toUTCString(),
    'repr-digest': digestHeader(file.sha256),
    // A browser asks each time, because a deleted text hides its files.
    'cache-control': 'private, no-cache',
    'x-content-type-options': 'nosniff',
    'content-security-policy': policyOf(content_type),
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
  }
}

/** Any signed-in user may have chosen the bytes, so nothing in them runs. */
async function sendAttachment(visit: Visit): Promise<Response> {
  const { request } = visit
  const file = await visit.call(openAttachment, {
    repo: repoOf(visit),
    id: visit.params.id ?? '',
  })
  const etag = `"${file.sha256}"`
  const headers = headersOf(file, etag)
  if (isNotModified(request, etag)) return new Response(null, { status: 304, headers })
  const { status, range, headers: selected } = selectBytes(request, etag, file.size_in_bytes)
  Object.assign(headers, selected)
  if (status === 416) return new Response(null, { status, headers: selected })
  if (request.method === 'HEAD') return new Response(null, { status, headers })
  const path = await localBlob(visit.hearth, file.sha256)
  if (path === null) {
    visit.hearth.log.error('an attached file is missing', { id: file.id, sha256: file.sha256 })
    throw new Refusal(
      'unavailable',
      t(
        'This file is missing on this installation. Its administrators can see it with hearth doctor.',
      ),
    )
  }
  const bytes = Bun.file(path)
  return new Response(
    status === 206 ? bytes.slice(range.start, range.start + range.length) : bytes,
    { status, headers },
  )
}

/** The name at the end is for people and downloads; the id alone finds the file. */
export const attachmentFiles: Resource[] = [
  { path: '/:workspace/:repo/attachments/:id/:name', respond: sendAttachment },
  { path: '/:workspace/:repo/attachments/:id', respond: sendAttachment },
]
