// Lines of UTF-16 text as git counts them: it breaks at every byte 10, even inside a character.
const NEWLINE = 10

/** For each line of the text (from 0), the number (from 1) of the byte line that it starts in. */
export function byteLinesOf(bytes: Uint8Array, encoding: string): number[] {
  const [high, low] = encoding === 'UTF-16BE' ? [0, 1] : [1, 0]
  const lines = [1]
  let byteLine = 1
  for (let at = 0; at + 1 < bytes.length; at += 2) {
    if (bytes[at] === NEWLINE) byteLine++
    if (bytes[at + 1] === NEWLINE) byteLine++
    if (bytes[at + low] === NEWLINE && bytes[at + high] === 0) lines.push(byteLine)
  }
  return lines
}

/**
 * Converts ranges of byte lines to ranges of text lines. A line belongs to the author of its start.
 */
export function toTextLines<R extends { from_line: number; to_line: number }>(
  ranges: readonly R[],
  byteLines: readonly number[],
): R[] {
  const found: { range: R; from: number; to: number }[] = []
  let at = 0
  for (const [index, byteLine] of byteLines.entries()) {
    while (at < ranges.length - 1 && (ranges[at]?.to_line ?? 0) < byteLine) at++
    const range = ranges[at]
    if (!range) break
    const last = found.at(-1)
    if (last?.range === range) last.to = index + 1
    else found.push({ range, from: index + 1, to: index + 1 })
  }
  return found.map(({ range, from, to }) => ({ ...range, from_line: from, to_line: to }))
}
