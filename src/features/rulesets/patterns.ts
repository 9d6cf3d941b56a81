/**
 * Patterns of rules: RE2 expressions (https://github.com/google/re2/wiki/Syntax), whose matching
 * time is linear in the text. Expressions of JavaScript can backtrack for years.
 *
 * The remaining cost is pattern size times text length. It is bounded, so that one text does not
 * block the event loop.
 */
import { RE2JS } from 're2js'
import { service } from '#core/service.ts'
import type { Cache } from '#lib/cache.ts'
import { invalid } from '#lib/errors.ts'

const MAX_PATTERN_LENGTH = 500
/** Steps of the compiled pattern. */
const MAX_PROGRAM_SIZE = 2_000
/** Steps times characters for one text. */
const MAX_MATCH_WORK = 8_000_000

/** Throws 422 for an invalid pattern, or for one that is too large. */
export function requirePattern(source: string, field: string): string {
  if (source.length > MAX_PATTERN_LENGTH)
    throw invalid(field, `${field} has at most ${MAX_PATTERN_LENGTH} characters`)
  let pattern: RE2JS
  try {
    pattern = RE2JS.compile(source)
  } catch (error) {
    throw invalid(
      field,
      `${field} is not an RE2 pattern: ${(error instanceof Error ? error.message : 'it cannot be read').replace(/^error parsing regexp: /, '')}`,
    )
  }
  if (pattern.programSize() > MAX_PROGRAM_SIZE)
    throw invalid(
      field,
      `${field} is too large: its repetitions make ${pattern.programSize()} steps, and ${MAX_PROGRAM_SIZE} are allowed`,
    )
  return source
}

/** After this much work the loop yields to other work. */
export const MAX_WORK_PER_TURN = 2_000_000

/** The limits of the cache of compiled patterns, in steps. */
export const PATTERN_CACHE = {
  maxSize: 200_000,
  sizeOf: (pattern: RE2JS): number => pattern.programSize() + 100,
}

/** Matches patterns of rules, which are compiled once and cached. */
export class PatternMatcher {
  constructor(private readonly compiled: Cache<RE2JS>) {}

  #compile(source: string): RE2JS {
    const known = this.compiled.get(source)
    if (known) return known
    const pattern = RE2JS.compile(source)
    this.compiled.set(source, pattern)
    return pattern
  }

  /** Whether a pattern matches anywhere in a text; null when matching would take too long. */
  matches(source: string, text: string): boolean | null {
    const pattern = this.#compile(source)
    return text.length * pattern.programSize() > MAX_MATCH_WORK ? null : pattern.test(text)
  }

  /** The cost of one match, in the unit of `MAX_WORK_PER_TURN`. */
  workOf(source: string, text: string): number {
    return text.length * this.#compile(source).programSize()
  }
}

export const patternMatcher = service(
  'rule patterns',
  (hearth) => new PatternMatcher(hearth.caches.create('rule_patterns', PATTERN_CACHE)),
)
