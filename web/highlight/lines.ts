// Splits and marks highlighted HTML, which consists of `<span class="…">`, `</span>` and escaped
// text only.

/** Splits at line ends. A span over several lines is closed and opened again on each line. */
export const splitLines = (html: string): string[] => {
  const lines: string[] = []
  const open: string[] = []
  let line = ''
  const token = /<\/span>|<span[^>]*>|\n|[^<\n]+/g
  for (const [part] of html.matchAll(token)) {
    if (part === '\n') {
      lines.push(line + '</span>'.repeat(open.length))
      line = open.join('')
    } else {
      if (part === '</span>') open.pop()
      else if (part.startsWith('<span')) open.push(part)
      line += part
    }
  }
  const rest = line + '</span>'.repeat(open.length)
  if (lines.length === 0 || rest.replace(/<[^<>]*>/g, '') !== '') lines.push(rest)
  return lines
}

/**
 * Marks ranges of one line with `<mark>`. Ranges are pairs of character offsets in the text of the
 * line (start, end), in order and disjoint. A mark never crosses a span.
 */
export const markRanges = (
  html: string,
  ranges: readonly (readonly [number, number])[],
): string => {
  if (ranges.length === 0) return html
  let result = ''
  let at = 0
  let next = 0
  let marking = false
  const stop = (): void => {
    if (marking) result += '</mark>'
    marking = false
  }
  for (const [part] of html.matchAll(/<[^<>]*>|&[a-z0-9#]{1,8};|[^<&]/gisu)) {
    if (part.startsWith('<')) {
      stop()
      result += part
      continue
    }
    while (next < ranges.length && at >= (ranges[next]?.[1] ?? 0)) next++
    const range = ranges[next]
    const inside = range !== undefined && at >= range[0] && at < range[1]
    if (inside !== marking) {
      if (inside) result += '<mark>'
      else result += '</mark>'
      marking = inside
    }
    result += part
    at += part.startsWith('&') && part.length > 1 ? 1 : part.length
  }
  stop()
  return result
}
