// What the beginning of a text may have of a page's HTML. Pages of lists and conversations are divided
// into parts by it before the texts are rendered.
import { colourBytes } from '../components/plain-line.ts'

/** What a conversation or list shows of a text. */
export const MAX_EXCERPT_BYTES = 20_000

/** The markup that one sign of Markdown becomes at most. Signs that mean nothing are few. */
const MARKUP: readonly (readonly [RegExp, number])[] = [
  // References, mentions, commits and addresses become links.
  [/#\d|@\w|\b[0-9a-f]{7,40}\b|https?:/g, 150],
  [/\]/g, 200],
  [/\n/g, 14],
  [/[`*_~|]/g, 12],
  [/<\w/g, 24],
  [/\$/g, 400],
]
const BASE_BYTES = 300

/** Estimates the HTML of a Markdown text, or of its beginning. It is rather too large than too small. */
function estimateHtml(text: string, maxBytes: number): number {
  const beginning = text.slice(0, maxBytes).toWellFormed()
  let bytes = BASE_BYTES + Buffer.byteLength(Bun.escapeHTML(beginning))
  for (const [pattern, cost] of MARKUP) {
    bytes += cost * (beginning.match(pattern)?.length ?? 0)
    if (bytes > maxBytes) return maxBytes
  }
  return beginning.includes('```') ? bytes + colourBytes(beginning) : bytes
}

/** A shorter text is never cut because its HTML was estimated too small. */
const MIN_CUT_BYTES = 4_000

/** The HTML after which a page cuts a text: twice what was estimated, because a cut disturbs the reader. */
export const cutBytes = (text: string, maxBytes = MAX_EXCERPT_BYTES): number =>
  Math.min(maxBytes, Math.max(MIN_CUT_BYTES, 2 * estimateHtml(text, maxBytes)))

/** What a page has of a text, as estimated, at most so many bytes. */
export const excerptBytes = (text: string, maxBytes = MAX_EXCERPT_BYTES): number =>
  Math.min(maxBytes, estimateHtml(text, maxBytes))
