/**
 * What every match of a regular expression must hold, read from its text, so that the index can
 * leave out most files before the expression is tried. It reads little and supposes nothing:
 * whatever it does not understand says nothing.
 */
import type { Need } from './trigrams.ts'

/** What is known of a part: all that it matches is one text, or only a need. */
type Part = { readonly exact: string } | { readonly need: Need }

const both = (needs: readonly Need[]): Need => {
  const known = needs.filter((need) => need !== null)
  return known.length === 0 ? null : known.length === 1 ? (known[0] ?? null) : { all: known }
}
const either = (needs: readonly Need[]): Need =>
  needs.includes(null) ? null : needs.length === 1 ? (needs[0] ?? null) : { any: needs }
const needOf = (part: Part): Need =>
  'exact' in part ? (part.exact === '' ? null : { piece: part.exact }) : part.need

const NOTHING: Part = { need: null }
const EMPTY: Part = { exact: '' }
const ESCAPED: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  f: '\f',
  v: '\v',
  a: '\x07',
}
/** Escapes that stand at a place and match no character. */
const PLACES = new Set(['b', 'B', 'A', 'z'])

type Times = 'once' | 'some' | 'maybe'

class Reader {
  private at = 0
  /** Deeper than this nothing is said. */
  private depth = 0

  constructor(private readonly source: string) {}

  whole(): Need {
    const part = this.alternatives()
    // A sign left over means that this was read wrongly.
    return this.at < this.source.length ? null : needOf(part)
  }

  private alternatives(): Part {
    const parts = [this.sequence()]
    while (this.source[this.at] === '|') {
      this.at++
      parts.push(this.sequence())
    }
    const [only] = parts
    return parts.length === 1 && only ? only : { need: either(parts.map(needOf)) }
  }

  private sequence(): Part {
    let run = ''
    let wholly = true
    const needs: Need[] = []
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
        // Once at least: what it is next to is not known.
        if ('exact' in part) run += part.exact
        close()
        if (!('exact' in part)) needs.push(part.need)
        else run = part.exact
        // The last of the repetitions stands before what follows.
        wholly = false
      } else close()
    }
    if (wholly) return { exact: run }
    if (run !== '') needs.push({ piece: run })
    return { need: both(needs) }
  }

  private repetition(): Times {
    let times = 'once' as Times
    for (;;) {
      const char = this.source[this.at]
      const braces =
        char === '{' ? /^\{(\d+)(,(\d*))?\}/.exec(this.source.slice(this.at, this.at + 20)) : null
      if (braces) {
        this.at += braces[0].length
        times = Number(braces[1]) === 0 ? 'maybe' : times === 'maybe' ? 'maybe' : 'some'
      } else if (char === '*' || char === '?') {
        // Behind another sign the question mark only says which match is taken.
        this.at++
        times = char === '?' && times === 'some' ? 'some' : 'maybe'
      } else if (char === '+') {
        this.at++
        times = times === 'maybe' ? 'maybe' : 'some'
      } else return times
    }
  }

  private atom(): Part {
    const char = this.source[this.at++] ?? ''
    if (char === '(') return this.group()
    if (char === '[') return this.characters()
    if (char === '\\') return this.escape()
    if (char === '.') return NOTHING
    if (char === '^' || char === '$') return EMPTY
    const code = char.charCodeAt(0)
    const low = this.source[this.at] ?? ''
    if (code >= 0xd800 && code <= 0xdbff && low !== '') {
      this.at++
      return { exact: char + low }
    }
    return { exact: char }
  }

  private group(): Part {
    if (++this.depth > 50) return this.giveUp()
    if (this.source[this.at] === '?') {
      const head = /^\?(?:P?<\w+>|:)/.exec(this.source.slice(this.at, this.at + 80))
      // Flags change how everything is read.
      if (!head) return this.giveUp()
      this.at += head[0].length
    }
    const part = this.alternatives()
    if (this.source[this.at] !== ')') return this.giveUp()
    this.at++
    this.depth--
    return part
  }

  private characters(): Part {
    const rest = this.source.slice(this.at)
    const end = /^\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]/s.exec(rest)
    if (!end) return this.giveUp()
    this.at += end[0].length
    // A set of one sign is that sign, which people write for a point.
    const one = /^([^\\^\]])\]$|^\\([^\w])\]$/.exec(end[0])
    return one ? { exact: one[1] ?? one[2] ?? '' } : NOTHING
  }

  private escape(): Part {
    const char = this.source[this.at++] ?? ''
    if (PLACES.has(char)) return EMPTY
    if (char in ESCAPED) return { exact: ESCAPED[char] ?? '' }
    if (/[^\w\s]/.test(char)) return { exact: char }
    if (/[dDwWsS]/.test(char)) return NOTHING
    // \Q…\E, \x41, \p{L} and the like.
    return this.giveUp()
  }

  /** Reads nothing more, and says nothing. */
  private giveUp(): Part {
    this.at = Number.POSITIVE_INFINITY
    throw new Unread()
  }
}

class Unread extends Error {}

/** What a text must hold so that the expression can match in it; null when nothing is known. */
export function regexNeed(source: string): Need {
  try {
    // Flags for the whole: the index knows no case, and the others change only what signs match.
    return new Reader(source.replace(/^\(\?[imsU]+\)/, '')).whole()
  } catch (error) {
    if (error instanceof Unread) return null
    throw error
  }
}
