/**
 * Merge bases, ahead and behind, reachability. All walks go from new to old by committer time (git's
 * `paint_down_to_common`). Wrong clocks make them slower, never wrong.
 */
import type { ObjectReader, Oid } from '../ports.ts'
import { CommitQueue } from './commit-queue.ts'
import { commitSource, type CommitNode, type CommitSource } from './commit-source.ts'

/** Commits that are walked after the apparent end, in case clocks were wrong. */
const MAX_EXTRA_COMMITS = 128

type Painted = { readonly node: CommitNode; readonly time: number; mark: bigint; waiting: boolean }

/**
 * Marks every commit with the set of starts that reach it, until all commits in the queue are
 * reached by every start.
 */
function paint(source: CommitSource, starts: readonly Oid[]): Map<Oid, Painted> {
  const all = (1n << BigInt(starts.length)) - 1n
  const commits = new Map<Oid, Painted>()
  const queue = new CommitQueue<Painted>()
  /** Queued commits that some start does not reach yet. The walk ends when there are none. */
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
  let slop = MAX_EXTRA_COMMITS
  for (;;) {
    // If clocks were wrong, a common commit may lead to one that is marked in part. So walk some
    // commits further.
    if (partial > 0 || (queue.first?.time ?? -1) >= oldest) slop = MAX_EXTRA_COMMITS
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
 * `git merge-base --all`: the best common ancestors of two commits, newest first. There are several
 * when histories cross.
 */
export const findMergeBases = (db: ObjectReader, a: Oid, b: Oid): Oid[] =>
  findMergeBasesIn(commitSource(db), a, b)

export function findMergeBasesIn(source: CommitSource, a: Oid, b: Oid): Oid[] {
  if (a === b) return [source.get(a).oid]
  const found = findCommonAncestors(source, a, b)
  if (found.length < 2) return found.map((node) => node.oid)
  // A candidate that another candidate reaches is not a best one. One walk marks all of them.
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
 * Reached through a common ancestor, so not a best one. Wrong clocks can hide that; the second pass
 * of `findMergeBases` corrects it.
 */
const STALE = 4

type Flagged = {
  readonly node: CommitNode
  readonly time: number
  flags: number
  copies: number
  found: boolean
}

function findCommonAncestors(source: CommitSource, a: Oid, b: Oid): CommitNode[] {
  const commits = new Map<Oid, Flagged>()
  const queue = new CommitQueue<Flagged>()
  /** Queue entries that are not stale. The walk ends when there are none. */
  let fresh = 0
  const add = (oid: Oid, flags: number) => {
    let commit = commits.get(oid)
    if (!commit) {
      const node = source.get(oid)
      commit = { node, time: node.time, flags: 0, copies: 0, found: false }
      commits.set(oid, commit)
    }
    if ((commit.flags & flags) === flags) return
    // Queued copies become stale together with their commit.
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

/** Counts the commits that only `head` and only `base` has, and finds the newest merge base. */
export function countAheadBehind(
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
  return { ahead, behind, mergeBase: findMergeBasesIn(source, head, base)[0] ?? null }
}

/**
 * Whether a commit is one of the tips or an ancestor of one. Tips that are no commits (tags of trees
 * or blobs) reach nothing. The walk goes newest first, so it finds a reachable commit early. For an
 * unreachable one it walks all commits of higher generation, or all without generations.
 */
export function isReachable(db: ObjectReader, oid: Oid, tips: readonly Oid[]): boolean {
  if (tips.includes(oid)) return true
  if (db.header(oid)?.type !== 'commit') return false
  const source = commitSource(db)
  const nodes = tips
    .filter((tip) => db.header(tip)?.type === 'commit')
    .map((tip) => source.get(tip))
  return walkTo(source, source.get(oid), nodes, new Set(), new Set())
}

/**
 * The tips that reach a commit. Tips of one history share a walk: an older one is walked first, and
 * a newer one ends where it meets what is known.
 */
export function findReachingTips(db: ObjectReader, oid: Oid, tips: readonly Oid[]): Oid[] {
  if (db.header(oid)?.type !== 'commit') return tips.filter((tip) => tip === oid)
  const source = commitSource(db)
  const target = source.get(oid)
  const reaching = new Set<Oid>([oid])
  const others = new Set<Oid>()
  const nodes = [...new Set(tips)]
    .filter((tip) => tip !== oid && db.header(tip)?.type === 'commit')
    .map((tip) => source.get(tip))
    .sort((a, b) => a.time - b.time)
  for (const node of nodes)
    if (walkTo(source, target, [node], reaching, others)) reaching.add(node.oid)
  return tips.filter((tip) => reaching.has(tip))
}

/**
 * Whether a commit, or one of those that are known to reach it, is an ancestor of the tips. A walk
 * without success adds its commits to `others`, which are known not to reach it.
 */
function walkTo(
  source: CommitSource,
  target: CommitNode,
  tips: readonly CommitNode[],
  reaching: ReadonlySet<Oid>,
  others: Set<Oid>,
): boolean {
  const seen = new Set<Oid>()
  const queue = new CommitQueue<CommitNode>()
  const add = (node: CommitNode): void => {
    seen.add(node.oid)
    queue.put(node)
  }
  for (const tip of tips) {
    if (reaching.has(tip.oid)) return true
    if (!seen.has(tip.oid) && !others.has(tip.oid)) add(tip)
  }
  for (let node = queue.take(); node; node = queue.take()) {
    // A commit does not reach commits of the same or a higher generation.
    if (
      node.generation !== Infinity &&
      target.generation !== Infinity &&
      node.generation <= target.generation
    )
      continue
    for (const parent of node.parents) {
      if (parent === target.oid || reaching.has(parent)) return true
      if (!seen.has(parent) && !others.has(parent)) add(source.get(parent))
    }
  }
  for (const oid of seen) others.add(oid)
  return false
}
