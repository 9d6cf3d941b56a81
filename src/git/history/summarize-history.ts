/**
 * Counts commits, added and deleted lines of a history by week and author, in slices. The state
 * between slices is opaque bytes, which the host stores. A summary of an earlier commit is extended
 * by the commits since then. Merges count as commits without lines, as in `git log --numstat`.
 */
import { Effort } from '../diff/effort.ts'
import { easyCounts, lineChanges, withContent, sumChanges, type Counts } from '../diff/content.ts'
import { filePairs, isSubmodule, type FilePair } from '../diff/file-pair.ts'
import {
  GitError,
  type HistorySlice,
  type ObjectReader,
  type Oid,
  type SliceOptions,
} from '../ports.ts'
import { commitSource, type CommitNode } from './commit-source.ts'
import { HistoryCounts } from './history-counts.ts'
import { readCommit, walkCommits } from './log.ts'
import type { PausableWork } from './pausable-work.ts'
import { isReachable } from './reachability.ts'

/** Commits beyond the newest so many do not count, because a walk keeps all of them in memory. */
const MAX_COMMITS = 1_500_000
/** Files of one commit whose lines are counted. */
const MAX_FILES_PER_COMMIT = 5_000
/** Larger files are taken for data. */
const MAX_FILE_BYTES = 1024 * 1024
/** For all comparisons of one commit: about 0.1 s. */
const EFFORT_PER_COMMIT = 50_000_000
/** Other work of the thread gets a turn after so many commits of a walk, or compared files. */
const NODES_PER_TURN = 1024
const FILES_PER_TURN = 16

/** One slice. Throws GitError `missing` for an unknown commit. */
export function* summarizeHistory(
  db: ObjectReader,
  head: Oid,
  { state, maxMs, nowMs }: SliceOptions,
): PausableWork<HistorySlice> {
  const counts = HistoryCounts.decode(state)
  if (counts.next === null) yield* begin(db, counts, head)
  const { next } = counts
  if (next === null) return counts.toSlice()
  const hide = counts.head === null ? [] : [counts.head]
  const begunMs = performance.now()
  let until = Infinity
  let seen = 0
  for (const node of walkCommits(db, { tips: [next.head], hide })) {
    if (++seen % NODES_PER_TURN === 0) yield 'pause'
    if (seen <= next.walked) continue
    const now = performance.now()
    if (until === Infinity) until = now + Math.max(maxMs, now - begunMs)
    if (now > until) return counts.toSlice()
    if (next.walked >= MAX_COMMITS) break
    const { author } = readCommit(db, node.oid)
    const lines = yield* countChangedLines(db, node)
    counts.add(author, { ...lines, nowMs })
    next.walked++
  }
  counts.finish()
  return counts.toSlice()
}

/** Begins to count a head: what it adds to the counted commits, or all when it is no descendant. */
function* begin(db: ObjectReader, counts: HistoryCounts, head: Oid): PausableWork<void> {
  if (counts.head === head) return
  if (counts.head !== null && !isReachable(db, counts.head, [head])) counts.clear()
  const hide = counts.head === null ? [] : [counts.head]
  let total = 0
  for (const _ of walkCommits(db, { tips: [head], hide }))
    if (++total % NODES_PER_TURN === 0) yield 'pause'
  counts.begin(head, Math.min(total, MAX_COMMITS))
}

function* countChangedLines(db: ObjectReader, node: CommitNode): PausableWork<Counts> {
  const [parent, second] = node.parents
  const sum = { additions: 0, deletions: 0 }
  if (second !== undefined) return sum
  const before = parent === undefined ? null : commitSource(db).get(parent).tree
  const effort = new Effort(EFFORT_PER_COMMIT)
  const pairs = listPairs(db, before, node.tree).slice(0, MAX_FILES_PER_COMMIT)
  for (const [index, pair] of pairs.entries()) {
    const { additions, deletions } = countLinesOf(db, pair, effort)
    sum.additions += additions
    sum.deletions += deletions
    if ((index + 1) % FILES_PER_TURN === 0) yield 'pause'
  }
  return sum
}

function listPairs(db: ObjectReader, before: Oid | null, tree: Oid): FilePair[] {
  try {
    return filePairs(db, before, tree)
  } catch (error) {
    if (error instanceof GitError && error.code === 'too_large') return []
    throw error
  }
}

function countLinesOf(db: ObjectReader, pair: FilePair, effort: Effort): Counts {
  for (const entry of [pair.old, pair.new])
    if (entry && !isSubmodule(entry) && (db.header(entry.oid)?.size ?? 0) > MAX_FILE_BYTES)
      return { additions: 0, deletions: 0 }
  return withContent(
    db,
    pair,
    (content) =>
      easyCounts(pair, content) ??
      sumChanges(lineChanges(content, pair.status === 'type_changed', false, effort).changes),
  )
}
