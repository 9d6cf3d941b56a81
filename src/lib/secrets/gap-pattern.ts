/**
 * Matches a word and what follows it some lines later, such as `curl` and its `--user`. As one
 * expression that takes quadratic time: every word searches the same lines again. Here what follows is
 * searched for once in a text, and a place that no word could reach is not tried for the next word.
 * Finds what a backtracking engine finds, which prefers the same places.
 */
import type { PatternMatch } from './linear-pattern.ts'

/** The place of the word and of what follows it, with the lines between them. */
export type Gap = {
  /** What stands before the gap. */
  readonly after: string
  /** The gap is `.*`, then at most so often `[\r\n]{1,2}.*`. */
  readonly lines: number
  /** Whether the gap is as short as it can be in every line (`.*?`). Otherwise as long as it can be. */
  readonly isLazy?: boolean
}

const isLineEnd = (code: number): boolean => code === 10 || code === 13

/** One text in which the pattern is tried at many positions, in ascending order. */
export class GapSearch {
  private readonly after: RegExp
  /** What follows gaps, by its place, and the places in order. */
  private readonly rests = new Map<number, readonly string[]>()
  private readonly places: readonly number[]
  /** The end of every line. */
  private readonly lineEnds: readonly number[]
  /** For each number of line ends before it, from where to the end of a line nothing follows a gap. */
  private readonly failures: readonly Map<number, number>[]

  constructor(
    private readonly text: string,
    pattern: string,
    private readonly gap: Gap,
  ) {
    this.after = new RegExp(gap.after, 'y')
    const rest = new RegExp(pattern, 'g')
    for (let found = rest.exec(text); found !== null; found = rest.exec(text)) {
      this.rests.set(found.index, found as readonly string[])
      rest.lastIndex = found.index + 1
    }
    this.places = [...this.rests.keys()]
    this.lineEnds = this.places.length === 0 ? [] : endsOfLines(text)
    this.failures = Array.from({ length: gap.lines + 1 }, () => new Map<number, number>())
  }

  /** The match that begins at a position: all of it, then the groups of what follows the gap. */
  matchAt(start: number): readonly string[] | null {
    const { after, text } = this
    if (start > (this.places.at(-1) ?? -1)) return null
    after.lastIndex = start
    if (!after.test(text)) return null
    const from = after.lastIndex
    const place = this.placeInLine(from) ?? this.follow(0, from)
    const rest = place === null ? undefined : this.rests.get(place)
    if (place === null || rest === undefined) return null
    const end = place + (rest[0] as string).length
    return [text.slice(start, end), ...rest.slice(1)]
  }

  *matchAll(): Generator<PatternMatch> {
    const after = new RegExp(this.gap.after, 'g')
    for (let found = after.exec(this.text); found !== null; found = after.exec(this.text)) {
      const groups = this.matchAt(found.index)
      if (groups === null) continue
      yield { index: found.index, groups }
      after.lastIndex = found.index + (groups[0] as string).length
    }
  }

  private placeInLine(from: number): number | null {
    const { places, gap } = this
    const end = this.lineEnd(from)
    const place = gap.isLazy
      ? places[firstAtLeast(places, from)]
      : places[firstAtLeast(places, end + 1) - 1]
    return place !== undefined && place >= from && place <= end ? place : null
  }

  /** The preferred place after so many line ends, in the rest of a line or below it. */
  private follow(lines: number, from: number): number | null {
    const end = this.lineEnd(from)
    const failures = this.failures[lines] as Map<number, number>
    // From here on it failed for an earlier word, which stands before this one.
    const tried = failures.get(end) ?? end + 1
    for (let step = 0; step < tried - from; step++) {
      const place = this.tryAt(lines, this.gap.isLazy ? from + step : tried - 1 - step)
      if (place !== null) return place
    }
    if (from < tried) failures.set(end, from)
    return null
  }

  private tryAt(lines: number, at: number): number | null {
    const { text } = this
    if (lines < this.gap.lines && isLineEnd(text.charCodeAt(at))) {
      const below =
        (isLineEnd(text.charCodeAt(at + 1)) ? this.follow(lines + 1, at + 2) : null) ??
        this.follow(lines + 1, at + 1)
      if (below !== null) return below
    }
    return lines > 0 && this.rests.has(at) ? at : null
  }

  private lineEnd(at: number): number {
    return this.lineEnds[firstAtLeast(this.lineEnds, at)] ?? this.text.length
  }
}

function endsOfLines(text: string): number[] {
  const ends: number[] = []
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) ends.push(at)
  return ends
}

/** The index of the first of ascending numbers that is no smaller. */
function firstAtLeast(numbers: readonly number[], least: number): number {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((numbers[middle] as number) < least) low = middle + 1
    else high = middle
  }
  return low
}
