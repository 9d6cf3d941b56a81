/**
 * Which commits reach which: merge bases, ahead and behind, reachability. All walks go from new to
 * old by committer time (git's `paint_down_to_common`), and do not depend on the clocks having been
 * right for their answer, only for their speed.
 */
import type { ObjectReader, Oid } from '../ports.ts'
import { CommitQueue } from './commit-queue.ts'
import { commitSource, type CommitNode, type CommitSource } from './commit-source.ts'

/** How many commits to look at that need not be, in case the clocks were wrong. */
const SLOP = 128

type Painted = { readonly node: CommitNode; readonly time: number; mark: bigint; waiting: boolean }

/**
 * Paints every commit with the set of starts that reach it, until all that is left is reached by
 * every start.
 */
function paint(source: CommitSource, starts: readonly Oid[]): Map<Oid, Painted> {
  const all = (1n << BigInt(starts.length)) - 1n
  const commits = new Map<Oid, Painted>()
  const queue = new CommitQueue<Painted>()
  /**
   * How many queued commits are not yet reached by every start; the walk ends when there are none.
   */
  let partial = 0
  const add = (oid: Oid, mark: bigint) => {
    let commit = commits.get(oid)
    if (!commit) {
      const node = source.get(oid)
      commit = { node, time: node.time, mark: 0n, waiting: false }
      commits.set(oid, commit)
    }
    const after = commit.mark | mark
    if (after === commit.mark) return
    if (commit.waiting) {
      if (after === all) partial--
    } else {
      commit.waiting = true
      if (after !== all) partial++
      queue.put(commit)
    }
    commit.mark = after
  }
  starts.forEach((oid, i) => add(oid, 1n << BigInt(i)))
  let oldest = Infinity
  let slop = SLOP
  for (;;) {
    // A common commit may still lead to one that is painted in part, where clocks were wrong: look
    // some further.
    if (partial > 0 || (queue.first?.time ?? -1) >= oldest) slop = SLOP
    else if (slop-- === 0) break
    const commit = queue.take()
    if (!commit) break
    commit.waiting = false
    if (commit.mark !== all) {
      partial--
      if (commit.time < oldest) oldest = commit.time
    }
    for (const parent of commit.node.parents) add(parent, commit.mark)
  }
  return commits
}

/**
 * The best common ancestors of two commits, newest first: `git merge-base --all`. Several when
 * histories cross.
 */
export const mergeBases = (db: ObjectReader, a: Oid, b: Oid): Oid[] =>
  mergeBasesIn(commitSource(db), a, b)

export function mergeBasesIn(source: CommitSource, a: Oid, b: Oid): Oid[] {
  if (a === b) return [source.get(a).oid]
  const found = commonFrontier(source, a, b)
  if (found.length < 2) return found.map((node) => node.oid)
  // A candidate that another one reaches is not a best one. The painting tells, in one walk for all
  // of them.
  const marks = paint(
    source,
    found.map((node) => node.oid),
  )
  return found
    .filter((node, i) => marks.get(node.oid)?.mark === 1n << BigInt(i))
    .map((node) => node.oid)
}

const LEFT = 1
const RIGHT = 2
const BOTH = 3
/**
 * Reached through a common ancestor: not a best one, unless the clocks lie, which the second pass
 * repairs.
 */
const STALE = 4

type Flagged = {
  readonly node: CommitNode
  readonly time: number
  flags: number
  copies: number
  found: boolean
}

function commonFrontier(source: CommitSource, a: Oid, b: Oid): CommitNode[] {
  const commits = new Map<Oid, Flagged>()
  const queue = new CommitQueue<Flagged>()
  /** How many entries of the queue are not stale; without any the walk is over. */
  let fresh = 0
  const add = (oid: Oid, flags: number) => {
    let commit = commits.get(oid)
    if (!commit) {
      const node = source.get(oid)
      commit = { node, time: node.time, flags: 0, copies: 0, found: false }
      commits.set(oid, commit)
    }
    if ((commit.flags & flags) === flags) return
    // Copies that wait in the queue turn stale together with their commit.
    if (!(commit.flags & STALE) && flags & STALE) fresh -= commit.copies
    commit.flags |= flags
    commit.copies++
    if (!(commit.flags & STALE)) fresh++
    queue.put(commit)
  }
  add(a, LEFT)
  add(b, RIGHT)
  const found: Flagged[] = []
  while (fresh > 0) {
    const commit = queue.take()
    if (!commit) break
    commit.copies--
    let flags = commit.flags
    if (!(flags & STALE)) fresh--
    if (flags === BOTH) {
      if (!commit.found) found.push(commit)
      commit.found = true
      flags |= STALE
    }
    for (const parent of commit.node.parents) add(parent, flags)
  }
  const best = found.filter((commit) => !(commit.flags & STALE))
  return best
    .map(({ node }, i) => ({ node, i }))
    .sort((x, y) => y.node.time - x.node.time || x.i - y.i)
    .map(({ node }) => node)
}

/**
 * How many commits `head` has that `base` has not, and the other way round, with the newest merge
 * base.
 */
export function aheadBehind(
  db: ObjectReader,
  head: Oid,
  base: Oid,
): { ahead: number; behind: number; mergeBase: Oid | null } {
  const source = commitSource(db)
  if (head === base) return { ahead: 0, behind: 0, mergeBase: source.get(head).oid }
  let ahead = 0
  let behind = 0
  for (const { mark } of paint(source, [head, base]).values()) {
    if (mark === 1n) ahead++
    else if (mark === 2n) behind++
  }
  return { ahead, behind, mergeBase: mergeBasesIn(source, head, base)[0] ?? null }
}

/**
 * Whether a commit is one of the tips or an ancestor of one. Tips that are not commits (tags of
 * trees or blobs) reach nothing. Newest first, so a true answer comes early; a false one walks
 * everything newer by generation, or all.
 */
export function isReachable(db: ObjectReader, oid: Oid, tips: readonly Oid[]): boolean {
  if (tips.includes(oid)) return true
  if (db.header(oid)?.type !== 'commit') return false
  const source = commitSource(db)
  const target = source.get(oid)
  const seen = new Set<Oid>()
  const queue = new CommitQueue<CommitNode>()
  for (const tip of tips) {
    if (seen.has(tip) || db.header(tip)?.type !== 'commit') continue
    seen.add(tip)
    queue.put(source.get(tip))
  }
  for (let node = queue.take(); node; node = queue.take()) {
    // A known level that is not above the target's cannot lead down to it.
    if (
      node.generation !== Infinity &&
      target.generation !== Infinity &&
      node.generation <= target.generation
    )
      continue
    for (const parent of node.parents) {
      if (parent === oid) return true
      if (seen.has(parent)) continue
      seen.add(parent)
      queue.put(source.get(parent))
    }
  }
  return false
}
