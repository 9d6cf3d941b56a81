/**
 * Where the history of a shallow clone ends (gitprotocol-pack, "shallow"; git's shallow.c and
 * upload-pack.c).
 */
import type { CommitTable } from './commit-table.ts'
import { Marks } from './marks.ts'
import { TimeQueue } from './queue.ts'

/** What git sends for `--unshallow`. */
export const INFINITE_DEPTH = 0x7fffffff

export type ShallowRequest = {
  /** Commits whose parents the client lacks. */
  readonly client: readonly number[]
  readonly depth: number
  readonly relative: boolean
  /** Seconds since 1970, or null. */
  readonly since: number | null
  /** Commits whose history is left out. */
  readonly not: readonly number[]
}

export type ShallowAnswer = {
  /** Commits that become the ends of history. */
  readonly shallow: readonly number[]
  /** Ends that the client has and that are ends no more. */
  readonly unshallow: readonly number[]
  /** All ends that hold after the answer. */
  readonly cut: ReadonlySet<number>
}

/**
 * The answer to a request that deepens; `wants` are commits. Null when `since` or `not` leave
 * nothing.
 */
export function computeShallow(
  table: CommitTable,
  wants: readonly number[],
  request: ShallowRequest,
): ShallowAnswer | null {
  const client = new Set(request.client)
  let edges: number[]
  let inside: Marks
  if (request.since !== null || request.not.length > 0) {
    const found = byLimits(table, wants, request.since, request.not)
    if (found.count === 0) return null
    edges = found.edges
    inside = found.inside
  } else if (request.depth >= INFINITE_DEPTH) {
    edges = []
    inside = new Marks()
    for (const commit of client) inside.add(commit, 1)
  } else if (request.relative) {
    const starts = reachableOf(table, wants, client)
    ;({ edges, inside } = byDepth(table, starts, request.depth + 1))
  } else ({ edges, inside } = byDepth(table, wants, request.depth))

  const shallow = edges.filter((commit) => !client.has(commit))
  const edgeSet = new Set(edges)
  const unshallow = [...client].filter((commit) => inside.get(commit) !== 0 && !edgeSet.has(commit))
  const cut = new Set([...edges, ...client])
  for (const commit of unshallow) cut.delete(commit)
  return { shallow, unshallow, cut }
}

/**
 * Commits at most `depth - 1` steps from the starts; those at the last step are edges, as in git
 * also where there is nothing behind them.
 */
function byDepth(
  table: CommitTable,
  starts: readonly number[],
  depth: number,
): { edges: number[]; inside: Marks } {
  const inside = new Marks()
  const edges: number[] = []
  let level = [...new Set(starts)]
  const seen = new Marks()
  for (const commit of level) seen.add(commit, 1)
  for (let step = 1; level.length > 0 && step <= depth; step++) {
    const next: number[] = []
    for (const commit of level) {
      table.load(commit)
      const count = table.parentCount(commit)
      if (step === depth) {
        edges.push(commit)
        continue
      }
      inside.add(commit, 1)
      for (let i = 0; i < count; i++) {
        const parent = table.parent(commit, i)
        if (seen.add(parent, 1)) next.push(parent)
      }
    }
    level = next
  }
  return { edges, inside }
}

/**
 * Commits not older than `since` and not reachable from `not`; edges are those with a parent
 * outside.
 */
function byLimits(
  table: CommitTable,
  wants: readonly number[],
  since: number | null,
  not: readonly number[],
): { edges: number[]; inside: Marks; count: number } {
  const hidden = new Marks()
  const stack = [...not]
  while (stack.length > 0) {
    const commit = stack.pop()!
    if (!hidden.add(commit, 1)) continue
    table.load(commit)
    for (let i = 0; i < table.parentCount(commit); i++) stack.push(table.parent(commit, i))
  }
  const inside = new Marks()
  const seen = new Marks()
  const queue = new TimeQueue()
  const found: number[] = []
  const push = (commit: number) => {
    if (!seen.add(commit, 1) || hidden.get(commit)) return
    table.load(commit)
    queue.push(commit, table.time(commit))
  }
  wants.forEach(push)
  while (queue.size > 0) {
    const commit = queue.pop()
    if (since !== null && table.time(commit) < since) continue
    inside.add(commit, 1)
    found.push(commit)
    for (let i = 0; i < table.parentCount(commit); i++) push(table.parent(commit, i))
  }
  const edges = found.filter((commit) => {
    for (let i = 0; i < table.parentCount(commit); i++)
      if (!inside.get(table.parent(commit, i))) return true
    return false
  })
  return { edges, inside, count: found.length }
}

/** Those of `targets` that the wants reach, not looking behind them. */
function reachableOf(
  table: CommitTable,
  wants: readonly number[],
  targets: ReadonlySet<number>,
): number[] {
  const seen = new Marks()
  const found: number[] = []
  const stack = [...wants]
  while (stack.length > 0) {
    const commit = stack.pop()!
    if (!seen.add(commit, 1)) continue
    if (targets.has(commit)) {
      found.push(commit)
      continue
    }
    table.load(commit)
    for (let i = 0; i < table.parentCount(commit); i++) stack.push(table.parent(commit, i))
  }
  return found
}
