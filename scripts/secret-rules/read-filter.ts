/**
 * Reads the filters of the scanner's rules: terms joined by `||`, each of which drops a finding.
 * An expression of another form is an error, so that no filter is lost silently.
 */
import type { SecretFilter } from '#lib/secrets/secret-rules.ts'
import { translateGoPattern } from './go-pattern.ts'

const FIELDS: Readonly<Record<string, 'secret' | 'match' | 'path'>> = {
  'finding["secret"]': 'secret',
  'finding["match"]': 'match',
  '(attributes["path"] ?? "")': 'path',
  'get(attributes, "path", "")': 'path',
}

/** The strings of a list, in back quotes or double quotes. */
function readStrings(text: string): string[] {
  const strings: string[] = []
  const item = /\s*(?:`([^`]*)`|("(?:[^"\\]|\\.)*"))\s*,?/y
  while (item.lastIndex < text.length) {
    const start = item.lastIndex
    const found = item.exec(text)
    if (!found) throw new Error(`not a list of strings: ${text.slice(start, start + 40)}`)
    strings.push(found[1] ?? (JSON.parse(found[2] ?? '""') as string))
  }
  return strings
}

function readTerm(text: string): SecretFilter {
  const entropy = /^(?:filter\.)?entropy\(finding\["secret"\]\) (<=?) ([\d.]+)$/.exec(text)
  if (entropy) return { entropy: Number(entropy[2]), orEqual: entropy[1] === '<=' }
  const call = /^(!?)(?:filter\.)?(matchesAny|containsAny)\((.+?\]|.+?\)), \[([^]*)\]\)$/.exec(text)
  const on = FIELDS[call?.[3] ?? '']
  if (!call || on === undefined) throw new Error(`unknown filter ${text.slice(0, 120)}`)
  const strings = readStrings((call[4] ?? '').trim())
  if (call[2] === 'containsAny') return { on, contains: strings }
  const matches = strings.map((pattern) => translateGoPattern(pattern).source)
  return call[1] === '!' ? { on, matches, not: true } : { on, matches }
}

/** Splits at `||` outside of strings and brackets. */
function splitTerms(text: string): string[] {
  const terms: string[] = []
  let depth = 0
  let quote = ''
  let start = 0
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? ''
    if (quote !== '') {
      if (character === '\\' && quote === '"') at++
      else if (character === quote) quote = ''
    } else if (character === '"' || character === '`') quote = character
    else if ('([{'.includes(character)) depth++
    else if (')]}'.includes(character)) depth--
    else if (depth === 0 && text.startsWith('||', at)) {
      terms.push(text.slice(start, at))
      start = at + 2
      at++
    }
  }
  return [...terms, text.slice(start)].map((term) => term.trim())
}

export function readFilter(text: string): SecretFilter[] {
  const trimmed = text.trim()
  if (trimmed === '') return []
  return splitTerms(trimmed).flatMap((term) => {
    const inner = /^\(([^]*)\)$/.exec(term)?.[1]
    return inner === undefined ? [readTerm(term)] : readFilter(inner)
  })
}
