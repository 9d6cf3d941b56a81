/** What a file of a release may be called, and what it is. */
import { invalid } from '#lib/errors.ts'

const LONGEST_BYTES = 255
// eslint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/

/**
 * The name as it is kept: one part of a path on every system, with nothing in it that hides what it
 * is. Gives 422.
 */
export function assetName(text: string): string {
  const name = text.toWellFormed().normalize('NFC').trim()
  if (name === '' || name === '.' || name === '..')
    throw invalid('name', 'name must be the name of a file')
  if (Buffer.byteLength(name) > LONGEST_BYTES)
    throw invalid('name', `name is longer than ${LONGEST_BYTES} bytes`)
  if (/[\\/:*?"<>|]/.test(name)) throw invalid('name', 'name may hold none of / \\ : * ? " < > |')
  if (CONTROLS.test(name)) throw invalid('name', 'name may hold no control characters')
  return name
}

const UNKNOWN = 'application/octet-stream'
/** RFC 9110 section 8.3.1. */
const MEDIA_TYPE =
  /^[!#$%&'*+.^_`|~0-9A-Za-z-]+\/[!#$%&'*+.^_`|~0-9A-Za-z-]+(?:\s*;\s*[!#$%&'*+.^_`|~0-9A-Za-z-]+=(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+|"[\x20-\x21\x23-\x5b\x5d-\x7e]*"))*$/

/** What tells nothing: the types that senders give to anything. */
const EMPTY = new Set([UNKNOWN, 'application/x-www-form-urlencoded', 'multipart/form-data'])

const ENDINGS: Readonly<Record<string, string>> = {
  zip: 'application/zip',
  gz: 'application/gzip',
  tgz: 'application/gzip',
  zst: 'application/zstd',
  xz: 'application/x-xz',
  bz2: 'application/x-bzip2',
  tar: 'application/x-tar',
  '7z': 'application/x-7z-compressed',
  json: 'application/json',
  txt: 'text/plain; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  pdf: 'application/pdf',
  png: 'image/png',
  jpg: 'image/jpeg',
  svg: 'image/svg+xml',
  html: 'text/html',
  xml: 'application/xml',
  exe: 'application/vnd.microsoft.portable-executable',
  msi: 'application/x-msi',
  dmg: 'application/x-apple-diskimage',
  deb: 'application/vnd.debian.binary-package',
  rpm: 'application/x-rpm',
  apk: 'application/vnd.android.package-archive',
  jar: 'application/java-archive',
  wasm: 'application/wasm',
  sha256: 'text/plain; charset=utf-8',
  asc: 'application/pgp-signature',
  sig: UNKNOWN,
}

/**
 * The type that was asked for (422 when it is none), else the sender's, else that of the name's
 * ending.
 */
export function contentType(asked: string | undefined, sent: string | null, name: string): string {
  if (asked !== undefined) {
    if (asked.length > 200 || !MEDIA_TYPE.test(asked))
      throw invalid('content_type', 'content_type must be a media type, such as application/zip')
    return asked
  }
  const bare = sent?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (sent !== null && sent.length <= 200 && MEDIA_TYPE.test(sent) && !EMPTY.has(bare)) return sent
  return ENDINGS[name.split('.').at(-1)?.toLowerCase() ?? ''] ?? UNKNOWN
}
