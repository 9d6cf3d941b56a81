// Source text to coloured HTML, on the server. The highlighter escapes the text itself; what leaves here are spans with class
// names and escaped text, one string for each line, so that a page can put lines into rows and cut them where it likes.
import { createCache } from '#lib/cache.ts'
import { hljs, type Grammar } from './highlight/languages.ts'
import { grammarOfPath, grammarOfWord } from './highlight/names.ts'
import { splitLines } from './highlight/lines.ts'

export { languageCount } from './highlight/languages.ts'
export { markRanges } from './highlight/lines.ts'
export { grammarOfPath, grammarOfWord, type Grammar }

/** Beyond any of these a file is shown plain: highlighting would hold up everybody else. */
export const limits = { bytes: 512 * 1024, lines: 5_000, lineLength: 5_000 } as const

const tooMuch = (text: string): boolean => {
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
const plainLines = (text: string): string[] => {
  const lines = Bun.escapeHTML(text).split('\n')
  if (lines.length > 1 && lines.at(-1) === '') lines.pop()
  return lines
}

/** Coloured lines of a text; plain where the grammar is not known or the text is too large. Every line's spans are closed. */
export const highlightLines = (text: string, grammar: Grammar | null): string[] => {
  const clean = text.replace(/\r\n?/g, '\n')
  if (grammar === null || grammar === 'plaintext' || tooMuch(clean)) return plainLines(clean)
  return splitLines(hljs.highlight(clean, { language: grammar, ignoreIllegals: true }).value)
}

const cache = createCache<string[]>({ maxSize: 32 * 1024 * 1024, sizeOf: (lines) => lines.reduce((sum, line) => sum + line.length * 2 + 16, 64) })

/** Coloured lines of a file. Kept by the blob's id, so that the same content is coloured once, whatever it is called. */
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
