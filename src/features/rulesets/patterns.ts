/**
 * Patterns of rules: regular expressions as RE2 has them
 * (https://github.com/google/re2/wiki/Syntax), which are matched in time that grows with the text
 * and not with what it could mean. JavaScript's own can be made to run for years.
 *
 * What remains is the product of both lengths; it is bounded, so that one text never holds
 * everybody else up.
 */
import { RE2JS } from 're2js'
import { createCache } from '#lib/cache.ts'
import { invalid } from '#lib/errors.ts'

const LONGEST = 500
/** Steps of the compiled pattern. */
const MOST_STEPS = 2_000
/** Steps times characters for one text. */
const MOST_WORK = 8_000_000

const compiled = createCache<RE2JS>({
  maxSize: 200_000,
  sizeOf: (pattern) => pattern.programSize() + 100,
})

function compile(source: string): RE2JS {
  const known = compiled.get(source)
  if (known) return known
  const pattern = RE2JS.compile(source)
  compiled.set(source, pattern)
  return pattern
}

/** Gives 422 for what is no pattern, or one that is too large. */
export function requirePattern(source: string, field: string): string {
  if (source.length > LONGEST) throw invalid(field, `${field} has at most ${LONGEST} characters`)
  let pattern: RE2JS
  try {
    pattern = compile(source)
  } catch (error) {
    throw invalid(
      field,
      `${field} is not an RE2 pattern: ${(error instanceof Error ? error.message : 'it cannot be read').replace(/^error parsing regexp: /, '')}`,
    )
  }
  if (pattern.programSize() > MOST_STEPS)
    throw invalid(
      field,
      `${field} is too large: its repetitions make ${pattern.programSize()} steps, and ${MOST_STEPS} are allowed`,
    )
  return source
}

/** Whether a pattern is found anywhere in a text; null when looking would take too long. */
export function found(source: string, text: string): boolean | null {
  const pattern = compile(source)
  return text.length * pattern.programSize() > MOST_WORK ? null : pattern.test(text)
}

/** How much work a look is, in the unit of `ENOUGH_AT_ONCE`. */
export const workOf = (source: string, text: string): number =>
  text.length * compile(source).programSize()

/** After so much work others get a turn. */
export const ENOUGH_AT_ONCE = 2_000_000
