/**
 * Patterns of filters, as GitHub writes them: `*` (not over slashes), `**`, `?` and `+` for the
 * character before, `[a-z]`, `\` before a special character, and `!` at the start for exceptions.
 * Matching follows all places of the pattern at once, so it takes linear time.
 */

type Token = {
  /** Which character it takes; null for any. */
  readonly takes: ((character: string) => boolean) | null
  /** How many tokens are left out when this one takes nothing; 0 when it has to take something. */
  readonly skips: number
  readonly repeats: boolean
  /** Takes nothing: stands before tokens that are left out together. */
  readonly isFork: boolean
}

const isNotSlash = (character: string): boolean => character !== '/'

const token = (takes: Token['takes'], quantifier = ''): Token => ({
  takes,
  skips: quantifier === '*' || quantifier === '?' ? 1 : 0,
  repeats: quantifier === '*',
  isFork: false,
})

/** Any folders before a name, or none: all three are left out together. */
const FOLDERS: readonly Token[] = [
  { takes: null, skips: 3, repeats: false, isFork: true },
  token(null, '*'),
  token((character) => character === '/'),
]

function readTokens(pattern: string, at: number): { tokens: readonly Token[]; length: number } {
  if (pattern.startsWith('**/', at)) return { tokens: FOLDERS, length: 3 }
  if (pattern.startsWith('**', at)) return { tokens: [token(null, '*')], length: 2 }
  if (pattern[at] === '*') return { tokens: [token(isNotSlash, '*')], length: 1 }
  const { takes, length } = readCharacter(pattern, at)
  const quantifier = pattern[at + length]
  if (quantifier === '?') return { tokens: [token(takes, '?')], length: length + 1 }
  if (quantifier === '+') return { tokens: [token(takes), token(takes, '*')], length: length + 1 }
  return { tokens: [token(takes)], length }
}

function readCharacter(pattern: string, at: number): { takes: Token['takes']; length: number } {
  const close = pattern[at] === '[' ? pattern.indexOf(']', at + 1) : -1
  if (close > at + 1) return { takes: setOf(pattern.slice(at + 1, close)), length: close - at + 1 }
  const isEscaped = pattern[at] === '\\' && at + 1 < pattern.length
  const wanted = pattern[isEscaped ? at + 1 : at]
  return { takes: (character) => character === wanted, length: isEscaped ? 2 : 1 }
}

/** `a-z0-9_`: the characters between brackets. */
function setOf(text: string): (character: string) => boolean {
  const ranges: [string, string][] = []
  for (let at = 0; at < text.length; at++) {
    const from = text[at] ?? ''
    const to = text[at + 1] === '-' ? text[at + 2] : undefined
    ranges.push([from, to ?? from])
    if (to !== undefined) at += 2
  }
  return (character) => ranges.some(([from, to]) => character >= from && character <= to)
}

function tokensOf(pattern: string): Token[] {
  const tokens: Token[] = []
  for (let at = 0; at < pattern.length; ) {
    const read = readTokens(pattern, at)
    tokens.push(...read.tokens)
    at += read.length
  }
  return tokens
}

/** A pattern that is used for many names. */
export function compilePattern(pattern: string): (name: string) => boolean {
  const tokens = tokensOf(pattern.slice(0, MAX_PATTERN))
  return (name) => matchTokens(tokens, name.slice(0, MAX_NAME))
}

const MAX_PATTERN = 1_000
const MAX_NAME = 5_000

function matchTokens(tokens: readonly Token[], name: string): boolean {
  let places = withSkips(tokens, [0])
  for (const character of name) {
    const next = new Set<number>()
    for (const place of places) {
      const here = tokens[place]
      if (!here || here.isFork || (here.takes && !here.takes(character))) continue
      next.add(here.repeats ? place : place + 1)
    }
    if (next.size === 0) return false
    places = withSkips(tokens, next)
  }
  return places.has(tokens.length)
}

/** The places, and those behind tokens that may take nothing or may have taken enough. */
function withSkips(tokens: readonly Token[], places: Iterable<number>): Set<number> {
  const all = new Set(places)
  for (const place of all) {
    const here = tokens[place]
    if (!here) continue
    if (here.isFork) all.add(place + 1)
    if (here.skips > 0) all.add(place + here.skips)
  }
  return all
}

/** Whether a list of patterns takes a name; a later pattern wins over earlier ones. */
export function compilePatterns(patterns: readonly string[]): (name: string) => boolean {
  const rules = patterns.map((pattern) => {
    const isException = pattern.startsWith('!')
    return { isException, matches: compilePattern(isException ? pattern.slice(1) : pattern) }
  })
  return (name) => {
    let isTaken = false
    for (const { isException, matches } of rules)
      if (isTaken === isException && matches(name)) isTaken = !isException
    return isTaken
  }
}
