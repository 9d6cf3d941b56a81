/** The lines of the base that a diff touches, and a fingerprint of the change. */
import type { FileDiff, Hunk } from '#git'
import type { LineRange, Touch } from './store-stats.ts'

/** A path with more separate ranges is stored as one range from the first to the last. */
const MAX_RANGES = 200
/** Paths in the index of one change. A larger change would overlap with everything. */
export const MAX_TOUCHED_PATHS = 3_000

/**
 * The ranges of a hunk in lines of the base. For lines that are only added, the range is the two
 * lines around them.
 */
function rangesOfHunk({ old_start, old_lines, lines }: Hunk): LineRange[] {
  const places: LineRange[] = []
  let next = old_lines === 0 ? old_start + 1 : old_start
  let first: number | null = null
  const end = () => {
    if (first !== null)
      places.push(first === next ? [Math.max(1, next - 1), next] : [first, next - 1])
    first = null
  }
  for (const { kind } of lines) {
    if (kind === 'context') end()
    else first ??= next
    if (kind !== 'add') next++
  }
  end()
  return places
}

function rangesOf(file: FileDiff): LineRange[] {
  const ranges = (file.hunks ?? []).flatMap(rangesOfHunk)
  const first = ranges[0]
  const last = ranges.at(-1)
  return ranges.length > MAX_RANGES && first && last ? [[first[0], last[1]]] : ranges
}

/** Touched ranges by the path in the base. A renamed file is listed under both names. */
export function touchesOf(files: readonly FileDiff[]): Touch[] {
  const touches: Touch[] = []
  for (const file of files.slice(0, MAX_TOUCHED_PATHS)) {
    const ranges: LineRange[] = file.status === 'added' ? [[1, 1]] : rangesOf(file)
    touches.push({ path: file.old_path ?? file.path, ranges })
    if (file.old_path !== null && file.old_path !== file.path)
      touches.push({ path: file.path, ranges: [] })
  }
  return touches
}

/**
 * A digest that is equal for diffs that make the same change in the same context, whatever their
 * line numbers, as `git patch-id` computes it (https://git-scm.com/docs/git-patch-id). Context
 * lines count, because the same line added elsewhere is another change. Binary files count by their
 * content.
 */
export function diffId(files: readonly FileDiff[]): string {
  const hasher = new Bun.CryptoHasher('sha256')
  const sorted = [...files].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
  for (const file of sorted) {
    hasher.update(JSON.stringify([file.path, file.old_path, file.status, file.mode, file.old_mode]))
    if (file.hunks === null) hasher.update(JSON.stringify([file.old_oid, file.new_oid]))
    else {
      for (const { lines } of file.hunks) {
        for (const { kind, text, no_newline } of lines)
          hasher.update(`${kind}${no_newline ? '!' : ' '}${text}\n`)
      }
    }
  }
  return hasher.digest('hex')
}

/** The intersection of two ordered lists of ranges. */
export function intersect(a: readonly LineRange[], b: readonly LineRange[]): LineRange[] {
  const shared: LineRange[] = []
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const [x, y] = [a[i], b[j]]
    if (x === undefined || y === undefined) break
    const first = Math.max(x[0], y[0])
    const last = Math.min(x[1], y[1])
    if (first <= last) shared.push([first, last])
    if (x[1] < y[1]) i++
    else j++
  }
  return shared
}
