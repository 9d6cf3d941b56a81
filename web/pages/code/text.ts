// Text of files in any encoding.
import type { FileRecord } from '#features/repos/index.ts'

/** Text to show. `encoding` is set when it is not UTF-8. */
export type FileText = { readonly text: string; readonly encoding: string | null }

const decode = (label: string, bytes: Uint8Array): string => new TextDecoder(label).decode(bytes)

/** Whether nearly every second byte is zero: Western text in UTF-16 without a byte order mark. */
function halfZero(bytes: Uint8Array, at: 0 | 1): boolean {
  const pairs = Math.min(bytes.length, 2000) >> 1
  let zeros = 0
  let others = 0
  for (let pair = 0; pair < pairs; pair++) {
    if (bytes[pair * 2 + at] === 0) zeros++
    if (bytes[pair * 2 + 1 - at] === 0) others++
  }
  return pairs >= 8 && zeros > pairs * 0.7 && others === 0
}

/** Control characters that do not occur in text. A few of them mean binary content. */
const isText = (text: string): boolean => {
  const sample = text.slice(0, 8000)
  return (
    (sample.match(/[\u0000-\u0008\u000e-\u001a\u001c-\u001f\u007f\ufffd]/g)?.length ?? 0) <=
    sample.length / 1000
  )
}

/**
 * Text from bytes that are not UTF-8: UTF-16 by its byte order mark or its zeros, else
 * Windows-1252, which includes Latin-1. Null for binary content. As in the WHATWG encoding
 * standard, a byte order mark comes before any guess.
 */
export function textFromBytes(bytes: Uint8Array): FileText | null {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return found('UTF-16LE', decode('utf-16le', bytes))
  if (first === 0xfe && second === 0xff) return found('UTF-16BE', decode('utf-16be', bytes))
  if (halfZero(bytes, 1)) return found('UTF-16LE', decode('utf-16le', bytes))
  if (halfZero(bytes, 0)) return found('UTF-16BE', decode('utf-16be', bytes))
  if (bytes.subarray(0, 8000).includes(0)) return null
  return found(
    bytes.some((byte) => byte >= 0x80 && byte < 0xa0) ? 'Windows-1252' : 'Latin-1',
    decode('windows-1252', bytes),
  )
}

const found = (encoding: string, text: string): FileText | null =>
  isText(text) ? { text: text.replace(/^\ufeff/, ''), encoding } : null

/** The text of a file. Null for binary content. */
export const textOfFile = (file: Pick<FileRecord, 'content' | 'encoding'>): FileText | null =>
  file.encoding === 'utf-8'
    ? { text: file.content, encoding: null }
    : textFromBytes(new Uint8Array(Buffer.from(file.content, 'base64')))
