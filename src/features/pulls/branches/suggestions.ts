/** Maps suggestions of line comments to the present head, and applies them to files. */
import type { FileDiff } from '#git'

/** Lines of one file to replace; `first` and `last` count from 1. */
export type Replacement = {
  readonly first: number
  readonly last: number
  readonly lines: readonly string[]
}

/**
 * The lines of a comment after a change of their file; null when the change touched them. `file` is
 * the diff without context, or null when the file did not change.
 */
export function carryLines(
  file: FileDiff | null,
  { first, last }: { first: number; last: number },
): { first: number; last: number } | null {
  if (!file) return { first, last }
  if (file.status === 'removed' || file.hunks === null) return null
  let shift = 0
  for (const hunk of file.hunks) {
    // A hunk that only adds lines starts after the line that it names.
    const from = hunk.old_lines === 0 ? hunk.old_start + 1 : hunk.old_start
    const to = hunk.old_start + Math.max(hunk.old_lines, 1) - 1
    if (hunk.old_lines === 0 ? first < from && from <= last : from <= last && first <= to)
      return null
    if (from <= first) shift += hunk.new_lines - hunk.old_lines
  }
  return { first: first + shift, last: last + shift }
}

/** Whether two replacements overlap. */
export const overlap = (all: readonly Replacement[]): boolean => {
  const sorted = [...all].sort((a, b) => a.first - b.first)
  return sorted.some((one, at) => at > 0 && one.first <= (sorted[at - 1]?.last ?? 0))
}

/**
 * Replaces lines of a file and keeps all other bytes. The bytes are decoded as Latin-1, one
 * character each. New lines take the line ending of the first line that they replace. Null when the
 * file does not have these lines.
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
    // A file without a newline at its end stays so.
    if (!before.endsWith('\n') && fresh.length > 0)
      fresh.push((fresh.pop() ?? '').slice(0, -ending.length))
    lines.splice(first - 1, last - first + 1, ...fresh)
  }
  return Buffer.from(lines.join(''), 'latin1')
}
