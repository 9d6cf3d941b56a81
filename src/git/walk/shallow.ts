/**
 * Computes the boundary of a shallow clone (gitprotocol-pack, "shallow"; git's shallow.c and
 * upload-pack.c).
 */
import type { CommitTable } from './commit-table.ts'
import { CommitMarks } from './commit-marks.ts'
import { CommitTimeQueue } from './time-queue.ts'

/** Depth that git sends for `--unshallow`. */
export const INFINITE_DEPTH = 0x7fffffff

export type ShallowRequest = {
  /** Commits whose parents the client lacks. */
  readonly client: readonly number[]
  readonly depth: number
  readonly relative: boolean
  /** Seconds since 1970, or null. */
  readonly since: number | null
  /** Commits whose history is excluded (`deepen-not`). */
  readonly excluded: readonly number[]
}

export type ShallowBoundary = {
  /** Commits that become shallow. */
  readonly shallow: readonly number[]
  /** Commits that are shallow at the client and no longer will be. */
  readonly unshallow: readonly number[]
  /** All shallow commits after the fetch. */
  readonly cut: ReadonlySet<number>
}

/**
 * Returns the boundary for a request that deepens; `wants` are commits. Returns null when `since`
 * or `excluded` leave no commit.
 */
export function computeShallow(
  table: CommitTable,
  wants: readonly number[],
  request: ShallowRequest,
): ShallowBoundary | null {
  const client = new Set(request.client)
  let edges: number[]
  let inside: CommitMarks
  if (request.since !== null || request.excluded.length > 0) {
    const found = cutByLimits(table, wants, request.since, request.excluded)
    if (found.count === 0) return null
    edges = found.edges
    inside = found.inside
  } else if (request.depth >= INFINITE_DEPTH && !table.hasShallowRoots) {
    edges = []
    inside = new CommitMarks()
    for (const commit of client) inside.add(commit, 1)
  } else if (request.relative) {
    const starts = reachableTargets(table, wants, client)
    ;({ edges, inside } = cutByDepth(table, starts, request.depth + 1))
  } else ({ edges, inside } = cutByDepth(table, wants, request.depth))

  const shallow = edges.filter((commit) => !client.has(commit))
  const edgeSet = new Set(edges)
  const unshallow = [...client].filter((commit) => inside.get(commit) !== 0 && !edgeSet.has(commit))
  const cut = new Set([...edges, ...client])
  for (const commit of unshallow) cut.delete(commit)
  return { shallow, unshallow, cut }
}

/**
 * Returns the shallow roots that a client reaches from its wants, as far as it follows history, and
 * does not have as boundary yet. Version 2 sends them with every fetch from a shallow repository
 * (`send_shallow_info` in git's upload-pack.c).
 */
export function shallowRootsBelow(
  table: CommitTable,
  wants: readonly number[],
  client: ReadonlySet<number>,
): number[] {
  const { edges } = cutByDepth(table, wants, INFINITE_DEPTH, client)
  return edges.filter((commit) => !client.has(commit))
}

/**
 * Returns the commits at most `depth - 1` steps from the starts. Those at the last step are edges,
 * in git also when they have no parents, and so are shallow roots and commits in `ends`.
 */
function cutByDepth(
  table: CommitTable,
  starts: readonly number[],
  depth: number,
  ends?: ReadonlySet<number>,
): { edges: number[]; inside: CommitMarks } {
  const inside = new CommitMarks()
  const edges: number[] = []
  let level = [...new Set(starts)]
  const seen = new CommitMarks()
  for (const commit of level) seen.add(commit, 1)
  for (let step = 1; level.length > 0 && step <= depth; step++) {
    const next: number[] = []
    for (const commit of level) {
      table.load(commit)
      const count = table.parentCount(commit)
      if (step === depth || ends?.has(commit) || table.isShallowRoot(commit)) {
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
 * Returns the commits not older than `since` and not reachable from `excluded`. Edges are those
 * with a parent outside.
 */
function cutByLimits(
  table: CommitTable,
  wants: readonly number[],
  since: number | null,
  not: readonly number[],
): { edges: number[]; inside: CommitMarks; count: number } {
  const hidden = new CommitMarks()
  const stack = [...not]
  while (stack.length > 0) {
    const commit = stack.pop()!
    if (!hidden.add(commit, 1)) continue
    table.load(commit)
    for (let i = 0; i < table.parentCount(commit); i++) stack.push(table.parent(commit, i))
  }
  const inside = new CommitMarks()
  const seen = new CommitMarks()
  const queue = new CommitTimeQueue()
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
    return table.isShallowRoot(commit)
  })
  return { edges, inside, count: found.length }
}

/** Returns the targets that the wants reach, without the ancestors of targets. */
function reachableTargets(
  table: CommitTable,
  wants: readonly number[],
  targets: ReadonlySet<number>,
): number[] {
  const seen = new CommitMarks()
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
