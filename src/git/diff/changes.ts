/**
 * What a line diff computes: for each side which lines are not common, and the runs of change that
 * follow from it.
 */

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

/** One byte per line, 1 where the line is changed, with one 0 beyond the end. */
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
