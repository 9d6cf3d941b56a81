/** Groups changes into the hunks of a unified diff: https://git-scm.com/docs/diff-format. */
import type { DiffLine, Hunk } from '../ports.ts'
import type { Change } from './changes.ts'
import { endsWithNewline, type Lines } from './lines.ts'

/** A hunk with line numbers from 0: changes that share context, and the range of that context. */
export type HunkRange = {
  readonly oldFrom: number
  readonly oldTo: number
  readonly newFrom: number
  readonly newTo: number
  readonly changes: readonly Change[]
}

/** Groups changes whose contexts of `context` lines touch or overlap. */
export function hunkRanges(
  changes: readonly Change[],
  oldCount: number,
  newCount: number,
  context: number,
): HunkRange[] {
  const ranges: HunkRange[] = []
  for (let i = 0; i < changes.length; ) {
    const first = changes[i]
    if (!first) break
    const group = [first]
    let last = first
    for (
      let next = changes[++i];
      next && next.old - (last.old + last.oldCount) <= 2 * context;
      next = changes[++i]
    ) {
      group.push(next)
      last = next
    }
    const before = Math.min(context, first.old, first.new)
    const oldEnd = last.old + last.oldCount
    const newEnd = last.new + last.newCount
    const after = Math.min(context, oldCount - oldEnd, newCount - newEnd)
    ranges.push({
      oldFrom: first.old - before,
      oldTo: oldEnd + after,
      newFrom: first.new - before,
      newTo: newEnd + after,
      changes: group,
    })
  }
  return ranges
}

const HEADING_BYTES = 80

const isLetter = (byte: number | undefined): boolean =>
  byte !== undefined &&
  ((byte >= 0x41 && byte <= 0x5a) ||
    (byte >= 0x61 && byte <= 0x7a) ||
    byte === 0x5f ||
    byte === 0x24)

/**
 * Finds headings in the old file: the nearest line above a hunk that begins with a letter, `_` or
 * `$`. Hunks must be queried from top to bottom, so that each line is read once.
 */
export class Headings {
  private looked = -1
  private last: Uint8Array = new Uint8Array(0)

  constructor(private readonly lines: Lines) {}

  /** The heading for a hunk that starts at old line `line` (from 0), at most 80 bytes. */
  above(line: number): Uint8Array {
    const { data, starts, count } = this.lines
    for (let i = Math.min(line, count) - 1; i > this.looked; i--) {
      const from = starts[i] ?? 0
      if (!isLetter(data[from])) continue
      let to = Math.min(starts[i + 1] ?? from, from + HEADING_BYTES)
      while (to > from && [0x20, 0x09, 0x0a, 0x0d].includes(data[to - 1] ?? 0)) to--
      this.last = data.subarray(from, to)
      break
    }
    this.looked = Math.max(this.looked, line - 1)
    return this.last
  }
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

function toText(lines: Lines, line: number): { text: string; no_newline: boolean } {
  const from = lines.starts[line] ?? 0
  const to = lines.starts[line + 1] ?? from
  const raw = lines.data.subarray(from, to)
  const newline = endsWithNewline(raw)
  return { text: utf8.decode(newline ? raw.subarray(0, -1) : raw), no_newline: !newline }
}

/**
 * Hunks with the text of their lines. Context lines are the new file's, as in git when white space
 * is ignored.
 */
export function toHunks(a: Lines, b: Lines, changes: readonly Change[], context: number): Hunk[] {
  const headings = new Headings(a)
  return hunkRanges(changes, a.count, b.count, context).map((range) => {
    const lines: DiffLine[] = []
    let i = range.oldFrom
    let j = range.newFrom
    const common = (to: number) => {
      for (; j < to; i++, j++)
        lines.push({ kind: 'context', old: i + 1, new: j + 1, ...toText(b, j) })
    }
    for (const change of range.changes) {
      common(change.new)
      for (const end = change.old + change.oldCount; i < end; i++)
        lines.push({ kind: 'del', old: i + 1, new: null, ...toText(a, i) })
      for (const end = change.new + change.newCount; j < end; j++)
        lines.push({ kind: 'add', old: null, new: j + 1, ...toText(b, j) })
    }
    common(range.newTo)
    const oldLines = range.oldTo - range.oldFrom
    const newLines = range.newTo - range.newFrom
    return {
      old_start: oldLines === 0 ? range.oldFrom : range.oldFrom + 1,
      old_lines: oldLines,
      new_start: newLines === 0 ? range.newFrom : range.newFrom + 1,
      new_lines: newLines,
      heading: utf8.decode(headings.above(range.oldFrom)),
      lines,
    }
  })
}
