/** Extracts the suggested lines from a comment. */

const FENCE = /^ {0,3}(```+|~~~+)/

/**
 * The text of the first fenced block with the info string `suggestion` (fences of CommonMark 0.31,
 * section 4.5); null when there is none. An unclosed block ends with the text.
 */
export function suggestedText(body: string): string | null {
  return suggestedLines(body)?.join('\n') ?? null
}

/**
 * The same as lines. An empty list removes the commented lines; one empty text makes an empty line.
 */
export const suggestedLines = (body: string): string[] | null =>
  splitSuggestion(body)?.lines ?? null

/** The suggested lines with the text before and after their block. */
export function splitSuggestion(
  body: string,
): { before: string; lines: string[]; after: string } | null {
  const lines = body.split(/\r?\n/)
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    const [start = '', fence = ''] = FENCE.exec(line) ?? []
    const after = line.slice(start.length)
    if (fence === '' || after.includes('`')) continue
    const [info = ''] = after.trimStart().split(/\s/, 1)
    const close = new RegExp(`^ {0,3}${fence[0] === '~' ? '~' : '`'}{${fence.length},}[ \\t]*$`)
    const end = lines.findIndex((line, index) => index > at && close.test(line))
    if (info === 'suggestion')
      return {
        before: lines.slice(0, at).join('\n'),
        lines: lines.slice(at + 1, end < 0 ? lines.length : end),
        after: end < 0 ? '' : lines.slice(end + 1).join('\n'),
      }
    if (end < 0) return null
    at = end
  }
  return null
}
