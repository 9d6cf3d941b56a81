// Long files come in parts: each has as many lines as fit into a budget of HTML, so that a page stays
// below 100 KB. The parts of a file are always the same, and `?from=` names the one with a line.
import { colourBytes, plainLine, type PlainLine } from '../../components/plain-line.ts'
import { normalizeLineEnds, textLines } from '../../highlight.ts'
import type { FileLines } from '../../highlight/highlighter.ts'

/** The HTML of the lines of one part. The rest of the page has up to 38 KB where names are long. */
export const MAX_PART_BYTES = 60_000

/** The elements around a line, with a number of up to six digits in its id. */
export const LINE_BYTES = 26
/** The same of a blame, which also shows the number. */
export const BLAMED_LINE_BYTES = 56

/** The text of a file as far as it was read, whose first line has the number `first`. */
export interface ReadText {
  readonly text: string
  readonly first: number
}

/** The lines `from` to `to` of a file, as HTML. `end` is the last line that was read. */
export interface FilePart {
  readonly from: number
  readonly to: number
  readonly end: number
  readonly lines: readonly string[]
}

/**
 * The lines of a part in their colours. `room` is how many bytes these may have: if there are more
 * than estimated, the last lines are plain.
 */
function inColours(plain: readonly PlainLine[], coloured: readonly string[], room: number) {
  let left = room
  return plain.map(({ html, isCut }, index) => {
    const line = coloured[index] ?? html
    if (isCut || left < 0) return html
    left -= line.length - html.length
    return left < 0 ? html : line
  })
}

/**
 * The part of a text that has a line, or the one at its end. `markupBytes` is the size of what is
 * around and beside the text of a line; a blame begins each part with the mark of its first line.
 */
export function partOf(
  { text, first }: ReadText,
  source: Pick<FileLines, 'lines' | 'isPlain'>,
  line: number,
  markupBytes: (line: number, isFirst: boolean) => number,
): FilePart {
  const texts = textLines(normalizeLineEnds(text))
  const end = first + texts.length - 1
  const wanted = Math.min(line, end)
  let plain: PlainLine[] = []
  let from = first
  let planned = 0
  let room = MAX_PART_BYTES
  for (const [index, lineText] of texts.entries()) {
    const number = first + index
    const shown = plainLine(lineText)
    const colours = source.isPlain ? 0 : colourBytes(lineText)
    let bytes = shown.bytes + markupBytes(number, plain.length === 0)
    if (plain.length > 0 && planned + bytes + colours > MAX_PART_BYTES) {
      if (number > wanted) break
      plain = []
      from = number
      planned = 0
      room = MAX_PART_BYTES
      bytes = shown.bytes + markupBytes(number, true)
    }
    plain.push(shown)
    planned += bytes + colours
    room -= bytes
  }
  const coloured = source.lines.slice(from - first)
  return { from, to: from + plain.length - 1, end, lines: inColours(plain, coloured, room) }
}
