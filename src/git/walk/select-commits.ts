/**
 * Which commits a client lacks: reachable from what it wants, not from what it has (git-rev-list).
 */
import type { CommitTable } from './commit-table.ts'
import { Marks } from './marks.ts'
import { TimeQueue } from './queue.ts'

const SEEN = 1
const HIDDEN = 2
const QUEUED = 4
/**
 * Steps that the walk goes on after the last wanted commit left the queue, against wrong clocks
 * (git's SLOP).
 */
const SLOP = 5

export type CommitSelection = {
  /** Latest first. */
  readonly commits: readonly number[]
  /** Whether a commit is one that the other side has, as far as the walk came. */
  isHidden(commit: number): boolean
}

/**
 * Walks back from `wants` and leaves out what `haves` reach. The parents of commits for which
 * `isCut` holds are not followed (shallow boundaries). A wrong clock can only make the answer
 * larger. `tick` is called now and then.
 */
export function selectCommits(
  table: CommitTable,
  wants: readonly number[],
  haves: readonly number[],
  isCut: (commit: number) => boolean,
): CommitSelection {
  const marks = new Marks()
  const queue = new TimeQueue()
  const found: number[] = []
  let open = 0

  const push = (commit: number) => {
    table.load(commit)
    marks.add(commit, QUEUED)
    if (!(marks.get(commit) & HIDDEN)) open++
    queue.push(commit, table.time(commit))
  }
  const queued = new Marks()
  const left = (commit: number) => queued.add(commit, 1)
  /** Marks a commit and, where the walk has already passed, all its ancestors as had. */
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
  let slop = SLOP
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
