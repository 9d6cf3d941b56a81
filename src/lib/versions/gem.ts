/** Versions of RubyGems, in the order of `Gem::Version`. */
import { numberKey, textKey } from './sort-key.ts'

const MAX_LENGTH = 256
/** `Gem::Version::VERSION_PATTERN`. */
const VERSION = /^\d+(?:\.[0-9A-Za-z]+)*(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/
const SEGMENT = /\d+|[a-z]+/gi
const NUMBER = /^\d/
const ZERO = /^0+$/

export const isGemVersion = (text: string): boolean =>
  text.length <= MAX_LENGTH && VERSION.test(text)

/** `-` stands for `.pre.`, as in `1.0.0-rc1`. */
const segmentsOf = (version: string): string[] =>
  version.replaceAll('-', '.pre.').match(SEGMENT) ?? []

/** A version with a letter in it is a prerelease. */
export const isGemPrerelease = (version: string): boolean => /[a-z-]/i.test(version)

function withoutTrailingZeros(segments: readonly string[]): readonly string[] {
  const end = segments.findLastIndex((segment) => !ZERO.test(segment)) + 1
  return segments.slice(0, end)
}

/** `1.0.a.0` is equal to `1.a`: zeros at the end of the numbers and of the rest do not count. */
function canonicalSegments(version: string): readonly string[] {
  const segments = segmentsOf(version)
  const firstText = segments.findIndex((segment) => !NUMBER.test(segment))
  const split = firstText < 0 ? segments.length : firstText
  return [
    ...withoutTrailingZeros(segments.slice(0, split)),
    ...withoutTrailingZeros(segments.slice(split)),
  ]
}

/** Segments that are missing count as zero. Text is below zero. */
const BELOW_ZERO = 'A'
const END = 'B'
const ABOVE_ZERO = 'C'
/** More zeros before a number make a lower version; so their count is written downwards. */
const MAX_ZEROS = 999

/**
 * A key whose byte order is that of `Gem::Version`. The segments are an endless sequence that
 * goes on with zeros. Of a run of zeros the key holds whether what follows is below or above zero,
 * and how long the run is.
 */
export function gemKey(version: string): string {
  let key = ''
  let zeros = 0
  for (const segment of canonicalSegments(version)) {
    if (ZERO.test(segment)) {
      zeros++
      continue
    }
    const isText = !NUMBER.test(segment)
    const count = String(isText ? zeros : MAX_ZEROS - zeros)
    key += isText
      ? `${BELOW_ZERO}${numberKey(count)}${textKey(segment)}`
      : `${ABOVE_ZERO}${numberKey(count)}${numberKey(segment)}`
    zeros = 0
  }
  return `${key}${END}`
}
