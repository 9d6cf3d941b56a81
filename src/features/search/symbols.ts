/** Finds the symbols that a file defines. */
import { rulesFor, type SymbolKind } from './symbol-table.ts'

export type CodeSymbol = { readonly name: string; readonly kind: SymbolKind; readonly line: number }

/** Longer lines are data, not definitions. */
const MAX_LINE_LENGTH = 500
const MAX_SYMBOLS = 2_000
const MAX_NAME_LENGTH = 120
/** Later lines are not searched. */
const MAX_LINES = 30_000

/** Words that some expressions would match as a name. */
const RESERVED_WORDS = new Set([
  'if',
  'for',
  'while',
  'switch',
  'return',
  'catch',
  'else',
  'sizeof',
  'function',
  'defined',
  'do',
  'with',
  'constructor',
])

/** Returns the symbols of a file in line order, at most one per line. */
export function findSymbols(text: string, language: string | null): CodeSymbol[] {
  const rules = rulesFor(language)
  const found: CodeSymbol[] = []
  if (rules.length === 0) return found
  let from = 0
  for (
    let line = 1;
    from < text.length && line <= MAX_LINES && found.length < MAX_SYMBOLS;
    line++
  ) {
    const end = text.indexOf('\n', from)
    const until = end < 0 ? text.length : end
    if (until > from && until - from <= MAX_LINE_LENGTH) {
      const content = text.slice(from, text.charCodeAt(until - 1) === 13 ? until - 1 : until)
      for (const { kind, pattern } of rules) {
        const name = pattern.exec(content)?.[1]?.trim()
        if (name === undefined || name === '' || RESERVED_WORDS.has(name)) continue
        found.push({ name: name.slice(0, MAX_NAME_LENGTH), kind, line })
        break
      }
    }
    from = until + 1
  }
  return found
}
