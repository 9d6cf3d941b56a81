/**
 * Walks the three trees in parallel. It collects every path that differs, and for the rename search
 * the files that each side removed and added, and which of the removed ones matter.
 */
import { GitError, type Oid } from '../ports.ts'
import { compareKeys, joinKey, MAX_DEPTH, type PathKey } from '../history/names.ts'
import { entriesOf, isDir, type Entry } from '../history/tree.ts'
import { inHashOrder } from './hash-order.ts'
import {
  ABSENT,
  BASE,
  bit,
  FOR_ANCESTOR,
  FOR_SELF,
  newInfo,
  NOT_RELEVANT,
  OURS,
  sameVersion,
  THEIRS,
  type MergeState,
  type PathInfo,
  type Side,
  type Version,
} from './state.ts'

const MAX_PATHS = 1_000_000
const ALL = 7

export function collect(state: MergeState, base: Oid, ours: Oid, theirs: Oid): void {
  const collector = new Collector(state)
  collector.directory('', [base, ours, theirs], 0, 0)
  collector.finish()
}

/**
 * A directory that only one side changed or added. It is read only if that side may have renamed
 * files.
 */
type Deferred = {
  readonly path: PathKey
  readonly info: PathInfo
  readonly watched: number
  readonly depth: number
}

class Collector {
  private readonly listings = new Map<Oid, ReadonlyMap<PathKey, Entry>>()
  private readonly deferred: Record<Side, Deferred[]> = { [OURS]: [], [THEIRS]: [] }
  private readonly deferring: Record<Side, boolean> = { [OURS]: true, [THEIRS]: true }

  constructor(private readonly state: MergeState) {}

  finish(): void {
    for (const side of [OURS, THEIRS] as const) {
      this.deferring[side] = false
      const whole = this.state.sides[side].relevant.size === 0
      for (const { path, info, watched, depth } of inHashOrder(
        this.deferred[side],
        (item) => item.path,
      )) {
        if (whole) {
          info.clean = true
          info.result = info.stages[side]
        } else {
          info.equal &= info.files
          this.directory(path, treesOf(info.stages), watched, depth + 1)
        }
      }
    }
  }

  /**
   * `watched` is the mask of the side on which this directory still exists while the other side
   * removed it. It becomes ALL once a file was added there, since then the directory's new place
   * matters.
   */
  directory(path: PathKey, trees: readonly (Oid | null)[], watched: number, depth: number): void {
    if (depth > MAX_DEPTH) throw new GitError('too_large', 'tree is nested too deeply')
    const [base, ours, theirs] = trees.map((tree) => this.listing(tree ?? null))
    if (!base || !ours || !theirs) return
    const names = [...new Set([...base.keys(), ...ours.keys(), ...theirs.keys()])].sort(compareKeys)
    const rows = names.map((name) => ({
      name,
      stages: [base.get(name), ours.get(name), theirs.get(name)].map((e) => e ?? ABSENT),
    }))
    let mask = watched
    if (mask !== 0 && mask !== ALL && rows.some(({ stages }) => fileMask(stages) === mask))
      mask = ALL
    for (const { name, stages } of rows) this.path(path, joinKey(path, name), stages, mask, depth)
  }

  private listing(tree: Oid | null): ReadonlyMap<PathKey, Entry> {
    if (tree === null) return new Map()
    let entries = this.listings.get(tree)
    if (!entries) {
      entries = entriesOf(this.state.db, tree)
      if (this.listings.size > 64) this.listings.clear()
      this.listings.set(tree, entries)
    }
    return entries
  }

  private path(
    directory: PathKey,
    path: PathKey,
    found: readonly Version[],
    watched: number,
    depth: number,
  ): void {
    const [base = ABSENT, ours = ABSENT, theirs = ABSENT] = found
    const files = fileMask(found)
    const dirs = dirMask(found)
    const oursSame = base.mode !== 0 && sameVersion(base, ours)
    const theirsSame = base.mode !== 0 && sameVersion(base, theirs)
    const sidesSame = ours.mode !== 0 && sameVersion(ours, theirs)
    const equal = oursSame && theirsSame ? ALL : oursSame ? 3 : theirsSame ? 5 : sidesSame ? 6 : 0
    const { paths } = this.state
    if (paths.size >= MAX_PATHS)
      throw new GitError('too_large', `more than ${MAX_PATHS} paths take part in the merge`)
    const info = newInfo(path, [base, ours, theirs], files, dirs, equal)
    paths.set(path, info)
    if (equal === ALL || (equal !== 0 && files === ALL)) {
      info.clean = true
      info.result = equal === 3 ? theirs : ours
      return
    }
    const below = this.noteForRenames(
      directory,
      path,
      info.stages,
      files,
      dirs,
      equal & files,
      watched,
    )
    if (dirs === 0) return
    const changer =
      dirs === 2 && files === 0
        ? OURS
        : dirs === 4 && files === 0
          ? THEIRS
          : oursSame
            ? THEIRS
            : theirsSame
              ? OURS
              : null
    if (changer !== null && below !== ALL && this.deferring[changer]) {
      this.deferred[changer].push({ path, info, watched: below, depth })
      return
    }
    info.equal &= files
    this.directory(path, treesOf(info.stages), below, depth + 1)
  }

  /** Returns the mask to watch below this path. */
  private noteForRenames(
    directory: PathKey,
    path: PathKey,
    stages: readonly Version[],
    files: number,
    dirs: number,
    equal: number,
    watched: number,
  ): number {
    const { sides } = this.state
    let mask = watched
    if (mask !== ALL && (dirs === 3 || dirs === 5)) mask = dirs & ~1
    if (dirs === 1 || dirs === 3 || dirs === 5) {
      const relevance = mask === ALL ? FOR_ANCESTOR : NOT_RELEVANT
      for (const side of [OURS, THEIRS] as const)
        if (!(dirs & bit(side))) sides[side].dirsRemoved.set(path, relevance)
    }
    if (mask === ALL && (files === 2 || files === 4)) {
      // A file was added to a directory that the other side removed: its new place matters.
      const remover: Side = files === 2 ? THEIRS : OURS
      sides[remover].dirsRemoved.set(directory, FOR_SELF)
    }
    if (files === 0 || files === ALL) return mask
    for (const side of [OURS, THEIRS] as const) {
      const there = (files & bit(side)) !== 0
      const wasThere = (files & bit(BASE)) !== 0
      if (wasThere && !there) {
        if (equal === 0 || mask === ALL)
          sides[side].relevant.set(path, equal === 0 ? 'content' : 'location')
        sides[side].removed.push({ path, ...(stages[BASE] ?? ABSENT) })
      }
      if (!wasThere && there) sides[side].added.push({ path, ...(stages[side] ?? ABSENT) })
    }
    return mask
  }
}

const treesOf = (stages: readonly Version[]): (Oid | null)[] =>
  stages.map(({ mode, oid }) => (isDir(mode) ? oid : null))

const fileMask = (stages: readonly Version[]): number =>
  stages.reduce((mask, { mode }, i) => (mode !== 0 && !isDir(mode) ? mask | (1 << i) : mask), 0)

const dirMask = (stages: readonly Version[]): number =>
  stages.reduce((mask, { mode }, i) => (isDir(mode) ? mask | (1 << i) : mask), 0)
