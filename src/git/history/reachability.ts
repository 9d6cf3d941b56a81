/**
 * Which commits reach which: merge bases, ahead and behind, reachability. All walks go from new to old by committer time
 * (git's `paint_down_to_common`), and do not depend on the clocks having been right for their answer, only for their speed.
 */
import type { ObjectReader, Oid } from '../ports.ts'
import { CommitQueue } from './commit-queue.ts'
import { commitSource, type CommitNode, type CommitSource } from './commit-source.ts'

/** How many commits to look at that need not be, in case the clocks were wrong. */
const SLOP = 128

/** Paints every commit with the set of starts that reach it, until all that is left is reached by every start. */
function paint(source: CommitSource, starts: readonly Oid[]): Map<Oid, bigint> {
  const all = (1n << BigInt(starts.length)) - 1n
  const marks = new Map<Oid, bigint>()
  const queue = new CommitQueue<CommitNode>()
  /** How many queued commits are not yet reached by every start; the walk ends when there are none. */
  let partial = 0
  const queued = new Map<Oid, boolean>()
  const add = (oid: Oid, mark: bigint) => {
    const before = marks.get(oid) ?? 0n
    const after = before | mark
    if (after === before) return
    marks.set(oid, after)
    const waiting = queued.get(oid)
    if (waiting === undefined) {
      queued.set(oid, after !== all)
      if (after !== all) partial++
      queue.put(source.get(oid))
    } else if (waiting && after === all) {
      queued.set(oid, false)
      partial--
    }
  }
  starts.forEach((oid, i) => add(oid, 1n << BigInt(i)))
  let oldest = Infinity
  let slop = SLOP
  for (;;) {
    // A common commit may still lead to one that is painted in part, where clocks were wrong: look some further.
    if (partial > 0 || (queue.first?.time ?? -1) >= oldest) slop = SLOP
    else if (slop-- === 0) break
    const node = queue.take()
    if (!node) break
    if (queued.get(node.oid)) partial--
    queued.delete(node.oid)
    const mark = marks.get(node.oid) ?? 0n
    if (mark !== all && node.time < oldest) oldest = node.time
    for (const parent of node.parents) add(parent, mark)
  }
  return marks
}

/** The best common ancestors of two commits, newest first: `git merge-base --all`. Several when histories cross. */
export const mergeBases = (db: ObjectReader, a: Oid, b: Oid): Oid[] => mergeBasesIn(commitSource(db), a, b)

export function mergeBasesIn(source: CommitSource, a: Oid, b: Oid): Oid[] {
  if (a === b) return [source.get(a).oid]
  const found = commonFrontier(source, a, b)
  if (found.length < 2) return found.map((node) => node.oid)
  // A candidate that another one reaches is not a best one. The painting tells, in one walk for all of them.
  const marks = paint(source, found.map((node) => node.oid))
  return found.filter((node, i) => marks.get(node.oid) === 1n << BigInt(i)).map((node) => node.oid)
}

const LEFT = 1
const RIGHT = 2
const BOTH = 3
/** Reached through a common ancestor: not a best one, unless the clocks lie, which the second pass repairs. */
const STALE = 4

function commonFrontier(source: CommitSource, a: Oid, b: Oid): CommitNode[] {
  const flags = new Map<Oid, number>([
    [a, LEFT],
    [b, RIGHT],
  ])
  const queue = new CommitQueue<CommitNode>()
  queue.put(source.get(a))
  queue.put(source.get(b))
  const inQueue = new Map<Oid, number>([
    [a, 1],
    [b, 1],
  ])
  let fresh = 2
  const found: CommitNode[] = []
  const seen = new Set<Oid>()
  while (fresh > 0) {
    const node = queue.take()
    if (!node) break
    const copies = inQueue.get(node.oid) ?? 1
    let mark = flags.get(node.oid) ?? 0
    if (!(mark & STALE)) fresh--
    if (copies > 1) inQueue.set(node.oid, copies - 1)
    else inQueue.delete(node.oid)
    if ((mark & (BOTH | STALE)) === BOTH) {
      if (!seen.has(node.oid)) {
        seen.add(node.oid)
        found.push(node)
      }
      mark |= STALE
    }
    for (const parent of node.parents) {
      const before = flags.get(parent) ?? 0
      if ((before & mark) === mark) continue
      const after = before | mark
      flags.set(parent, after)
      const waiting = inQueue.get(parent) ?? 0
      // Copies that wait in the queue turn stale together with their commit.
      if (!(before & STALE) && after & STALE) fresh -= waiting
      inQueue.set(parent, waiting + 1)
      if (!(after & STALE)) fresh++
      queue.put(source.get(parent))
    }
  }
  const best = found.filter((node) => !((flags.get(node.oid) ?? 0) & STALE))
  return best.map((node, i) => ({ node, i })).sort((x, y) => y.node.time - x.node.time || x.i - y.i).map(({ node }) => node)
}

/** How many commits `head` has that `base` has not, and the other way round, with the newest merge base. */
export function aheadBehind(db: ObjectReader, head: Oid, base: Oid): { ahead: number; behind: number; mergeBase: Oid | null } {
  const source = commitSource(db)
  if (head === base) return { ahead: 0, behind: 0, mergeBase: source.get(head).oid }
  let ahead = 0
  let behind = 0
  for (const mark of paint(source, [head, base]).values()) {
    if (mark === 1n) ahead++
    else if (mark === 2n) behind++
  }
  return { ahead, behind, mergeBase: mergeBasesIn(source, head, base)[0] ?? null }
}

/**
 * Whether a commit is one of the tips or an ancestor of one. Tips that are not commits (tags of trees or blobs) reach
 * nothing. Newest first, so a true answer comes early; a false one walks everything newer by generation, or all.
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
    if (node.generation !== Infinity && target.generation !== Infinity && node.generation <= target.generation) continue
    for (const parent of node.parents) {
      if (parent === oid) return true
      if (seen.has(parent)) continue
      seen.add(parent)
      queue.put(source.get(parent))
    }
  }
  return false
}
