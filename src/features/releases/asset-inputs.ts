/** Validates the names and types of release files. */
import { invalid } from '#lib/errors.ts'

const MAX_NAME_BYTES = 255
// eslint-disable-next-line no-control-regex
const CONTROL_CHARACTERS =
  /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/

/**
 * Normalizes a file name: one path segment that is valid on every system, without characters that
 * disguise it. Throws 422.
 */
export function parseAssetName(text: string): string {
  const name = text.toWellFormed().normalize('NFC').trim()
  if (name === '' || name === '.' || name === '..')
    throw invalid('name', 'name must be the name of a file')
  if (Buffer.byteLength(name) > MAX_NAME_BYTES)
    throw invalid('name', `name is longer than ${MAX_NAME_BYTES} bytes`)
  if (/[\\/:*?"<>|]/.test(name)) throw invalid('name', 'name may hold none of / \\ : * ? " < > |')
  if (CONTROL_CHARACTERS.test(name)) throw invalid('name', 'name may hold no control characters')
  return name
}

const DEFAULT_TYPE = 'application/octet-stream'
/** RFC 9110 section 8.3.1. */
const MEDIA_TYPE =
  /^[!#$%&'*+.^_`|~0-9A-Za-z-]+\/[!#$%&'*+.^_`|~0-9A-Za-z-]+(?:\s*;\s*[!#$%&'*+.^_`|~0-9A-Za-z-]+=(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+|"[\x20-\x21\x23-\x5b\x5d-\x7e]*"))*$/

/** Generic types that senders use for any content. */
const UNINFORMATIVE_TYPES = new Set([
  DEFAULT_TYPE,
  'application/x-www-form-urlencoded',
  'multipart/form-data',
])

const TYPE_BY_EXTENSION: Readonly<Record<string, string>> = {
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
  sig: DEFAULT_TYPE,
}

/**
 * Chooses the requested type (422 when invalid), else the type of the request, else the type of the
 * file extension.
 */
export function chooseContentType(
  asked: string | undefined,
  sent: string | null,
  name: string,
): string {
  if (asked !== undefined) {
    if (asked.length > 200 || !MEDIA_TYPE.test(asked))
      throw invalid('content_type', 'content_type must be a media type, such as application/zip')
    return asked
  }
  const bare = sent?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (
    sent !== null &&
    sent.length <= 200 &&
    MEDIA_TYPE.test(sent) &&
    !UNINFORMATIVE_TYPES.has(bare)
  )
    return sent
  return TYPE_BY_EXTENSION[name.split('.').at(-1)?.toLowerCase() ?? ''] ?? DEFAULT_TYPE
}
