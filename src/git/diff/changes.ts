/** The result of a line diff: the changed lines of each side, and the runs of changes. */

/**
 * `oldCount` lines from line `old` are replaced by `newCount` lines from line `new`; lines count
 * from 0.
 */
export type Change = {
  readonly old: number
  readonly oldCount: number
  readonly new: number
  readonly newCount: number
}

/** One byte per line: 1 for a changed line. One 0 follows the last line. */
export type Marks = { readonly old: Uint8Array; readonly new: Uint8Array }

export const blankMarks = (oldLines: number, newLines: number): Marks => ({
  old: new Uint8Array(oldLines + 1),
  new: new Uint8Array(newLines + 1),
})

export function toChanges(marks: Marks): Change[] {
  const changes: Change[] = []
  const oldLines = marks.old.length - 1
  const newLines = marks.new.length - 1
  let i = 0
  let j = 0
  while (i < oldLines || j < newLines) {
    if (!marks.old[i] && !marks.new[j]) {
      i++
      j++
      continue
    }
    const startOld = i
    const startNew = j
    while (marks.old[i]) i++
    while (marks.new[j]) j++
    changes.push({ old: startOld, oldCount: i - startOld, new: startNew, newCount: j - startNew })
  }
  return changes
}
