/** Names and types of uploaded files. */
import type { IncomingBytes } from '#core/operation.ts'

const MAX_NAME_BYTES = 200
// eslint-disable-next-line no-control-regex
const UNSAFE_CHARACTERS =
  /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\\/:*?"<>|]+/g
const MAX_EXTENSION_LENGTH = 10

/**
 * Turns any text into the name of a file. People choose names on other systems, so characters that
 * are unsafe or disguise a name are replaced in place of a refusal.
 */
export function toFileName(text: string): string {
  const name = text
    .toWellFormed()
    .normalize('NFC')
    .replace(UNSAFE_CHARACTERS, '-')
    .replace(/^[\s.-]+/, '')
    .trimEnd()
  if (name === '') return 'file'
  if (Buffer.byteLength(name) <= MAX_NAME_BYTES) return name
  const dot = name.lastIndexOf('.')
  const extension = dot > 0 && name.length - dot <= MAX_EXTENSION_LENGTH ? name.slice(dot) : ''
  let stem = name.slice(0, Math.min(dot > 0 ? dot : name.length, MAX_NAME_BYTES))
  while (Buffer.byteLength(stem + extension) > MAX_NAME_BYTES) stem = stem.slice(0, -1)
  return stem.toWellFormed() + extension
}

/** Types that browsers show in place. Everything else is a download. */
export const INLINE_TYPES: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'video/mp4',
  'video/webm',
  'application/pdf',
])

export const isPicture = (content_type: string): boolean => content_type.startsWith('image/')

/** How many bytes of the beginning say what a file is. */
const HEAD_BYTES = 32

const ascii = (head: Uint8Array, from: number, text: string): boolean =>
  Buffer.from(head.subarray(from, from + text.length)).toString('latin1') === text

/** The type of a file that browsers show, by its first bytes; null for any other. */
export function detectInlineType(head: Uint8Array): string | null {
  if (ascii(head, 0, '\x89PNG\r\n\x1a\n')) return 'image/png'
  if (ascii(head, 0, '\xff\xd8\xff')) return 'image/jpeg'
  if (ascii(head, 0, 'GIF87a') || ascii(head, 0, 'GIF89a')) return 'image/gif'
  if (ascii(head, 0, 'RIFF') && ascii(head, 8, 'WEBP')) return 'image/webp'
  if (ascii(head, 0, '%PDF-')) return 'application/pdf'
  if (ascii(head, 0, '\x1aE\xdf\xa3')) return 'video/webm'
  if (!ascii(head, 4, 'ftyp')) return null
  const brand = Buffer.from(head.subarray(8, 12)).toString('latin1')
  if (brand === 'avif' || brand === 'avis') return 'image/avif'
  return /^(?:isom|iso[2-9]|mp4[12]|avc1|M4V |dash|MSNV)$/.test(brand) ? 'video/mp4' : null
}

/** Types of downloads by the extension of the name. None is a type that could run. */
const DOWNLOAD_TYPES: Readonly<Record<string, string>> = {
  txt: 'text/plain; charset=utf-8',
  log: 'text/plain; charset=utf-8',
  md: 'text/plain; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  json: 'application/json',
  zip: 'application/zip',
  gz: 'application/gzip',
  tgz: 'application/gzip',
  patch: 'text/plain; charset=utf-8',
  diff: 'text/plain; charset=utf-8',
}

/** The type of a file by its first bytes, else by its name. The sender's word does not count. */
export const contentTypeOf = (head: Uint8Array, name: string): string =>
  detectInlineType(head) ??
  DOWNLOAD_TYPES[name.split('.').at(-1)?.toLowerCase() ?? ''] ??
  'application/octet-stream'

/** Passes a stream on and keeps a copy of its first bytes. */
export function withHead({ stream }: IncomingBytes): {
  stream: AsyncIterable<Uint8Array>
  head: () => Uint8Array
} {
  let head = new Uint8Array()
  return {
    head: () => head,
    stream: {
      async *[Symbol.asyncIterator]() {
        for await (const piece of stream) {
          if (head.length < HEAD_BYTES)
            head = Uint8Array.from([...head, ...piece.subarray(0, HEAD_BYTES - head.length)])
          yield piece
        }
      },
    },
  }
}
