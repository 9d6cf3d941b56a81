/**
 * Colours of terminal output (ECMA-48, SGR) as classes. Other escape sequences are left out, and
 * nothing of the text becomes markup.
 */

export type Span = { readonly text: string; readonly classes: readonly string[] }

const MAX_SPANS = 200
const COLOURS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const
const ESCAPE = '\u001b'

/** The pieces of a line with their classes. A line has a bounded number of them. */
export function ansiSpans(line: string): Span[] {
  if (!line.includes(ESCAPE)) return [{ text: line, classes: [] }]
  const spans: Span[] = []
  let style: Style = { colour: null, isBold: false }
  let at = 0
  while (at < line.length && spans.length < MAX_SPANS) {
    const next = line.indexOf(ESCAPE, at)
    const end = next < 0 ? line.length : next
    if (end > at) spans.push({ text: line.slice(at, end), classes: classesOf(style) })
    if (next < 0) return spans
    const sequence = readSequence(line, next)
    if (sequence.codes !== null) style = applyCodes(style, sequence.codes)
    at = sequence.end
  }
  return spans
}

type Style = { readonly colour: string | null; readonly isBold: boolean }

const classesOf = ({ colour, isBold }: Style): string[] => [
  ...(colour === null ? [] : [`ansi-${colour}`]),
  ...(isBold ? ['ansi-bold'] : []),
]

/** The sequence at an escape character. `codes` is null unless it sets the style. */
function readSequence(line: string, start: number): { end: number; codes: number[] | null } {
  if (line[start + 1] !== '[') return { end: start + 2, codes: null }
  let end = start + 2
  // Parameters are digits, semicolons and the like; a letter ends the sequence.
  while (end < line.length && line.charCodeAt(end) < 0x40) end++
  const codes =
    line[end] === 'm'
      ? line
          .slice(start + 2, end)
          .split(';')
          .map((code) => Number(code) || 0)
      : null
  return { end: end + 1, codes }
}

function applyCodes(style: Style, codes: readonly number[]): Style {
  let next = style
  for (let index = 0; index < codes.length; index++) {
    const code = codes[index] ?? 0
    if (code === 0) next = { colour: null, isBold: false }
    else if (code === 1) next = { ...next, isBold: true }
    else if (code === 22) next = { ...next, isBold: false }
    else if (code === 39) next = { ...next, colour: null }
    else if (code >= 30 && code <= 37) next = { ...next, colour: COLOURS[code - 30] ?? null }
    else if (code >= 90 && code <= 97) next = { ...next, colour: COLOURS[code - 90] ?? null }
    // 38;5;n and 38;2;r;g;b choose from more colours than the page has.
    else if (code === 38 || code === 48) index += codes[index + 1] === 5 ? 2 : 4
  }
  return next
}
