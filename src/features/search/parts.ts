/**
 * Texts with what was found in them: an array of pieces, some of them a match; joined they are the
 * text that is shown.
 */

export type HighlightPart = { readonly text: string; readonly match: boolean }
/** Where a match begins, and where what follows it begins. */
export type Span = readonly [number, number]

/** Spans in order, those that touch made one. */
export function joined(spans: readonly Span[]): Span[] {
  const sorted = spans
    .filter(([from, to]) => to > from)
    .toSorted((a, b) => a[0] - b[0] || a[1] - b[1])
  const out: [number, number][] = []
  for (const [from, to] of sorted) {
    const last = out.at(-1)
    if (last && from <= last[1]) last[1] = Math.max(last[1], to)
    else out.push([from, to])
  }
  return out
}

/** The pieces of a text, which may be empty. */
export function partsOf(text: string, spans: readonly Span[]): HighlightPart[] {
  const parts: HighlightPart[] = []
  let at = 0
  for (const [from, to] of joined(spans)) {
    const end = Math.min(to, text.length)
    if (from > at) parts.push({ text: text.slice(at, from), match: false })
    if (end > Math.max(at, from))
      parts.push({ text: text.slice(Math.max(at, from), end), match: true })
    at = Math.max(at, end)
  }
  if (at < text.length) parts.push({ text: text.slice(at), match: false })
  return parts
}

const isHalf = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xfc00) === 0xdc00

/**
 * A window of a longer text around its first match, cut between characters, with an ellipsis where
 * it was cut.
 */
export function excerptOf(
  text: string,
  spans: readonly Span[],
  most: number,
  before = Math.floor(most / 4),
): HighlightPart[] {
  if (text.length <= most) return partsOf(text, spans)
  const first = joined(spans)[0]?.[0] ?? 0
  let from = Math.max(0, Math.min(first - before, text.length - most))
  if (from > 0) {
    // From the beginning of a word, where one is near.
    const space = text.slice(from, Math.min(first, from + 20)).search(/\s/)
    if (space >= 0) from += space + 1
    else if (isHalf(text, from)) from++
  }
  let to = Math.min(text.length, from + most)
  if (isHalf(text, to)) to--
  const parts = partsOf(
    text.slice(from, to),
    spans
      .map(([a, b]): Span => [Math.max(0, a - from), Math.min(to, b) - from])
      .filter(([a, b]) => b > a),
  )
  return [
    ...(from > 0 ? [{ text: '…', match: false }] : []),
    ...parts,
    ...(to < text.length ? [{ text: '…', match: false }] : []),
  ]
}

/**
 * The same words in one case and without marks above and below letters, as the index of words has
 * them.
 */
export const folded = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()

/** One word, or several in a row; the last may go on, when `open`. */
export type Words = { readonly words: readonly string[]; readonly open: boolean }

const WORD = /[\p{L}\p{N}\p{M}\p{Co}]+/gu

/** The words of a text as the index cuts it (FTS5, unicode61). */
export const wordsOf = (text: string): string[] =>
  (text.match(WORD) ?? []).map(folded).filter((word) => word !== '')

/** Very short words would go on to nearly everything. */
const mayGoOn = (word: string): boolean => word.length > 2 || /[^\x20-\x7e]/.test(word)

export function wordsFor(text: string, phrase: boolean): Words | null {
  const words = wordsOf(text)
  return words.length === 0 ? null : { words, open: !phrase && mayGoOn(words.at(-1) ?? '') }
}

/** Where words are in a text. */
export function wordSpans(text: string, wanted: readonly Words[]): Span[] {
  const found: Span[] = []
  if (wanted.length === 0) return found
  const tokens = [...text.matchAll(WORD)].map((match) => ({
    word: folded(match[0]),
    from: match.index,
    to: match.index + match[0].length,
  }))
  for (const { words, open } of wanted) {
    for (let at = 0; at + words.length <= tokens.length; at++) {
      const fits = words.every((word, index) => {
        const there = tokens[at + index]?.word ?? ''
        return open && index === words.length - 1 ? there.startsWith(word) : there === word
      })
      const [first, last] = [tokens[at], tokens[at + words.length - 1]]
      if (fits && first && last) found.push([first.from, last.to])
    }
  }
  return found
}

/** Where pieces are in a text, in any case. */
export function pieceSpans(text: string, pieces: readonly string[], most = 100): Span[] {
  const found: Span[] = []
  for (const piece of pieces) {
    for (const match of text.matchAll(pieceExpression(piece, false))) {
      if (found.length >= most) return found
      found.push([match.index, match.index + match[0].length])
    }
  }
  return found
}

/**
 * A piece of text as an expression that finds all its places; a plain text costs as much to find as
 * it is long.
 */
export const pieceExpression = (piece: string, exact: boolean): RegExp =>
  new RegExp(RegExp.escape(piece), `g${exact ? '' : 'i'}${/[^\0-\x7f]/.test(piece) ? 'u' : ''}`)
