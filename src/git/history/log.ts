/**
 * `git log`: newest committer time first, with git's default history simplification when a path is
 * given (https://git-scm.com/docs/git-log#_history_simplification). A merge that took the path
 * unchanged from one parent is omitted, and only that parent is followed.
 */
import { parseCommit } from '../object.ts'
import { GitError, type Commit, type LogOptions, type ObjectReader, type Oid } from '../ports.ts'
import { CommitQueue } from './commit-queue.ts'
import { isFilterablePath, pathHashes } from '../store/changed-paths.ts'
import { commitSource, type CommitNode, type CommitSource } from './commit-source.ts'
import { followLog } from './follow.ts'
import { splitPath } from './names.ts'
import { createPathLookup, type PathLookup } from './path-lookup.ts'
import { sameEntry } from './tree.ts'

/**
 * The commits of a log, newest first. Throws GitError `missing` for an unknown id, and `invalid` for
 * an object that is no commit.
 */
export function log(db: ObjectReader, options: LogOptions): Commit[] {
  const commits: Commit[] = []
  const limit = options.limit ?? Infinity
  if (limit <= 0) return commits
  let skip = options.skip ?? 0
  for (const node of walkMatching(db, options)) {
    if (skip > 0) {
      skip--
      continue
    }
    commits.push(readCommit(db, node.oid))
    if (commits.length >= limit) break
  }
  return commits
}

/** The number of commits that `log` would return without skip and limit. */
export function countCommits(db: ObjectReader, options: LogOptions): number {
  let total = 0
  const walk = walkMatching(db, options)
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
  const commit = parseCommit(oid, object.data)
  return db.shallowRoots?.has(oid) ? { ...commit, parents: [] } : commit
}

function* walkMatching(db: ObjectReader, options: LogOptions): Generator<CommitNode, void> {
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

/** The walk of `log`, before the filters by author and time. */
function walkLog(db: ObjectReader, options: LogOptions): Generator<CommitNode, void> {
  const segments = splitPath(options.path ?? '')
  if (segments.length === 0) return walk(db, options, null)
  if (options.follow)
    return followLog(db, walk(db, options, null), segments, options.firstParent ?? false)
  return walk(db, options, {
    probe: createPathLookup(db, segments),
    hashes: hashesOf(segments.join('/')),
  })
}

type LogStep = {
  readonly node: CommitNode
  readonly time: number
  hidden: boolean
  /** Named in `hide`: the log ends here, but simplification compares with it as with any parent. */
  bottom: boolean
  /** Already taken from the queue: a change of `hidden` must be passed on to its parents. */
  taken: boolean
  /** Whether the commit differs in the path from all relevant parents. */
  shown: boolean
}

/** Hidden commits that are walked after the last visible one, in case clocks were wrong. */
const MAX_EXTRA_COMMITS = 64

/**
 * The path of a log. `hashes` are for the changed-path filters of the commit-graph, null when those
 * do not cover the path.
 */
type PathFilter = { readonly probe: PathLookup; readonly hashes: Uint32Array | null }

const hashesOf = (path: string): Uint32Array | null =>
  isFilterablePath(path) ? pathHashes(path) : null

const walk = (
  db: ObjectReader,
  options: LogOptions,
  about: PathFilter | null,
): Generator<CommitNode, void> => new LogWalk(commitSource(db), options, about).run()

class LogWalk {
  private readonly steps = new Map<Oid, LogStep>()
  /** Parents of hidden commits that the walk has not reached yet. */
  private readonly foreseen = new Set<Oid>()
  private readonly queue = new CommitQueue<LogStep>()
  /** Visible commits in the queue. */
  private open = 0

  constructor(
    private readonly source: CommitSource,
    private readonly options: LogOptions,
    private readonly about: PathFilter | null,
  ) {}

  *run(): Generator<CommitNode, void> {
    const { tips, hide = [], since = -Infinity } = this.options
    for (const oid of tips) this.start(oid, false)
    for (const oid of hide) this.start(oid, true, true)
    // With hidden commits, a commit is known to be visible only at the end of the walk.
    const limited = hide.length > 0
    const listed: LogStep[] = []
    let lastShown = Infinity
    let slop = MAX_EXTRA_COMMITS
    while (this.queue.size > 0) {
      if (limited && this.open === 0) {
        const first = this.queue.first
        slop = first && first.time >= lastShown ? MAX_EXTRA_COMMITS : slop - 1
        if (slop < 0) break
      }
      const step = this.queue.take()
      if (!step) break
      step.taken = true
      if (!step.hidden) this.open--
      if (step.time < since && !step.hidden) {
        if (!limited) continue
        hideAncestry(this.steps, step)
      }
      if (step.hidden) {
        for (const parent of step.node.parents) this.start(parent, true)
        continue
      }
      for (const parent of this.parentsOf(step)) this.start(parent, false)
      if (limited) {
        listed.push(step)
        lastShown = Math.min(lastShown, step.time)
      } else if (step.shown) yield step.node
    }
    for (const step of listed) if (!step.hidden && step.shown) yield step.node
  }

  private parentsOf(step: LogStep): readonly Oid[] {
    const { parents: all } = step.node
    const parents = this.options.firstParent ? all.slice(0, 1) : all
    return this.about ? simplify(this.source, this.isHidden, step, parents, this.about) : parents
  }

  private start(oid: Oid, hidden: boolean, bottom = false): void {
    const known = this.steps.get(oid)
    if (known) {
      if (bottom) known.bottom = true
      if (hidden) this.open -= hideAncestry(this.steps, known)
      return
    }
    const node = this.source.get(oid)
    const step: LogStep = {
      node,
      time: node.time,
      hidden: hidden || this.foreseen.has(oid),
      bottom,
      taken: false,
      shown: true,
    }
    this.steps.set(oid, step)
    this.queue.put(step)
    if (!step.hidden) this.open++
    // As in git, hiding is one generation ahead of the walk: simplification needs to know which
    // parents are hidden.
    if (hidden) for (const parent of node.parents) this.foresee(parent)
  }

  private foresee(oid: Oid): void {
    const known = this.steps.get(oid)
    if (known) this.open -= hideAncestry(this.steps, known)
    else this.foreseen.add(oid)
  }

  private readonly isHidden = (oid: Oid): boolean => {
    const known = this.steps.get(oid)
    return known ? known.hidden && !known.bottom : this.foreseen.has(oid)
  }
}

/**
 * Hides a commit and its known ancestors. Returns how many of them are still in the queue.
 */
function hideAncestry(steps: Map<Oid, LogStep>, from: LogStep): number {
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
 * Returns the parents to follow for a path, and sets whether the commit is shown (git's
 * `try_to_simplify_commit`).
 */
function simplify(
  source: CommitSource,
  isHidden: (oid: Oid) => boolean,
  step: LogStep,
  parents: readonly Oid[],
  { probe, hashes }: PathFilter,
): readonly Oid[] {
  const [first] = parents
  // Most commits do not change a given path, and the changed-path filters tell that without reading
  // a tree.
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
