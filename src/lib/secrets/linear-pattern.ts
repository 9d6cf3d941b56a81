/**
 * Expressions of people, in the syntax of RE2 (https://github.com/google/re2/wiki/Syntax), whose time
 * is linear in the text. Its library takes 9 MB of a thread, so it is loaded with the first one.
 */
import { lazy } from '../lazy.ts'

const re2 = lazy(() => require('re2js') as typeof import('re2js'))

/** What `RegExp` gives for a match, as far as rules need it. */
export type PatternMatch = { readonly index: number; readonly groups: readonly string[] }

export class LinearPattern {
  readonly #pattern

  /** Throws an Error that says what cannot be read. */
  constructor(source: string) {
    this.#pattern = re2().RE2JS.compile(source)
  }

  /** The steps of the program; the time of a match is these times the characters. */
  get size(): number {
    return this.#pattern.programSize()
  }

  get matchesEmpty(): boolean {
    return this.#pattern.matches('')
  }

  test(text: string): boolean {
    return this.#pattern.test(text)
  }

  /** The matches from left to right: the whole one, then its groups. */
  *matchAll(text: string): Generator<PatternMatch> {
    const matcher = this.#pattern.matcher(text)
    while (matcher.find()) {
      const groups = Array.from(
        { length: matcher.groupCount() + 1 },
        (_, group) => matcher.group(group) ?? '',
      )
      yield { index: matcher.start(), groups }
    }
  }
}
