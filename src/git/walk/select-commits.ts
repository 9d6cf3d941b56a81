/**
 * Selects the commits that a client lacks: reachable from its wants, not from its haves
 * (git-rev-list).
 */
import type { CommitTable } from './commit-table.ts'
import { CommitMarks } from './commit-marks.ts'
import { CommitTimeQueue } from './time-queue.ts'

const SEEN = 1
const HIDDEN = 2
const QUEUED = 4
/**
 * Steps of the walk after the last wanted commit left the queue, against wrong clocks (git's SLOP).
 */
const SLOP_STEPS = 5

export type CommitSelection = {
  /** Latest first. */
  readonly commits: readonly number[]
  /** Whether the other side has a commit, as far as the walk went. */
  isHidden(commit: number): boolean
}

/**
 * Walks back from `wants` and excludes what `haves` reach. The parents of commits for which `isCut`
 * holds are not followed (shallow boundaries). Wrong clocks can only add commits to the result.
 */
export function selectCommits(
  table: CommitTable,
  wants: readonly number[],
  haves: readonly number[],
  isCut: (commit: number) => boolean,
): CommitSelection {
  const marks = new CommitMarks()
  const queue = new CommitTimeQueue()
  const found: number[] = []
  let open = 0

  const push = (commit: number) => {
    table.load(commit)
    marks.add(commit, QUEUED)
    if (!(marks.get(commit) & HIDDEN)) open++
    queue.push(commit, table.time(commit))
  }
  const queued = new CommitMarks()
  const left = (commit: number) => queued.add(commit, 1)
  /** Marks a commit as had, and also its ancestors that the walk has passed already. */
  const hide = (start: number) => {
    const stack = [start]
    while (stack.length > 0) {
      const commit = stack.pop()!
      if (!marks.add(commit, HIDDEN)) continue
      const state = marks.get(commit)
      if (!(state & SEEN)) {
        marks.add(commit, SEEN)
        push(commit)
      } else if (queued.get(commit)) {
        if (!isCut(commit))
          for (let i = 0; i < table.parentCount(commit); i++) stack.push(table.parent(commit, i))
      } else open--
    }
  }

  for (const have of haves) hide(have)
  for (const want of wants) if (marks.add(want, SEEN)) push(want)
  let slop = SLOP_STEPS
  while (queue.size > 0) {
    if (open === 0 && --slop < 0) break
    const commit = queue.pop()
    left(commit)
    const hidden = (marks.get(commit) & HIDDEN) !== 0
    if (!hidden) {
      open--
      found.push(commit)
    }
    if (isCut(commit)) continue
    for (let i = 0; i < table.parentCount(commit); i++) {
      const parent = table.parent(commit, i)
      if (hidden) hide(parent)
      else if (marks.add(parent, SEEN)) push(parent)
    }
  }
  return {
    commits: found.filter((commit) => !(marks.get(commit) & HIDDEN)),
    isHidden: (commit) => (marks.get(commit) & HIDDEN) !== 0,
  }
}
