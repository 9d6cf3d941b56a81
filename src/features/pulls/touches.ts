/** What a diff touches: the lines of the base per path, and a fingerprint of the change itself. */
import type { FileDiff, Hunk } from '#git'
import type { LineRange, Touch } from './store-stats.ts'

/** A path with more separate places is taken as one place from the first to the last. */
const MOST_RANGES = 200
/** Past this many paths a change overlaps with everything, and the index would say nothing. */
export const MOST_TOUCHES = 3_000

/** The places of a hunk as lines of the base. Where lines are only added, the two around them. */
function placesOf({ old_start, old_lines, lines }: Hunk): LineRange[] {
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
  const ranges = (file.hunks ?? []).flatMap(placesOf)
  const first = ranges[0]
  const last = ranges.at(-1)
  return ranges.length > MOST_RANGES && first && last ? [[first[0], last[1]]] : ranges
}

/** By the paths of the base. A file that gets another name is touched under both. */
export function touchesOf(files: readonly FileDiff[]): Touch[] {
  const touches: Touch[] = []
  for (const file of files.slice(0, MOST_TOUCHES)) {
    const ranges: LineRange[] = file.status === 'added' ? [[1, 1]] : rangesOf(file)
    touches.push({ path: file.old_path ?? file.path, ranges })
    if (file.old_path !== null && file.old_path !== file.path)
      touches.push({ path: file.path, ranges: [] })
  }
  return touches
}

/**
 * A digest that is the same for two diffs that make the same change in the same surroundings,
 * whatever its line numbers:
 * what `git patch-id` computes (https://git-scm.com/docs/git-patch-id). The lines around a change
 * belong to it, because the
 * same line added elsewhere means something else. Files without text count by their content.
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

/** The places that two lists of ranges share. Both are in order. */
export function intersect(a: readonly LineRange[], b: readonly LineRange[]): LineRange[] {
  const shared: LineRange[] = []
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const [x, y] = [a[i]!, b[j]!]
    const first = Math.max(x[0], y[0])
    const last = Math.min(x[1], y[1])
    if (first <= last) shared.push([first, last])
    if (x[1] < y[1]) i++
    else j++
  }
  return shared
}
