/**
 * An expression of a filter, whose time is linear in what it reads. Some filters of the rules
 * backtrack cubically, and strangers choose the texts. So a text that is longer than nearly all
 * secrets and paths is matched by RE2. Short ones are matched natively, which loads no library.
 */
import { LinearPattern } from './linear-pattern.ts'
import { lazy } from '../lazy.ts'

/** A cubic expression needs less than a millisecond for such a text. */
export const MAX_NATIVE_CHARS = 128

/** The three forms of `go-pattern.ts` that RE2 does not have. */
export const asRe2 = (source: string): string =>
  source.replaceAll('(?<![^])', '\\A').replaceAll('(?![^])', '\\z').replaceAll('[^]', '(?s:.)')

export class FilterPattern {
  readonly #native: RegExp
  readonly #linear: () => LinearPattern

  /** `source` is what `translateGoPattern` writes. */
  constructor(source: string) {
    this.#native = new RegExp(source)
    this.#linear = lazy(() => new LinearPattern(asRe2(source)))
  }

  test(text: string): boolean {
    return text.length <= MAX_NATIVE_CHARS ? this.#native.test(text) : this.#linear().test(text)
  }
}
