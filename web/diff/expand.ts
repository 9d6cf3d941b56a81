// Adds unchanged lines around the hunks of a change when a reader expands them.
import type { DiffHunk, DiffLine } from './rows.ts'

/** The lines of the new version to show, with their text. */
export type ExpandedLines = { readonly from: number; readonly lines: readonly string[] }

const contextLines = (shown: ExpandedLines, from: number, to: number, offset: number): DiffLine[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => ({
    kind: 'context' as const,
    old: from + at + offset,
    new: from + at,
    text: shown.lines[from + at - shown.from] ?? '',
  }))

const extendHunk = (
  hunk: DiffHunk,
  before: readonly DiffLine[],
  after: readonly DiffLine[],
): DiffHunk => ({
  ...hunk,
  old_start:
    hunk.old_lines === 0 && before.length + after.length > 0
      ? hunk.old_start + 1 - before.length
      : hunk.old_start - before.length,
  new_start:
    hunk.new_lines === 0 && before.length + after.length > 0
      ? hunk.new_start + 1 - before.length
      : hunk.new_start - before.length,
  old_lines: hunk.old_lines + before.length + after.length,
  new_lines: hunk.new_lines + before.length + after.length,
  lines: [...before, ...hunk.lines, ...after],
})

/**
 * The first line after a hunk on the new side. A hunk without lines there begins after the line
 * that it names (git-diff).
 */
export const lineAfter = (hunk: DiffHunk): number =>
  hunk.new_lines === 0 ? hunk.new_start + 1 : hunk.new_start + hunk.new_lines

/** The first line of a hunk on the new side. */
export const firstLine = (hunk: DiffHunk): number =>
  hunk.new_lines === 0 ? hunk.new_start + 1 : hunk.new_start

/** The difference between old and new line numbers above a hunk. */
const offsetAbove = (hunk: DiffHunk): number =>
  (hunk.old_lines === 0 ? hunk.old_start + 1 : hunk.old_start) - firstLine(hunk)

const joinHunks = (above: DiffHunk, below: DiffHunk): DiffHunk => ({
  ...above,
  old_lines: above.old_lines + below.old_lines,
  new_lines: above.new_lines + below.new_lines,
  lines: [...above.lines, ...below.lines],
})

/**
 * Adds the lines of `shown` that touch a hunk from above or below. Hunks that meet become one.
 * Lines of a hunk itself, and lines that touch none, change nothing.
 */
export function expandHunks(hunks: readonly DiffHunk[], shown: ExpandedLines): DiffHunk[] {
  const last = shown.from + shown.lines.length - 1
  const result: DiffHunk[] = []
  for (const [index, hunk] of hunks.entries()) {
    const before = result.at(-1)
    const next = hunks[index + 1]
    const begin = before ? lineAfter(before) : 1
    const first = firstLine(hunk)
    const above =
      shown.from <= first - 1 && last >= first - 1
        ? contextLines(shown, Math.max(begin, shown.from), first - 1, offsetAbove(hunk))
        : []
    const after = lineAfter(hunk)
    const end = next ? firstLine(next) - 1 : Infinity
    const offset = offsetAbove(hunk) + hunk.old_lines - hunk.new_lines
    // A line that touches two hunks joins the lower one.
    const below =
      shown.from <= after && last >= after && (last < end || !next)
        ? contextLines(shown, after, Math.min(end, last), offset)
        : []
    const larger = above.length + below.length > 0 ? extendHunk(hunk, above, below) : hunk
    if (before && lineAfter(before) === firstLine(larger) && above.length > 0)
      result.splice(-1, 1, joinHunks(before, larger))
    else result.push(larger)
  }
  return result
}
