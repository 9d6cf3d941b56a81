// Lines of source without colours, and what lines need on a page. Long lines are cut.
import { tn } from '../text.ts'
import { markBidiControls } from './bidi-controls.tsx'

/** The rest of a longer line is left out. */
const MAX_LINE_BYTES = 16_000

/** What the colours of one word or string cost on average, and those of a number at most. */
const WORD_COLOUR_BYTES = 9
const NUMBER_COLOUR_BYTES = 17
const DIGIT_0 = 48
const DIGIT_9 = 57

/** Estimates from its text how much markup the colours of a line need. */
export function colourBytes(text: string): number {
  let bytes = 0
  for (const [word] of text.matchAll(/"[^"]*"|'[^']*'|[\w$]+/g)) {
    const first = word.charCodeAt(0)
    bytes += first >= DIGIT_0 && first <= DIGIT_9 ? NUMBER_COLOUR_BYTES : WORD_COLOUR_BYTES
  }
  return bytes
}

/** A line without colours, and its size on the page. */
export interface PlainLine {
  readonly html: string
  readonly bytes: number
  readonly isCut: boolean
}

export function plainLine(text: string): PlainLine {
  let length = Math.min(text.length, MAX_LINE_BYTES)
  let html = ''
  let bytes = 0
  for (;;) {
    html = Bun.escapeHTML(text.slice(0, length).toWellFormed())
    bytes = Buffer.byteLength(markBidiControls(html))
    if (bytes <= MAX_LINE_BYTES) break
    length = Math.trunc(length / 2)
  }
  if (length === text.length) return { html, bytes, isCut: false }
  const rest = tn('{count} more character', '{count} more characters', text.length - length)
  const note = `<span class="line-rest">${Bun.escapeHTML(rest)}</span>`
  return { html: html + note, bytes: bytes + Buffer.byteLength(note), isCut: true }
}
