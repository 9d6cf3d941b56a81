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

/** One cell: a line of one side. */
export interface DiffCell {
  kind: 'context' | 'add' | 'del'
  /** Its line number on its own side. */
  number: number
  /** Its index in the hunk, for the highlighted lines. */
  index: number
  /** Returns the ranges of changed words; null for a line that is not beside another version of it. */
  marks: (() => readonly Range[]) | null
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
        let words: ReturnType<typeof changedWords> | null = null
        const compare = () =>
          (words ??= changedWords(
            hunk.lines[before.index]?.text ?? '',
            hunk.lines[after.index]?.text ?? '',
          ))
        before.marks = () => compare().old
        after.marks = () => compare().new
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
    const noNewline = line.no_newline === true
    const cell: DiffCell = { kind, number, index, marks: null, noNewline }
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

/** A row of a file: the head of a hunk, which has no lines, or a row of its lines. */
export interface FileRow {
  /** The index of the hunk. */
  readonly hunk: number
  readonly lines: DiffRow | null
}

/** All rows of a file, in one column or side by side. */
export const fileRows = (hunks: readonly DiffHunk[], split: boolean): FileRow[] =>
  hunks.flatMap((hunk, index) => {
    const pairs = pairRows(hunk)
    return [
      { hunk: index, lines: null },
      ...(split ? pairs : stackRows(pairs)).map((lines) => ({ hunk: index, lines })),
    ]
  })

/** Names the line of a row, such as `R12`: its number on the new side, else on the old one. */
export const lineIdOf = ({ old, new: fresh }: DiffRow): string =>
  fresh ? `R${fresh.number}` : `L${old?.number ?? 0}`

/** The rows of a file that a page shows, when these are not all. */
export interface FilePart {
  /** The index of the first row, and that after the last one. */
  readonly from: number
  readonly to: number
  /** The last line of the part before; empty at the start of the file. */
  readonly after: string
  /** The last line of the part; empty at the end of the file. */
  readonly last: string
}
