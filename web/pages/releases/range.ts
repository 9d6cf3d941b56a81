// Byte ranges of requests (RFC 9110, section 14).

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
