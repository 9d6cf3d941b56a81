/** Compares two files line by line. */
import { blankMarks, toChanges, type Change } from './changes.ts'
import { compact } from './compact.ts'
import { oneFile, type Effort } from './effort.ts'
import { histogramDiff } from './histogram.ts'
import type { NumberedLines } from './line-numbers.ts'
import { numberLines, type Lines } from './lines.ts'
import { myersDiff } from './myers.ts'

export type LineDiffOptions = {
  /** `histogram` by default; git uses `myers` for blame. */
  algorithm?: 'histogram' | 'myers'
  ignoreWhitespace?: boolean
  /**
   * Moves changes to where the indentation suggests; true by default. Merges do without, as in git.
   */
  indent?: boolean
  /** Shared by all comparisons of one request, so that their total cost is bounded. */
  effort?: Effort
}

/**
 * The changes that turn `a` into `b`, in order, with at least one common line between neighbours.
 */
export function diffLines(a: Lines, b: Lines, options: LineDiffOptions = {}): Change[] {
  const numbered = numberLines(a, b, options.ignoreWhitespace)
  const marks = blankMarks(a.count, b.count)
  const effort = options.effort ?? oneFile()
  if (options.algorithm === 'myers')
    myersDiff(numbered.old, 0, a.count, numbered.new, 0, b.count, numbered.kinds, marks, effort)
  else histogramDiff(numbered.old, numbered.new, numbered.kinds, marks, effort)
  const indent = options.indent ?? true
  compact(numbered.old, numbered.new, marks, indent ? a : null, indent ? b : null)
  return toChanges(marks)
}

/**
 * The same for versions whose lines are numbered already, with numbers below `kinds`; for blame.
 */
export function diffNumbered(
  a: NumberedLines,
  b: NumberedLines,
  kinds: number,
  effort: Effort,
): Change[] {
  const [old, now] = [a.lines.count, b.lines.count]
  const marks = blankMarks(old, now)
  let from = 0
  while (from < old && from < now && a.numbers[from] === b.numbers[from]) from++
  let tail = 0
  while (
    tail < old - from &&
    tail < now - from &&
    a.numbers[old - 1 - tail] === b.numbers[now - 1 - tail]
  )
    tail++
  // If lines were only added or only removed, there is nothing to search.
  if (from + tail === old) marks.new.fill(1, from, now - tail)
  else if (from + tail === now) marks.old.fill(1, from, old - tail)
  else myersDiff(a.numbers, 0, old, b.numbers, 0, now, kinds, marks, effort)
  compact(a.numbers, b.numbers, marks, a.lines, b.lines)
  return toChanges(marks)
}
