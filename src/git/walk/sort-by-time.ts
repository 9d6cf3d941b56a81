import type { Tables } from '../store/tables.ts'

const RADIX = 1 << 16

/**
 * Sorts commits in place, latest first; those of one time keep their order. Times are whole numbers
 * from 0. A radix sort: a sort with a comparison function takes several times as long for millions,
 * and copies them to the heap.
 */
export function sortLatestFirst(
  commits: Uint32Array,
  timeOf: (commit: number) => number,
  tables: Tables,
): void {
  let latest = 0
  for (let i = 0; i < commits.length; i++) latest = Math.max(latest, timeOf(commits[i]!))
  const spare = tables.allocate(Uint32Array, commits.length)
  let from = commits
  let to: Uint32Array = spare
  for (let unit = 1; unit <= latest; unit *= RADIX) {
    const digitOf = (commit: number) => Math.floor((latest - timeOf(commit)) / unit) % RADIX
    const starts = new Uint32Array(RADIX + 1)
    for (let i = 0; i < from.length; i++) starts[digitOf(from[i]!) + 1]!++
    for (let digit = 0; digit < RADIX; digit++) starts[digit + 1]! += starts[digit]!
    for (let i = 0; i < from.length; i++) to[starts[digitOf(from[i]!)]!++] = from[i]!
    ;[from, to] = [to, from]
  }
  if (from !== commits) commits.set(from)
  tables.release(spare)
}
