// Source text to coloured HTML, on the server. The highlighter escapes the text itself; what leaves
// here are spans with class names and escaped text, one string for each line, so that a page can
// put lines into rows and cut them where it likes.
import { createCache } from '#lib/cache.ts'
import { hljs, type Grammar } from './highlight/languages.ts'
import { grammarOfPath, grammarOfWord } from './highlight/names.ts'
import { splitLines } from './highlight/lines.ts'
import { HighlightThread } from './highlight/thread.ts'

export { languageCount } from './highlight/languages.ts'
export { markRanges } from './highlight/lines.ts'
export { grammarOfPath, grammarOfWord, type Grammar }

/**
 * Beyond any of these a text is shown plain where it is wanted at once: highlighting would hold up
 * everybody else.
 */
export const limits = { bytes: 512 * 1024, lines: 5_000, lineLength: 5_000 } as const

/** The same for a file, which a thread of its own colours. */
const fileLimits = { bytes: 1024 * 1024, lines: 20_000, lineLength: 5_000 } as const

type Limits = { readonly [name in keyof typeof limits]: number }

const exceedsLimits = (text: string, limits: Limits): boolean => {
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

/** Text without colours, line by line. The newline at the very end starts no line of its own. */
const escapeLines = (text: string): string[] => {
  const lines = Bun.escapeHTML(text).split('\n')
  if (lines.length > 1 && lines.at(-1) === '') lines.pop()
  return lines
}

/**
 * Coloured lines of a text; plain where the grammar is not known or the text is too large. Every
 * line's spans are closed.
 */
export const highlightLines = (text: string, grammar: Grammar | null): string[] => {
  const clean = normalizeLineEnds(text)
  return grammar === null || grammar === 'plaintext' || exceedsLimits(clean, limits)
    ? escapeLines(clean)
    : highlightNow(clean, grammar)
}

const normalizeLineEnds = (text: string): string => text.replace(/\r\n?/g, '\n')

/**
 * Coloured lines without regard to size; lines end in LF. For the thread that does nothing else.
 */
export const highlightNow = (text: string, grammar: Grammar): string[] =>
  splitLines(hljs.highlight(text, { language: grammar, ignoreIllegals: true }).value)

const cache = createCache<string[]>({
  maxSize: 32 * 1024 * 1024,
  sizeOf: (lines) => lines.reduce((sum, line) => sum + line.length * 2 + 16, 64),
})

/**
 * Up to so many characters are coloured at once: it takes about as long as asking another thread
 * would.
 */
const SMALL = 4 * 1024

/** A page waits so long for the colours of a text of this size; what takes longer comes later. */
const PATIENCE_MS = 8
const QUICK = 24 * 1024

const thread = new HighlightThread()
const underWay = new Map<string, Promise<string[]>>()

/**
 * A file's lines for a page, and whether they are as they will be: `late` when the colours are
 * still being made.
 */
export type FileLines = { readonly lines: readonly string[]; readonly late: boolean }

/**
 * Coloured lines of a file of any size, kept by the blob's id. A larger one is coloured by a thread
 * of its own; where that takes too long the lines come plain.
 */
export async function highlightFile(
  blob: { oid: string; path: string; text: string },
  patience = blob.text.length <= QUICK ? PATIENCE_MS : 0,
): Promise<FileLines> {
  const grammar = grammarOfPath(blob.path, blob.text.slice(0, 200).split('\n', 1)[0])
  const key = `${blob.oid}:${grammar ?? ''}`
  const known = cache.get(key)
  if (known) return { lines: known, late: false }
  if (grammar === null || grammar === 'plaintext' || blob.text.length <= SMALL)
    return { lines: highlightBlob(blob), late: false }
  const text = normalizeLineEnds(blob.text)
  if (exceedsLimits(text, fileLimits)) return { lines: escapeLines(text), late: false }
  let made = underWay.get(key)
  if (!made) {
    made = thread.ask(text, grammar).then((lines) => {
      underWay.delete(key)
      if (lines) cache.set(key, lines)
      return lines ?? escapeLines(text)
    })
    underWay.set(key, made)
  }
  if (patience === 0) return { lines: escapeLines(text), late: true }
  let timer: ReturnType<typeof setTimeout> | undefined
  const enough = new Promise<null>(
    (resolve) => void (timer = setTimeout(() => resolve(null), patience)),
  )
  const lines = await Promise.race([made, enough])
  clearTimeout(timer)
  return lines ? { lines, late: false } : { lines: escapeLines(text), late: true }
}

/**
 * Coloured lines of a file. Kept by the blob's id, so that the same content is coloured once,
 * whatever it is called.
 */
export const highlightBlob = (blob: { oid: string; path: string; text: string }): string[] => {
  const end = blob.text.indexOf('\n')
  const grammar = grammarOfPath(blob.path, end === -1 ? blob.text : blob.text.slice(0, end))
  const key = `${blob.oid}:${grammar ?? ''}`
  const known = cache.get(key)
  if (known) return known
  const lines = highlightLines(blob.text, grammar)
  cache.set(key, lines)
  return lines
}
