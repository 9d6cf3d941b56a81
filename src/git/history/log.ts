/**
 * History as `git log` gives it: newest committer time first, with git's default simplification
 * when a path is given (https://git-scm.com/docs/git-log#_history_simplification): a merge that
 * took the path whole from one parent is left out and only that parent is followed.
 */
import { parseCommit } from '../object.ts'
import { GitError, type Commit, type LogOptions, type ObjectReader, type Oid } from '../ports.ts'
import { CommitQueue } from './commit-queue.ts'
import { canAsk, pathHashes } from '../store/changed-paths.ts'
import { commitSource, type CommitNode, type CommitSource } from './commit-source.ts'
import { followLog } from './follow.ts'
import { splitPath } from './names.ts'
import { pathProbe, type PathProbe } from './path-probe.ts'
import { sameEntry } from './tree.ts'

/**
 * The commits of a log, newest first. Gives GitError `missing` for an unknown commit, `invalid` for
 * what is not one.
 */
export function log(db: ObjectReader, options: LogOptions): Commit[] {
  const commits: Commit[] = []
  const limit = options.limit ?? Infinity
  if (limit <= 0) return commits
  let skip = options.skip ?? 0
  for (const node of matching(db, options)) {
    if (skip > 0) {
      skip--
      continue
    }
    commits.push(readCommit(db, node.oid))
    if (commits.length >= limit) break
  }
  return commits
}

/** How many commits `log` would give without skip and limit. */
export function count(db: ObjectReader, options: LogOptions): number {
  let total = 0
  const walk = matching(db, options)
  while (!walk.next().done) total++
  return total
}

/** The commits of a range, newest first, without any filter. */
export const walkCommits = (
  db: ObjectReader,
  range: Pick<LogOptions, 'tips' | 'hide'>,
): Generator<CommitNode, void> => walk(db, range, null)

export function readCommit(db: ObjectReader, oid: Oid): Commit {
  const object = db.read(oid)
  if (!object) throw new GitError('missing', `commit ${oid} is missing`)
  if (object.type !== 'commit')
    throw new GitError('invalid', `object ${oid} is a ${object.type}, not a commit`)
  return parseCommit(oid, object.data)
}

function* matching(db: ObjectReader, options: LogOptions): Generator<CommitNode, void> {
  const author = options.author?.toLowerCase()
  const until = options.until ?? Infinity
  for (const node of walkLog(db, options)) {
    if (node.time > until) continue
    if (author) {
      const { name, email } = readCommit(db, node.oid).author
      if (!name.toLowerCase().includes(author) && !email.toLowerCase().includes(author)) continue
    }
    yield node
  }
}

/** The walk behind `log`, before the filters that only look at one commit. */
function walkLog(db: ObjectReader, options: LogOptions): Generator<CommitNode, void> {
  const segments = splitPath(options.path ?? '')
  if (segments.length === 0) return walk(db, options, null)
  if (options.follow)
    return followLog(db, walk(db, options, null), segments, options.firstParent ?? false)
  return walk(db, options, { probe: pathProbe(db, segments), hashes: hashesOf(segments.join('/')) })
}

type Step = {
  readonly node: CommitNode
  readonly time: number
  hidden: boolean
  /**
   * Named by the caller as hidden: where the log ends, and so a parent to compare with like any
   * other.
   */
  bottom: boolean
  /**
   * Already taken from the queue: what changes about it now must be carried to its parents by hand.
   */
  taken: boolean
  /** Whether the commit changed the path against every parent that counts. */
  shown: boolean
}

/**
 * How many hidden commits to look at after the last one of interest, in case the clocks were wrong.
 */
const SLOP = 64

/**
 * The path that a walk is about; `hashes` are for the filters of the commit-graph, null when they
 * know nothing of it.
 */
type PathQuestion = { readonly probe: PathProbe; readonly hashes: Uint32Array | null }

const hashesOf = (path: string): Uint32Array | null => (canAsk(path) ? pathHashes(path) : null)

function* walk(
  db: ObjectReader,
  options: LogOptions,
  about: PathQuestion | null,
): Generator<CommitNode, void> {
  const source = commitSource(db)
  const { since = -Infinity, firstParent = false } = options
  const steps = new Map<Oid, Step>()
  const foreseen = new Set<Oid>()
  const queue = new CommitQueue<Step>()
  let open = 0
  const start = (oid: Oid, hidden: boolean, bottom = false) => {
    const known = steps.get(oid)
    if (known) {
      if (bottom) known.bottom = true
      if (hidden) open -= hide(steps, known)
      return
    }
    const node = source.get(oid)
    const step: Step = {
      node,
      time: node.time,
      hidden: hidden || foreseen.has(oid),
      bottom,
      taken: false,
      shown: true,
    }
    steps.set(oid, step)
    queue.put(step)
    if (!step.hidden) open++
    // Hiding runs ahead of the walk by a generation, as in git: simplification asks which parents
    // are hidden.
    if (hidden) for (const parent of node.parents) foresee(parent)
  }
  const foresee = (oid: Oid) => {
    const known = steps.get(oid)
    if (known) open -= hide(steps, known)
    else foreseen.add(oid)
  }
  const isHidden = (oid: Oid): boolean => {
    const known = steps.get(oid)
    return known ? known.hidden && !known.bottom : foreseen.has(oid)
  }
  const hides = options.hide ?? []
  for (const oid of options.tips) start(oid, false)
  for (const oid of hides) start(oid, true, true)
  const limited = hides.length > 0
  const listed: Step[] = []
  let lastShown = Infinity
  let slop = SLOP
  while (queue.size > 0) {
    if (limited && open === 0) {
      const first = queue.first
      slop = first && first.time >= lastShown ? SLOP : slop - 1
      if (slop < 0) break
    }
    const step = queue.take()
    if (!step) break
    step.taken = true
    if (!step.hidden) open--
    if (step.time < since && !step.hidden) {
      if (!limited) continue
      hide(steps, step)
    }
    if (step.hidden) {
      for (const parent of step.node.parents) start(parent, true)
      continue
    }
    const parents = firstParent ? step.node.parents.slice(0, 1) : step.node.parents
    for (const parent of about ? simplify(source, isHidden, step, parents, about) : parents)
      start(parent, false)
    if (limited) {
      listed.push(step)
      lastShown = Math.min(lastShown, step.time)
    } else if (step.shown) yield step.node
  }
  for (const step of listed) if (!step.hidden && step.shown) yield step.node
}

/**
 * Marks a commit and all that is known of its past as hidden; says how many of them still waited in
 * the queue.
 */
function hide(steps: Map<Oid, Step>, from: Step): number {
  let waiting = 0
  const stack = [from]
  for (let step = stack.pop(); step; step = stack.pop()) {
    if (step.hidden) continue
    step.hidden = true
    if (!step.taken) {
      waiting++
      continue
    }
    for (const parent of step.node.parents) {
      const known = steps.get(parent)
      if (known && !known.hidden) stack.push(known)
    }
  }
  return waiting
}

/**
 * The parents to follow for a path, and whether the commit is shown (git's
 * `try_to_simplify_commit`).
 */
function simplify(
  source: CommitSource,
  isHidden: (oid: Oid) => boolean,
  step: Step,
  parents: readonly Oid[],
  { probe, hashes }: PathQuestion,
): readonly Oid[] {
  const [first] = parents
  // Nearly all commits leave a given path alone, and most of them can say so without a tree being
  // read.
  if (
    first !== undefined &&
    hashes !== null &&
    !isHidden(first) &&
    source.leaves?.(step.node.oid, hashes)
  ) {
    step.shown = false
    return [first]
  }
  const own = probe(step.node.tree)
  if (parents.length === 0) {
    step.shown = own !== null
    return parents
  }
  let relevant = 0
  let relevantChange = false
  let otherChange = false
  for (const parent of parents) {
    const hidden = isHidden(parent)
    if (!hidden) relevant++
    if (!sameEntry(own, probe(source.get(parent).tree))) {
      if (hidden) otherChange = true
      else relevantChange = true
    } else if (!hidden) {
      step.shown = false
      return [parent]
    }
  }
  step.shown = relevant > 0 ? relevantChange : otherChange
  return parents
}
