// Which part of a file is asked for (RFC 9110, section 14).

export type Range = { readonly start: number; readonly length: number }

/**
 * The one range that a header asks for. Null asks for all: without a header, with one that cannot
 * be read, or with several ranges, all of which a server may answer so. `'none'` is a range that
 * the file does not have.
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
