/** Byte ranges of requests (RFC 9110, section 14). */

export type Range = { readonly start: number; readonly length: number }

/**
 * The single range of a header. Null stands for the whole file: no header, an invalid one, or
 * several ranges, which a server may all answer so. `'none'` is a range outside of the file.
 */
export function rangeOf(header: string | null, size: number): Range | 'none' | null {
  const [, first, last] = /^bytes=\s*(\d{0,15})-(\d{0,15})\s*$/i.exec(header ?? '') ?? []
  if (first === undefined || last === undefined || (first === '' && last === '')) return null
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'none' : { start: size - length, length }
  }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return null
  if (start >= size) return 'none'
  return { start, length: (last === '' ? size : Math.min(Number(last) + 1, size)) - start }
}

/** The part of a file that a response has, with the status and the headers that say so. */
export type SelectedBytes = {
  readonly status: 200 | 206 | 416
  readonly range: Range
  readonly headers: Readonly<Record<string, string>>
}

/**
 * What a request for a file of `size` bytes gets. With `If-Range`, a part is only of use to a client
 * that has the same version (RFC 9110, section 13.1.5).
 */
export function selectBytes(
  { headers }: Pick<Request, 'headers'>,
  etag: string,
  size: number,
): SelectedBytes {
  const condition = headers.get('if-range')
  const range =
    condition === null || condition === etag ? rangeOf(headers.get('range'), size) : null
  if (range === 'none') {
    const unsatisfied = { 'accept-ranges': 'bytes', 'content-range': `bytes */${size}` }
    return { status: 416, range: { start: 0, length: 0 }, headers: unsatisfied }
  }
  const { start, length } = range ?? { start: 0, length: size }
  return {
    status: range ? 206 : 200,
    range: { start, length },
    headers: {
      'accept-ranges': 'bytes',
      'content-length': `${length}`,
      ...(range ? { 'content-range': `bytes ${start}-${start + length - 1}/${size}` } : {}),
    },
  }
}

/** Whether a client has this version already (`If-None-Match`, compared weakly). */
export const isNotModified = ({ headers }: Pick<Request, 'headers'>, etag: string): boolean =>
  headers
    .get('if-none-match')
    ?.split(',')
    .some((tag) => [etag, '*'].includes(tag.trim().replace(/^W\//, ''))) ?? false
