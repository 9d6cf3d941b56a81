/**
 * Names a commit by its nearest tag (git-describe), for the placeholder `%(describe)`. The walk and
 * its order are those of git's builtin/describe.c, so that the result is the same.
 */
import { nameMatches } from '../attributes/index.ts'
import { parseTag } from '../object.ts'
import type { ObjectReader, Oid, Ref } from '../ports.ts'
import { commitSource, type CommitNode } from './commit-source.ts'

export type DescribeOptions = {
  /** Whether lightweight tags count. */
  readonly tags: boolean
  /** Digits of the commit id; 0 for the name of the tag alone, null for the shortest unique. */
  readonly abbrev: number | null
  readonly match: readonly string[]
  readonly exclude: readonly string[]
}

/** Tags that are compared (git's `max_candidates`). */
const MAX_CANDIDATES = 10
/** Commits that are visited; beyond them a commit has no description. */
const MAX_VISITED = 200_000

type TagName = { readonly name: string; readonly isAnnotated: boolean; readonly oid: Oid }

type Candidate = {
  readonly tag: TagName
  depth: number
  readonly bit: number
  readonly order: number
}

/** Commits that wait for their visit, the newest first; equal times in the order of arrival. */
class Frontier {
  readonly nodes: CommitNode[] = []

  push(node: CommitNode): void {
    let [low, high] = [0, this.nodes.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.nodes[middle]?.time ?? 0) < node.time) high = middle
      else low = middle + 1
    }
    this.nodes.splice(low, 0, node)
  }
}

/** The description of a commit; null when no tag is found. `tags` are sorted by name. */
export function describe(
  db: ObjectReader,
  oid: Oid,
  tags: readonly Ref[],
  options: DescribeOptions,
  abbreviate: (oid: Oid, minDigits?: number) => string,
): string | null {
  const names = tagsByCommit(db, tags, options)
  const suffix = (depth: number): string =>
    `-${depth}-g${options.abbrev === null ? abbreviate(oid) : abbreviate(oid, options.abbrev)}`
  const own = names.get(oid)
  if (own && (options.tags || own.isAnnotated)) {
    const shown = shownName(db, own)
    return shown === own.name ? shown : shown + suffix(0)
  }
  const best = nearestTag(db, oid, names, options.tags)
  if (best === null) return null
  const shown = shownName(db, best.tag)
  return shown !== best.tag.name || options.abbrev !== 0 ? shown + suffix(best.depth) : shown
}

/** An annotated tag has the name that is written in it. */
function shownName(db: ObjectReader, { name, isAnnotated, oid }: TagName): string {
  const object = isAnnotated ? db.read(oid) : null
  return object?.type === 'tag' ? parseTag(oid, object.data).name : name
}

/** One tag for each commit: an annotated one before a lightweight one, then the newest. */
function tagsByCommit(
  db: ObjectReader,
  tags: readonly Ref[],
  { match, exclude }: DescribeOptions,
): ReadonlyMap<Oid, TagName> {
  const names = new Map<Oid, TagName>()
  const timeOf = (oid: Oid): number => {
    const object = db.read(oid)
    return object?.type === 'tag' ? (parseTag(oid, object.data).tagger?.time ?? 0) : 0
  }
  for (const ref of tags) {
    const name = ref.name.slice('refs/tags/'.length)
    if (match.length > 0 && !match.some((pattern) => nameMatches(pattern, name))) continue
    if (exclude.some((pattern) => nameMatches(pattern, name))) continue
    const commit = ref.peeled ?? ref.oid
    const isAnnotated = ref.peeled !== null
    const known = names.get(commit)
    const replaces =
      known === undefined ||
      (isAnnotated && (!known.isAnnotated || timeOf(known.oid) < timeOf(ref.oid)))
    if (replaces) names.set(commit, { name, isAnnotated, oid: ref.oid })
  }
  return names
}

/** Walks back until the best of the candidates is certain (`describe_commit`). */
function nearestTag(
  db: ObjectReader,
  start: Oid,
  names: ReadonlyMap<Oid, TagName>,
  allowsLightweight: boolean,
): Candidate | null {
  const source = commitSource(db)
  const frontier = new Frontier()
  /** For each commit that was reached, the candidates that reach it. */
  const within = new Map<Oid, number>([[start, 0]])
  const candidates: Candidate[] = []
  let hasAnnotated = false
  let gaveUpOn: CommitNode | null = null
  frontier.push(source.get(start))
  let visited = 0
  for (let node = frontier.nodes.shift(); node; node = frontier.nodes.shift()) {
    if (++visited > MAX_VISITED) return null
    const tag = names.get(node.oid)
    if (tag && (allowsLightweight || tag.isAnnotated)) {
      if (candidates.length === MAX_CANDIDATES) {
        gaveUpOn = node
        break
      }
      const order = candidates.length + 1
      candidates.push({ tag, depth: visited - 1, bit: 1 << order, order })
      within.set(node.oid, (within.get(node.oid) ?? 0) | (1 << order))
      hasAnnotated ||= tag.isAnnotated
    }
    const bits = within.get(node.oid) ?? 0
    for (const candidate of candidates) if ((bits & candidate.bit) === 0) candidate.depth++
    if (hasAnnotated && frontier.nodes.length === 0 && isCertain(candidates, bits)) break
    addParents(source, node, bits, frontier, within)
  }
  candidates.sort((a, b) => a.depth - b.depth || a.order - b.order)
  const best = candidates[0] ?? null
  if (best === null) return null
  if (gaveUpOn !== null) frontier.push(gaveUpOn)
  return finishDepth(source, best, frontier, within, MAX_VISITED - visited) ? best : null
}

/** Whether the remaining path is below the best candidates. */
function isCertain(candidates: readonly Candidate[], bits: number): boolean {
  const least = Math.min(...candidates.map(({ depth }) => depth))
  const best = candidates
    .filter(({ depth }) => depth === least)
    .reduce((sum, { bit }) => sum | bit, 0)
  return (bits & best) === best
}

type CommitSource = ReturnType<typeof commitSource>

function addParents(
  source: CommitSource,
  node: CommitNode,
  bits: number,
  frontier: Frontier,
  within: Map<Oid, number>,
): void {
  for (const oid of node.parents) {
    const known = within.get(oid)
    if (known === undefined) frontier.push(source.get(oid))
    within.set(oid, (known ?? 0) | bits)
  }
}

/** Counts the commits that the best tag does not have (`finish_depth_computation`). */
function finishDepth(
  source: CommitSource,
  best: Candidate,
  frontier: Frontier,
  within: Map<Oid, number>,
  maxVisited: number,
): boolean {
  const isBelow = (oid: Oid): boolean => ((within.get(oid) ?? 0) & best.bit) !== 0
  /** The waiting commits that the best tag does not have, as far as known. */
  const outside = new Set(frontier.nodes.map(({ oid }) => oid).filter((oid) => !isBelow(oid)))
  let visited = 0
  for (let node = frontier.nodes.shift(); node; node = frontier.nodes.shift()) {
    if (++visited > maxVisited) return false
    if (isBelow(node.oid)) {
      if (outside.size === 0) return true
    } else {
      outside.delete(node.oid)
      best.depth++
    }
    const before = node.parents.filter((oid) => within.has(oid))
    addParents(source, node, within.get(node.oid) ?? 0, frontier, within)
    for (const oid of node.parents) {
      if (isBelow(oid)) outside.delete(oid)
      else if (!before.includes(oid)) outside.add(oid)
    }
  }
  return true
}
