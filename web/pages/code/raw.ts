import { Refusal } from '#lib/errors.ts'
import { DirectResponse, type Resource } from '../../site.ts'
import { locate } from './frame.tsx'
import { textFromBytes } from './text.ts'

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

const LABELS: Readonly<Record<string, string>> = {
  'UTF-16LE': 'utf-16le',
  'UTF-16BE': 'utf-16be',
  'Latin-1': 'windows-1252',
  'Windows-1252': 'windows-1252',
}

/** The encoding is detected in this many bytes at the start. */
const WINDOW = 64 * 1024

/** The type of text with its encoding, or of bytes. */
function textType(data: Uint8Array): string {
  const part = data.subarray(0, WINDOW)
  if (!part.subarray(0, 8000).includes(0)) {
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(part, { stream: part.length < data.length })
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

/**
 * The bytes of a file. Users who may push choose them, so they must not run on this site: no
 * script, form or frame, and a sandbox without an origin (CSP `sandbox`).
 */
export const rawFile: Resource = {
  path: '/:workspace/:repo/raw/*rest',
  async respond(visit) {
    const located = await locate(visit, 'raw')
    if (located instanceof DirectResponse) return located.response
    const { name, repo, at } = located
    if (at.oid === null || at.type === 'dir' || at.type === 'submodule')
      throw new Refusal('not_found', 'There is no file at this address.')
    const etag = `"${at.oid}"`
    const headers: Record<string, string> = {
      etag,
      'cache-control': repo.private ? 'private, no-cache' : 'no-cache',
      'x-content-type-options': 'nosniff',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
    }
    if (visit.request.headers.get('if-none-match') === etag)
      return new Response(null, { status: 304, headers })
    const grant = visit.hearth.facts.repo(name, visit.caller)
    const blob = grant && (await visit.hearth.git.readBlob(grant.store, at.oid))
    if (!blob) throw new Refusal('not_found', 'There is no file at this address.')
    const extension = at.path.split('.').at(-1)?.toLowerCase() ?? ''
    headers['content-type'] = SHOWN[extension] ?? textType(blob.data)
    return new Response(blob.data as Uint8Array<ArrayBuffer>, { headers })
  },
}
