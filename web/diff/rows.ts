// The lines of a hunk as table rows, unified or side by side, with the words that changed in each
// line.
import { changedWords, type Range } from './words.ts'

/** One line of a hunk, as `get_pull_changes` returns it. */
export interface DiffLine {
  kind: 'context' | 'add' | 'del'
  old?: number | null
  new?: number | null
  text: string
  no_newline?: boolean
}

export interface DiffHunk {
  old_start: number
  old_lines: number
  new_start: number
  new_lines: number
  heading?: string | null
  lines: readonly DiffLine[]
}

/** One cell: a line with its text and the ranges of changed words. */
export interface DiffCell {
  kind: 'context' | 'add' | 'del'
  /** Its line number on its own side. */
  number: number
  /** Its index in the hunk, for the highlighted lines. */
  index: number
  marks: readonly Range[]
  noNewline: boolean
}

/** One row. A context line is on both sides, a changed one on one or both. */
export interface DiffRow {
  old: DiffCell | null
  new: DiffCell | null
}

/** Pairs the removed lines with the added ones that follow them, in order. */
export const pairRows = (hunk: DiffHunk): DiffRow[] => {
  const rows: DiffRow[] = []
  let oldNumber = hunk.old_start
  let newNumber = hunk.new_start
  let removed: DiffCell[] = []
  let added: DiffCell[] = []
  const flush = (): void => {
    for (let at = 0; at < Math.max(removed.length, added.length); at++) {
      const before = removed[at] ?? null
      const after = added[at] ?? null
      if (before && after) {
        const words = changedWords(
          hunk.lines[before.index]?.text ?? '',
          hunk.lines[after.index]?.text ?? '',
        )
        before.marks = words.old
        after.marks = words.new
      }
      rows.push({ old: before, new: after })
    }
    removed = []
    added = []
  }
  for (const [index, line] of hunk.lines.entries()) {
    const { kind } = line
    if (kind === 'context' || (kind === 'del' && added.length > 0)) flush()
    const number = kind === 'add' ? (line.new ?? newNumber) : (line.old ?? oldNumber)
    const cell: DiffCell = { kind, number, index, marks: [], noNewline: line.no_newline === true }
    if (kind === 'add') added.push(cell)
    else if (kind === 'del') removed.push(cell)
    else rows.push({ old: cell, new: { ...cell, number: line.new ?? newNumber } })
    if (kind !== 'add') oldNumber++
    if (kind !== 'del') newNumber++
  }
  flush()
  return rows
}

/** The rows of the unified view: the removed lines of a block, then its added ones. */
export const stackRows = (rows: readonly DiffRow[]): DiffRow[] => {
  const stacked: DiffRow[] = []
  let after: DiffRow[] = []
  const flush = (): void => {
    stacked.push(...after)
    after = []
  }
  for (const row of rows) {
    if (row.old?.kind === 'context') {
      flush()
      stacked.push(row)
      continue
    }
    if (row.old) stacked.push({ old: row.old, new: null })
    if (row.new) after.push({ old: null, new: row.new })
  }
  flush()
  return stacked
}
