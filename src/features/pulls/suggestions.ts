/**
 * Suggestions of line comments as changes of files: where their lines are by now, and what the file
 * becomes.
 */
import type { FileDiff } from '#git'

/** Lines of one file that become others; `first` and `last` count from 1. */
export type Replacement = {
  readonly first: number
  readonly last: number
  readonly lines: readonly string[]
}

/**
 * Where the lines of a comment are after a change of their file; null when the change touched them.
 * `file` is the comparison without context, or null for a file that did not change.
 */
export function carried(
  file: FileDiff | null,
  { first, last }: { first: number; last: number },
): { first: number; last: number } | null {
  if (!file) return { first, last }
  if (file.status === 'removed' || file.hunks === null) return null
  let shift = 0
  for (const hunk of file.hunks) {
    // Where lines are only added, the hunk stands behind the line it names.
    const from = hunk.old_lines === 0 ? hunk.old_start + 1 : hunk.old_start
    const to = hunk.old_start + Math.max(hunk.old_lines, 1) - 1
    if (hunk.old_lines === 0 ? first < from && from <= last : from <= last && first <= to)
      return null
    if (from <= first) shift += hunk.new_lines - hunk.old_lines
  }
  return { first: first + shift, last: last + shift }
}

/** Whether two of them want the same lines. */
export const collide = (all: readonly Replacement[]): boolean => {
  const sorted = [...all].sort((a, b) => a.first - b.first)
  return sorted.some((one, at) => at > 0 && one.first <= (sorted[at - 1]?.last ?? 0))
}

/**
 * A file with lines replaced, byte-exact elsewhere: the bytes are taken as one character each. The
 * new lines end as the first line that they replace does. Null when the file does not have these
 * lines.
 */
export function replaceLines(
  data: Uint8Array,
  replacements: readonly Replacement[],
): Uint8Array | null {
  const text = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('latin1')
  const lines = text.split(/(?<=\n)/)
  for (const { first, last, lines: wanted } of [...replacements].sort(
    (a, b) => b.first - a.first,
  )) {
    if (last > lines.length || first < 1) return null
    const before = lines[last - 1] ?? ''
    const ending = (lines[first - 1] ?? '').endsWith('\r\n') ? '\r\n' : '\n'
    const fresh = wanted.map((line) => `${Buffer.from(line, 'utf8').toString('latin1')}${ending}`)
    // A file that ended without a newline still does.
    if (!before.endsWith('\n') && fresh.length > 0)
      fresh.push((fresh.pop() ?? '').slice(0, -ending.length))
    lines.splice(first - 1, last - first + 1, ...fresh)
  }
  return Buffer.from(lines.join(''), 'latin1')
}
