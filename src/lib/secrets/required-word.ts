/**
 * Finds a text that every match of an expression contains, so that the automaton of words can skip
 * files without it. It reads the top level of the expression only: groups, classes and parts that may
 * be left out end a text.
 */

/** A shorter word is in too many files. */
export const MIN_WORD_LENGTH = 3

const SPECIAL = /[.^$|()[\]{}*+?\\]/
const QUANTIFIER = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/

/** The position after a class or group that begins at `at`; null for one that does not end. */
function endOfPart(source: string, at: number): number | null {
  const isClass = source[at] === '['
  let depth = 0
  // A closing bracket at the beginning of a class is a member of it.
  const first = source[at + 1] === '^' ? at + 2 : at + 1
  for (let next = at; next < source.length; next++) {
    const sign = source[next]
    if (sign === '\\') next++
    else if (isClass && sign === ']' && next > first) return next + 1
    else if (!isClass && sign === '[') next = (endOfPart(source, next) ?? source.length) - 1
    else if (!isClass && sign === '(') depth++
    else if (!isClass && sign === ')' && --depth === 0) return next + 1
  }
  return null
}

/** One part of the top level: its literal character, or null, and the position after it. */
function partAt(source: string, at: number): { literal: string | null; end: number } | null {
  const sign = source[at] ?? ''
  if (sign === '\\') {
    const escaped = source[at + 1] ?? ''
    if (/^[^A-Za-z0-9]$/.test(escaped)) return { literal: escaped, end: at + 2 }
    // Others have more signs than one, such as \x41 and \pL.
    return /^[dDsSwWbBAzntrfva]$/.test(escaped) ? { literal: null, end: at + 2 } : null
  }
  if (sign === '[' || sign === '(') {
    const end = endOfPart(source, at)
    return end === null ? null : { literal: null, end }
  }
  return { literal: SPECIAL.test(sign) ? null : sign, end: at + 1 }
}

/** The longest such text in lower case; null when there is none of `MIN_WORD_LENGTH`. */
export function requiredWord(source: string): string | null {
  let longest = ''
  let run = ''
  const endRun = () => {
    if (run.length > longest.length) longest = run
    run = ''
  }
  for (let at = 0; at < source.length; ) {
    // An alternative of the whole expression need not hold what the other holds.
    if (source[at] === '|') return null
    const part = partAt(source, at)
    if (part === null) return null
    const quantifier = QUANTIFIER.exec(source.slice(part.end))?.[0] ?? ''
    if (part.literal === null || quantifier !== '') endRun()
    else run += part.literal
    at = part.end + quantifier.length
  }
  endRun()
  return longest.length < MIN_WORD_LENGTH ? null : longest.toLowerCase()
}
