/**
 * Derives the texts that every match of a regular expression contains, so that the index can
 * exclude most files. It supports a subset of the syntax; unsupported syntax yields no requirement.
 */
import type { RequiredText } from './trigrams.ts'

/** What is known about a part: the one text that it matches, or a requirement. */
type RegexPart = { readonly exact: string } | { readonly need: RequiredText }

const allOf = (needs: readonly RequiredText[]): RequiredText => {
  const known = needs.filter((need) => need !== null)
  return known.length === 0 ? null : known.length === 1 ? (known[0] ?? null) : { all: known }
}
const anyOf = (needs: readonly RequiredText[]): RequiredText =>
  needs.includes(null) ? null : needs.length === 1 ? (needs[0] ?? null) : { any: needs }
const requiredByPart = (part: RegexPart): RequiredText =>
  'exact' in part ? (part.exact === '' ? null : { piece: part.exact }) : part.need

const UNKNOWN: RegexPart = { need: null }
const EMPTY: RegexPart = { exact: '' }
const ESCAPED: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  f: '\f',
  v: '\v',
  a: '\x07',
}
/** Escapes that match a position, not a character. */
const ZERO_WIDTH_ESCAPES = new Set(['b', 'B', 'A', 'z'])

type Repetition = 'once' | 'some' | 'maybe'

class RegexReader {
  private at = 0
  /** Nesting depth; expressions deeper than 50 are not analysed. */
  private depth = 0

  constructor(private readonly source: string) {}

  whole(): RequiredText {
    const part = this.alternatives()
    // Remaining input means that the expression was parsed wrongly.
    return this.at < this.source.length ? null : requiredByPart(part)
  }

  private alternatives(): RegexPart {
    const parts = [this.sequence()]
    while (this.source[this.at] === '|') {
      this.at++
      parts.push(this.sequence())
    }
    const [only] = parts
    return parts.length === 1 && only ? only : { need: anyOf(parts.map(requiredByPart)) }
  }

  private sequence(): RegexPart {
    let run = ''
    let wholly = true
    const needs: RequiredText[] = []
    const close = () => {
      if (run !== '') needs.push({ piece: run })
      run = ''
      wholly = false
    }
    while (
      this.at < this.source.length &&
      this.source[this.at] !== '|' &&
      this.source[this.at] !== ')'
    ) {
      const part = this.atom()
      const times = this.repetition()
      if (times === 'once') {
        if ('exact' in part) run += part.exact
        else {
          close()
          needs.push(part.need)
        }
      } else if (times === 'some') {
        // At least once: the text after the first repetition is unknown.
        if ('exact' in part) run += part.exact
        close()
        if (!('exact' in part)) needs.push(part.need)
        else run = part.exact
        // The last repetition precedes what follows.
        wholly = false
      } else close()
    }
    if (wholly) return { exact: run }
    if (run !== '') needs.push({ piece: run })
    return { need: allOf(needs) }
  }

  private repetition(): Repetition {
    let times = 'once' as Repetition
    for (;;) {
      const char = this.source[this.at]
      const braces =
        char === '{' ? /^\{(\d+)(,(\d*))?\}/.exec(this.source.slice(this.at, this.at + 20)) : null
      if (braces) {
        this.at += braces[0].length
        times = Number(braces[1]) === 0 ? 'maybe' : times === 'maybe' ? 'maybe' : 'some'
      } else if (char === '*' || char === '?') {
        // After another quantifier, `?` only makes it lazy.
        this.at++
        times = char === '?' && times === 'some' ? 'some' : 'maybe'
      } else if (char === '+') {
        this.at++
        times = times === 'maybe' ? 'maybe' : 'some'
      } else return times
    }
  }

  private atom(): RegexPart {
    const char = this.source[this.at++] ?? ''
    if (char === '(') return this.group()
    if (char === '[') return this.characters()
    if (char === '\\') return this.escape()
    if (char === '.') return UNKNOWN
    if (char === '^' || char === '$') return EMPTY
    const code = char.charCodeAt(0)
    const low = this.source[this.at] ?? ''
    if (code >= 0xd800 && code <= 0xdbff && low !== '') {
      this.at++
      return { exact: char + low }
    }
    return { exact: char }
  }

  private group(): RegexPart {
    if (++this.depth > 50) return this.giveUp()
    if (this.source[this.at] === '?') {
      const head = /^\?(?:P?<\w+>|:)/.exec(this.source.slice(this.at, this.at + 80))
      // Flags change the meaning of the rest.
      if (!head) return this.giveUp()
      this.at += head[0].length
    }
    const part = this.alternatives()
    if (this.source[this.at] !== ')') return this.giveUp()
    this.at++
    this.depth--
    return part
  }

  private characters(): RegexPart {
    const rest = this.source.slice(this.at)
    const end = /^\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]/s.exec(rest)
    if (!end) return this.giveUp()
    this.at += end[0].length
    // A class with one character is that character, as in `[.]`.
    const one = /^([^\\^\]])\]$|^\\([^\w])\]$/.exec(end[0])
    return one ? { exact: one[1] ?? one[2] ?? '' } : UNKNOWN
  }

  private escape(): RegexPart {
    const char = this.source[this.at++] ?? ''
    if (ZERO_WIDTH_ESCAPES.has(char)) return EMPTY
    if (char in ESCAPED) return { exact: ESCAPED[char] ?? '' }
    if (/[^\w\s]/.test(char)) return { exact: char }
    if (/[dDwWsS]/.test(char)) return UNKNOWN
    // \Q…\E, \x41, \p{L} and the like.
    return this.giveUp()
  }

  /** Stops the analysis without a requirement. */
  private giveUp(): RegexPart {
    this.at = Number.POSITIVE_INFINITY
    throw new UnsupportedSyntax()
  }
}

class UnsupportedSyntax extends Error {}

/** Returns the text that every match contains; null when none is known. */
export function requiredTextOf(source: string): RequiredText {
  try {
    // Leading flags are ignored: the index is case-insensitive, and other flags only change what a
    // character matches.
    return new RegexReader(source.replace(/^\(\?[imsU]+\)/, '')).whole()
  } catch (error) {
    if (error instanceof UnsupportedSyntax) return null
    throw error
  }
}
