// Source text as highlighted HTML, made on the server: elements with short class names around escaped text,
// one string per line, so that a page can put the lines into rows. highlight/highlighter.ts adds a
// cache and a thread for files.
import { highlighter, type Grammar } from './highlight/languages.ts'
import { grammarOfPath, grammarOfWord } from './highlight/names.ts'
import { compactLine } from './highlight/compact.ts'
import { splitLines } from './highlight/lines.ts'

export { languageCount } from './highlight/languages.ts'
export { markRanges } from './highlight/lines.ts'
export { grammarOfPath, grammarOfWord, type Grammar }

/** Larger texts are shown plain, because highlighting them would block the main thread. */
export const limits = { bytes: 512 * 1024, lines: 5_000, lineLength: 5_000 } as const

type Limits = { readonly [name in keyof typeof limits]: number }

export const exceedsLimits = (text: string, limits: Limits): boolean => {
  if (text.length > limits.bytes) return true
  let lines = 0
  let start = 0
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
    if (end - start > limits.lineLength || ++lines > limits.lines) return true
    start = end + 1
  }
  if (start < text.length && lines >= limits.lines) return true
  return text.length - start > limits.lineLength || Buffer.byteLength(text) > limits.bytes
}

/** Text without highlighting, line by line. A line end at the very end starts no further line. */
export const escapeLines = (text: string): string[] => textLines(Bun.escapeHTML(text))

/** The lines of a text whose lines end in LF. */
export const textLines = (text: string): string[] => {
  const lines = text.split('\n')
  if (lines.length > 1 && lines.at(-1) === '') lines.pop()
  return lines
}

/**
 * The highlighted lines of a text, or plain ones when the grammar is unknown or the text is larger
 * than `limits`. Every line closes its spans.
 */
export const highlightLines = (text: string, grammar: Grammar | null): string[] => {
  const clean = normalizeLineEnds(text)
  return grammar === null || grammar === 'plaintext' || exceedsLimits(clean, limits)
    ? escapeLines(clean)
    : highlightNow(clean, grammar)
}

export const normalizeLineEnds = (text: string): string => text.replace(/\r\n?/g, '\n')

/** The highlighted lines of a text of any size, whose lines end in LF. */
export const highlightNow = (text: string, grammar: Grammar): string[] =>
  splitLines(highlighter().highlight(text, { language: grammar, ignoreIllegals: true }).value).map(
    compactLine,
  )
