/** Compares two files line by line. */
import { blankMarks, toChanges, type Change } from './changes.ts'
import { compact } from './compact.ts'
import { oneFile, type Effort } from './effort.ts'
import { histogramDiff } from './histogram.ts'
import { numberLines, type Lines } from './lines.ts'
import { myersDiff } from './myers.ts'

export type LineDiffOptions = {
  /** `histogram` unless given; `myers` is what git uses for blame. */
  algorithm?: 'histogram' | 'myers'
  ignoreWhitespace?: boolean
  /** Move changes to where indentation suggests; on unless given. Merging goes without, as git does. */
  indent?: boolean
  /** Shared by the comparisons of one request, so that many files cannot cost more than a few. */
  effort?: Effort
}

/** The changes that turn `a` into `b`, in order, with at least one common line between neighbours. */
export function diffLines(a: Lines, b: Lines, options: LineDiffOptions = {}): Change[] {
  const numbered = numberLines(a, b, options.ignoreWhitespace)
  const marks = blankMarks(a.count, b.count)
  const effort = options.effort ?? oneFile()
  if (options.algorithm === 'myers') myersDiff(numbered.old, 0, a.count, numbered.new, 0, b.count, numbered.kinds, marks, effort)
  else histogramDiff(numbered.old, numbered.new, numbered.kinds, marks, effort)
  const indent = options.indent ?? true
  compact(numbered.old, numbered.new, marks, indent ? a : null, indent ? b : null)
  return toChanges(marks)
}
