/**
 * Regular expressions of a search, as RE2 has them (https://github.com/google/re2/wiki/Syntax):
 * time grows with the text and not
 * with what the expression could mean. They are held against single lines, as grep does, so a line
 * without the letters that every
 * match must have is passed over.
 */
import { RE2JS } from 're2js'
import { invalid } from '#lib/errors.ts'
import { asText } from './chunks.ts'
import { plainExpression } from './plain-expression.ts'
import { regexNeed } from './regex-need.ts'
import type { Need } from './trigrams.ts'

const LONGEST = 500
/** Steps of the compiled expression. */
const MOST_STEPS = 1_500
/** Steps times characters of one line: some seconds at the very worst. */
const MOST_WORK = 50_000_000

/** What is left to JavaScript's own engine, in characters. */
const LARGEST_PLAIN = 24 * 1024

const flagsOf = (exactCase: boolean): number => (exactCase ? 0 : RE2JS.CASE_INSENSITIVE)

/** Gives 422 for what is no expression, or one that is too large. */
export function requireExpression(source: string, field: string): void {
  if (source.length > LONGEST) throw invalid(field, `regex: takes at most ${LONGEST} characters`)
  let steps: number
  try {
    steps = RE2JS.compile(source, flagsOf(false)).programSize()
  } catch (error) {
    throw invalid(
      field,
      `regex: is not an RE2 expression: ${(error instanceof Error ? error.message : 'it cannot be read').replace(/^error parsing regexp: /, '')}`,
    )
  }
  if (steps > MOST_STEPS)
    throw invalid(
      field,
      `regex: is too large: its repetitions make ${steps} steps, and ${MOST_STEPS} are allowed`,
    )
}

/**
 * Texts of which one must be in every match, the longest that are known; null when nothing is
 * known.
 */
function anchors(need: Need): string[] | null {
  if (need === null) return null
  if ('piece' in need) return [need.piece]
  if ('any' in need) {
    const each = need.any.map(anchors)
    return each.includes(null) ? null : each.flatMap((one) => one ?? [])
  }
  const shortest = (pieces: readonly string[]): number =>
    Math.min(...pieces.map((piece) => piece.length))
  return need.all
    .map(anchors)
    .filter((one) => one !== null)
    .reduce<string[] | null>(
      (best, one) => (best === null || shortest(one) > shortest(best) ? one : best),
      null,
    )
}

/** Texts that must all be in a line that matches, in this order, where that is known. */
function inOrder(need: Need): string[] {
  if (need === null || 'any' in need) return []
  return 'piece' in need
    ? [need.piece]
    : need.all.flatMap((one) => (one !== null && 'piece' in one ? [one.piece] : []))
}

export type Expression = {
  /**
   * Whether it is found in a line of a text that has one character for each byte; null when looking
   * would take too long.
   */
  found(bytes: string): boolean | null
  /** The first places where it is found in a text. */
  places(text: string, most: number): [number, number][]
}

export function expression(source: string, exactCase: boolean): Expression {
  const pattern = RE2JS.compile(source, flagsOf(exactCase))
  const steps = pattern.programSize()
  const need = regexNeed(source)
  const plain = plainExpression(source, exactCase)
  // Other scripts have other bytes and other cases than their letters here.
  const known = anchors(need)?.every(isPlain) ? anchors(need) : null
  const anchor =
    known === null
      ? null
      : new RegExp(known.map((piece) => RegExp.escape(piece)).join('|'), exactCase ? 'g' : 'gi')
  const signs = inOrder(need).filter(
    (piece) => isPlain(piece) && (exactCase || !/[A-Za-z]/.test(piece)),
  )
  const hasSigns = (line: string): boolean => {
    let from = 0
    for (const sign of signs) {
      from = line.indexOf(sign, from)
      if (from < 0) return false
    }
    return true
  }

  /** Where the lines are that may match. */
  function* lines(text: string): Generator<[number, number]> {
    for (let from = 0; from < text.length; ) {
      if (anchor) {
        anchor.lastIndex = from
        const next = anchor.exec(text)
        if (!next) return
        from = text.lastIndexOf('\n', next.index) + 1
      }
      const end = text.indexOf('\n', from)
      const to = end < 0 ? text.length : end
      yield [from, to > from && text.charCodeAt(to - 1) === 13 ? to - 1 : to]
      from = to + 1
    }
  }

  return {
    found(bytes) {
      // A chunk that is larger has a line that is long, and its square is too much.
      if (
        plain &&
        bytes.length <= LARGEST_PLAIN &&
        !(plain.beyondAscii && /[^\0-\x7f]/.test(bytes))
      )
        return plain.pattern.test(bytes)
      let found: boolean | null = false
      for (const [from, to] of lines(bytes)) {
        const line = bytes.slice(from, to)
        if (!hasSigns(line)) continue
        if (line.length * steps > MOST_WORK) found = null
        else if (pattern.test(asText(line))) return true
      }
      return found
    },
    places(text, most) {
      const found: [number, number][] = []
      for (const [from, to] of lines(text)) {
        const line = text.slice(from, to)
        if (!hasSigns(line) || line.length * steps > MOST_WORK) continue
        const matcher = pattern.matcher(line)
        while (matcher.find()) {
          if (matcher.end() > matcher.start())
            found.push([from + matcher.start(), from + matcher.end()])
          if (found.length >= most) return found
        }
      }
      return found
    },
  }
}

const isPlain = (piece: string): boolean => /^[\0-\x7f]+$/.test(piece)
