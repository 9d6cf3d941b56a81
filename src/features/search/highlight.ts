/**
 * Highlights: a text as an array of parts, some of them marked as a match. Joined they are the
 * displayed text.
 */

export type HighlightPart = { readonly text: string; readonly match: boolean }
/** Start and end of a match. */
export type Span = readonly [number, number]

/** Sorts spans and merges those that touch. */
export function mergeSpans(spans: readonly Span[]): Span[] {
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

/** Splits a text into highlighted parts. */
export function highlightParts(text: string, spans: readonly Span[]): HighlightPart[] {
  const parts: HighlightPart[] = []
  let at = 0
  for (const [from, to] of mergeSpans(spans)) {
    const end = Math.min(to, text.length)
    if (from > at) parts.push({ text: text.slice(at, from), match: false })
    if (end > Math.max(at, from))
      parts.push({ text: text.slice(Math.max(at, from), end), match: true })
    at = Math.max(at, end)
  }
  if (at < text.length) parts.push({ text: text.slice(at), match: false })
  return parts
}

const isLowSurrogate = (text: string, at: number): boolean =>
  (text.charCodeAt(at) & 0xfc00) === 0xdc00

/**
 * Returns a window of a long text around its first match, with an ellipsis where it was cut.
 * Surrogate pairs stay whole.
 */
export function highlightExcerpt(
  text: string,
  spans: readonly Span[],
  most: number,
  before = Math.floor(most / 4),
): HighlightPart[] {
  if (text.length <= most) return highlightParts(text, spans)
  const first = mergeSpans(spans)[0]?.[0] ?? 0
  let from = Math.max(0, Math.min(first - before, text.length - most))
  if (from > 0) {
    // Starts at a word boundary when one is near.
    const space = text.slice(from, Math.min(first, from + 20)).search(/\s/)
    if (space >= 0) from += space + 1
    else if (isLowSurrogate(text, from)) from++
  }
  let to = Math.min(text.length, from + most)
  if (isLowSurrogate(text, to)) to--
  const parts = highlightParts(
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

const ASCII = /^[\0-\x7f]*$/

/** Folds case and removes diacritics, as the word index does. */
export const foldText = (text: string): string =>
  ASCII.test(text)
    ? text.toLowerCase()
    : text
        .normalize('NFD')
        .replace(/\p{M}+/gu, '')
        .toLowerCase()

/** More matches in one text are not marked. */
const MAX_SPANS = 100

/** One word, or several consecutive ones. With `isPrefix` the last one matches as a prefix. */
export type WordSequence = { readonly words: readonly string[]; readonly isPrefix: boolean }

const WORD = /[\p{L}\p{N}\p{M}\p{Co}]+/gu

/** Splits a text into words like FTS5's unicode61 tokenizer. */
export const splitWords = (text: string): string[] =>
  (text.match(WORD) ?? []).map(foldText).filter((word) => word !== '')

/** Very short prefixes would match nearly everything. */
const canBePrefix = (word: string): boolean => word.length > 2 || /[^\x20-\x7e]/.test(word)

export function parseWords(text: string, phrase: boolean): WordSequence | null {
  const words = splitWords(text)
  return words.length === 0 ? null : { words, isPrefix: !phrase && canBePrefix(words.at(-1) ?? '') }
}

type Token = { readonly word: string; readonly from: number; readonly to: number }

/** Whether the words before `end` are a sequence. */
function endsWithSequence(
  tokens: readonly Token[],
  end: number,
  { words, isPrefix }: WordSequence,
): boolean {
  const start = end - words.length
  if (start < 0) return false
  // The last word is compared first: it is the one that was found.
  for (let index = words.length - 1; index >= 0; index--) {
    const there = tokens[start + index]?.word ?? ''
    const word = words[index] ?? ''
    const fits = isPrefix && index === words.length - 1 ? there.startsWith(word) : there === word
    if (!fits) return false
  }
  return true
}

/** Finds at most `most` word sequences in a text. */
export function findWordSpans(
  text: string,
  wanted: readonly WordSequence[],
  most = MAX_SPANS,
): Span[] {
  const found: Span[] = []
  // By the first letter of their last word, so that few of many sequences are compared.
  const byLetter = Map.groupBy(wanted, ({ words }) => words.at(-1)?.[0] ?? '')
  if (byLetter.size === 0) return found
  const tokens: Token[] = []
  for (const match of text.matchAll(WORD)) {
    const word = foldText(match[0])
    const to = match.index + match[0].length
    tokens.push({ word, from: match.index, to })
    for (const sequence of byLetter.get(word[0] ?? '') ?? []) {
      if (!endsWithSequence(tokens, tokens.length, sequence)) continue
      const from = tokens[tokens.length - sequence.words.length]?.from ?? match.index
      if (found.push([from, to]) >= most) return found
    }
  }
  return found
}

/** Finds substrings in a text, ignoring case. */
export function findPieceSpans(text: string, pieces: readonly string[], most = MAX_SPANS): Span[] {
  const found: Span[] = []
  for (const piece of pieces) {
    for (const match of text.matchAll(pieceRegExp(piece, false))) {
      if (found.length >= most) return found
      found.push([match.index, match.index + match[0].length])
    }
  }
  return found
}

/** Returns an expression that finds a literal text. It takes linear time. */
export const pieceRegExp = (piece: string, exact: boolean): RegExp =>
  new RegExp(RegExp.escape(piece), `g${exact ? '' : 'i'}${/[^\0-\x7f]/.test(piece) ? 'u' : ''}`)
