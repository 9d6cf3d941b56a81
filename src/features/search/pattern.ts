/**
 * Regular expressions of a search, in RE2 syntax (https://github.com/google/re2/wiki/Syntax). RE2
 * takes time linear in the text. Expressions match single lines, as in grep, so lines without a
 * required text are skipped.
 */
import { RE2JS } from 're2js'
import { invalid } from '#lib/errors.ts'
import { decodeBytes } from './chunks.ts'
import { plainExpression, type PlainExpression } from './plain-expression.ts'
import { requiredTextOf } from './required-text.ts'
import type { RequiredText } from './trigrams.ts'

const MAX_LENGTH = 500
/** Instructions of the compiled program. */
const MAX_PROGRAM_STEPS = 1_500
/** Instructions times characters of one line: a few seconds at most. */
const MAX_LINE_WORK = 50_000_000

/** The longest text that is matched by JavaScript's own engine. */
const MAX_NATIVE_LENGTH = 24 * 1024

const flagsOf = (exactCase: boolean): number => (exactCase ? 0 : RE2JS.CASE_INSENSITIVE)

/** Throws 422 for an invalid or too large expression. */
export function requireExpression(source: string, field: string): void {
  if (source.length > MAX_LENGTH)
    throw invalid(field, `regex: takes at most ${MAX_LENGTH} characters`)
  let steps: number
  try {
    steps = RE2JS.compile(source, flagsOf(false)).programSize()
  } catch (error) {
    throw invalid(
      field,
      `regex: is not an RE2 expression: ${(error instanceof Error ? error.message : 'it cannot be read').replace(/^error parsing regexp: /, '')}`,
    )
  }
  if (steps > MAX_PROGRAM_STEPS)
    throw invalid(
      field,
      `regex: is too large: its repetitions make ${steps} steps, and ${MAX_PROGRAM_STEPS} are allowed`,
    )
}

/** Texts of which every match contains at least one, the longest known; null when none is known. */
function requiredAlternatives(need: RequiredText): string[] | null {
  if (need === null) return null
  if ('piece' in need) return [need.piece]
  if ('any' in need) {
    const each = need.any.map(requiredAlternatives)
    return each.includes(null) ? null : each.flatMap((one) => one ?? [])
  }
  const shortest = (pieces: readonly string[]): number =>
    Math.min(...pieces.map((piece) => piece.length))
  return need.all
    .map(requiredAlternatives)
    .filter((one) => one !== null)
    .reduce<string[] | null>(
      (best, one) => (best === null || shortest(one) > shortest(best) ? one : best),
      null,
    )
}

/** Texts that a matching line must contain in this order, as far as known. */
function requiredInOrder(need: RequiredText): string[] {
  if (need === null || 'any' in need) return []
  return 'piece' in need
    ? [need.piece]
    : need.all.flatMap((one) => (one !== null && 'piece' in one ? [one.piece] : []))
}

/** A compiled expression that matches single lines. */
export class LineExpression {
  readonly #pattern: RE2JS
  readonly #steps: number
  readonly #native: PlainExpression | null
  /** Finds the next line with a required text; null when none is known. */
  readonly #anchor: RegExp | null
  /** Texts that a matching line contains in this order. */
  readonly #required: readonly string[]

  constructor(source: string, exactCase: boolean) {
    this.#pattern = RE2JS.compile(source, flagsOf(exactCase))
    this.#steps = this.#pattern.programSize()
    this.#native = plainExpression(source, exactCase)
    const needed = requiredTextOf(source)
    const alternatives = requiredAlternatives(needed)
    // In a text with one character per byte, only ASCII letters are themselves.
    this.#anchor = alternatives?.every(isAscii)
      ? new RegExp(
          alternatives.map((piece) => RegExp.escape(piece)).join('|'),
          exactCase ? 'g' : 'gi',
        )
      : null
    this.#required = requiredInOrder(needed).filter(
      (piece) => isAscii(piece) && (exactCase || !/[A-Za-z]/.test(piece)),
    )
  }

  /**
   * Whether a line of a text with one character per byte matches; null when matching would take too
   * long.
   */
  isFoundIn(bytes: string): boolean | null {
    const native = this.#native
    // A larger chunk contains a long line, and quadratic time would be too much.
    if (
      native &&
      bytes.length <= MAX_NATIVE_LENGTH &&
      !(native.beyondAscii && /[^\0-\x7f]/.test(bytes))
    )
      return native.pattern.test(bytes)
    let found: boolean | null = false
    for (const [from, to] of this.#lines(bytes)) {
      const line = bytes.slice(from, to)
      if (!this.#hasRequired(line)) continue
      if (line.length * this.#steps > MAX_LINE_WORK) found = null
      else if (this.#pattern.test(decodeBytes(line))) return true
    }
    return found
  }

  /** Returns the positions of the first `most` matches in a text. */
  findIn(text: string, most: number): [number, number][] {
    const found: [number, number][] = []
    for (const [from, to] of this.#lines(text)) {
      const line = text.slice(from, to)
      if (!this.#hasRequired(line) || line.length * this.#steps > MAX_LINE_WORK) continue
      const matcher = this.#pattern.matcher(line)
      while (matcher.find()) {
        if (matcher.end() > matcher.start())
          found.push([from + matcher.start(), from + matcher.end()])
        if (found.length >= most) return found
      }
    }
    return found
  }

  #hasRequired(line: string): boolean {
    let from = 0
    for (const piece of this.#required) {
      from = line.indexOf(piece, from)
      if (from < 0) return false
    }
    return true
  }

  /** Yields the positions of the lines that may match. */
  *#lines(text: string): Generator<[number, number]> {
    const anchor = this.#anchor
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
}

const isAscii = (piece: string): boolean => /^[\0-\x7f]+$/.test(piece)
