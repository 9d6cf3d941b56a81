/** Reading blobs as text: binary detection, line ranges, and size limits. */

/** Limits of one response. */
export const MAX_RESPONSE_BYTES = 1024 * 1024
export const MAX_RESPONSE_LINES = 5_000

/** Git treats a file as binary when its first 8000 bytes contain a NUL (`buffer_is_binary`). */
export const isBinary = (data: Uint8Array): boolean => data.subarray(0, 8000).includes(0)

const NEWLINE = 10

export type LineSlice = {
  readonly lines: number
  readonly from_line: number
  readonly to_line: number
  readonly data: Uint8Array
  /** Whether requested lines were left out because of the limits. */
  readonly isTruncated: boolean
}

/**
 * Returns the lines from `from` to `to` (1-based, inclusive), as far as the limits of a response
 * allow. Lines are returned whole, unless the first one alone exceeds the limit. A newline at the
 * very end starts no line.
 *
 * One pass without an entry per line, because a file may consist of newlines only.
 */
export function sliceLines(data: Uint8Array, from: number, to: number | null): LineSlice {
  const most = Math.min(to ?? Infinity, from + MAX_RESPONSE_LINES - 1)
  let line = data.length === 0 ? 0 : 1
  let begin = from === 1 ? 0 : data.length
  let end = begin
  let last = from
  for (let at = 0; at < data.length; at++) {
    const ends = data[at] === NEWLINE || at === data.length - 1
    if (!ends) continue
    if (
      line === from ||
      (line > from &&
        line <= most &&
        end - begin < MAX_RESPONSE_BYTES &&
        at + 1 - begin <= MAX_RESPONSE_BYTES &&
        last === line - 1)
    ) {
      end = at + 1
      last = line
    }
    if (at === data.length - 1) break
    line++
    if (line === from) begin = end = at + 1
  }
  const lines = line
  const shown = Math.min(end, begin + MAX_RESPONSE_BYTES)
  const wanted = Math.min(to ?? lines, lines)
  return {
    lines,
    from_line: lines === 0 ? 0 : from,
    to_line: lines === 0 ? 0 : last,
    data: data.subarray(begin, shown),
    isTruncated: last < wanted || shown < end,
  }
}

/**
 * Decodes UTF-8; null when the data is not UTF-8. If the data was cut within a character, only that
 * character is lost.
 */
export function decodeText(data: Uint8Array, cut: boolean): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(data, { stream: cut })
  } catch {
    return null
  }
}
