/** Blobs as text: what can be shown as such, which lines of it, and how much at once. */

/** One answer holds at most this much of a file. */
export const MOST_BYTES = 1024 * 1024
export const MOST_LINES = 5_000

/** A NUL in the first 8000 bytes is how git knows a binary file (`buffer_is_binary`). */
export const isBinary = (data: Uint8Array): boolean => data.subarray(0, 8000).includes(0)

const NEWLINE = 10

export type Slice = {
  readonly lines: number
  readonly from_line: number
  readonly to_line: number
  readonly data: Uint8Array
  /** Whether lines that were asked for had to be left out. */
  readonly cut: boolean
}

/**
 * The lines from `from` to `to` (1-based, inclusive), as many as one answer holds: whole ones,
 * unless the first alone is too long. A newline at the very end begins no line. One pass, which
 * keeps nothing per line, because a file may be all newlines.
 */
export function sliceLines(data: Uint8Array, from: number, to: number | null): Slice {
  const most = Math.min(to ?? Infinity, from + MOST_LINES - 1)
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
        end - begin < MOST_BYTES &&
        at + 1 - begin <= MOST_BYTES &&
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
  const shown = Math.min(end, begin + MOST_BYTES)
  const wanted = Math.min(to ?? lines, lines)
  return {
    lines,
    from_line: lines === 0 ? 0 : from,
    to_line: lines === 0 ? 0 : last,
    data: data.subarray(begin, shown),
    cut: last < wanted || shown < end,
  }
}

const LFS_POINTER =
  /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:.*\n)*?oid sha256:([0-9a-f]{64})\nsize (\d{1,15})\n/

/** What a pointer of the large file extension stands for (git-lfs specification, "The Pointer"). */
export function lfsPointer(data: Uint8Array): { oid: string; size: number } | null {
  if (data.length > 1024) return null
  const [, oid, size] = LFS_POINTER.exec(new TextDecoder().decode(data)) ?? []
  return oid === undefined || size === undefined ? null : { oid, size: Number(size) }
}

/**
 * Text when it is UTF-8, else null. A cut in the middle of a character loses that character only.
 */
export function decodeText(data: Uint8Array, cut: boolean): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(data, { stream: cut })
  } catch {
    return null
  }
}
