/** Reads where names are defined in a file. */
import { rulesFor, type SymbolKind } from './symbol-table.ts'

export type CodeSymbol = { readonly name: string; readonly kind: SymbolKind; readonly line: number }

/** Longer lines are data, not definitions. */
const LONGEST_LINE = 500
const MOST_SYMBOLS = 2_000
const LONGEST_NAME = 120
/** What follows is data, or too much of a good thing. */
const MOST_LINES = 30_000

/** Words that some expressions would take for a name. */
const NO_NAMES = new Set([
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

/** The names that a file defines, in the order of its lines; each line gives at most one. */
export function symbolsOf(text: string, language: string | null): CodeSymbol[] {
  const rules = rulesFor(language)
  const found: CodeSymbol[] = []
  if (rules.length === 0) return found
  let from = 0
  for (
    let line = 1;
    from < text.length && line <= MOST_LINES && found.length < MOST_SYMBOLS;
    line++
  ) {
    const end = text.indexOf('\n', from)
    const until = end < 0 ? text.length : end
    if (until > from && until - from <= LONGEST_LINE) {
      const content = text.slice(from, text.charCodeAt(until - 1) === 13 ? until - 1 : until)
      for (const { kind, pattern } of rules) {
        const name = pattern.exec(content)?.[1]?.trim()
        if (name === undefined || name === '' || NO_NAMES.has(name)) continue
        found.push({ name: name.slice(0, LONGEST_NAME), kind, line })
        break
      }
    }
    from = until + 1
  }
  return found
}
