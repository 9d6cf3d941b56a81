/**
 * Directory renames: if one side renamed a directory and the other added a file to it, the file
 * probably belongs in the new directory. As in git by default (`merge.directoryRenames=conflict`),
 * the file is moved there and reported as a conflict.
 */
import { joinKey, parentKey, type PathKey } from '../history/names.ts'
import {
  ABSENT,
  BASE,
  bit,
  newInfo,
  otherSide,
  OURS,
  THEIRS,
  type MergeState,
  type PathInfo,
  type Side,
} from './state.ts'

/** A file that one side renamed or added, with that side's paths. */
export type Move = {
  readonly side: Side
  readonly from: PathKey
  to: PathKey
  readonly added: boolean
}

type DirMap = Map<PathKey, PathKey>

export class DirectoryRenames {
  private readonly renamed: Record<Side, DirMap>
  private readonly collisions: Record<Side, Map<PathKey, { sources: number; reported: boolean }>>

  constructor(
    private readonly state: MergeState,
    moves: readonly Move[],
  ) {
    this.renamed = { [OURS]: this.provisional(OURS), [THEIRS]: this.provisional(THEIRS) }
    // A directory that both sides moved does not tell where a file belongs.
    for (const dir of [...this.renamed[OURS].keys()]) {
      if (this.renamed[THEIRS].delete(dir)) this.renamed[OURS].delete(dir)
    }
    this.collisions = { [OURS]: this.targets(OURS, moves), [THEIRS]: this.targets(THEIRS, moves) }
  }

  /** Old directory to the new one of most of its files. A tie is a conflict. */
  private provisional(side: Side): DirMap {
    const renamed: DirMap = new Map()
    // Merges of merge bases do without, because nobody would see the conflicts.
    if (this.state.depth > 0) return renamed
    for (const [dir, counts] of this.state.sides[side].dirCounts) {
      const most = Math.max(0, ...counts.values())
      const best = [...counts].filter(([, count]) => count === most)
      const [first] = best
      if (most === 0 || !first) continue
      if (best.length > 1) this.state.conflicts.add(dir)
      else renamed.set(dir, first[0])
    }
    return renamed
  }

  /**
   * The new paths of this side's files by the other side's directory renames, with the number of
   * files for each path.
   */
  private targets(
    side: Side,
    moves: readonly Move[],
  ): Map<PathKey, { sources: number; reported: boolean }> {
    const targets = new Map<PathKey, { sources: number; reported: boolean }>()
    for (const move of moves) {
      const target = move.side === side ? this.target(move.to, side) : null
      if (target === null) continue
      const known = targets.get(target.path)
      if (known) known.sources++
      else targets.set(target.path, { sources: 1, reported: false })
    }
    return targets
  }

  private target(path: PathKey, side: Side): { path: PathKey; dir: PathKey } | null {
    const renamed = this.renamed[otherSide(side)]
    if (renamed.size === 0) return null
    for (let dir = parentKey(path); dir !== ''; dir = parentKey(dir)) {
      const now = renamed.get(dir)
      if (now !== undefined) return { path: joinKey(now, path.slice(dir.length + 1)), dir: now }
    }
    return null
  }

  /**
   * The new path for a file that `side` has at `path`, or null when it stays. Records a conflict
   * when that path is taken.
   */
  placeFor(path: PathKey, side: Side): PathKey | null {
    if (this.renamed[otherSide(side)].size === 0) return null
    if (this.collisions[otherSide(side)].has(path)) return null
    const target = this.target(path, side)
    if (!target || this.renamed[side].has(target.dir)) return null
    const collision = this.collisions[side].get(target.path)
    const inWay = isInWay(this.state.paths.get(target.path), side)
    if (collision && !collision.reported && !inWay && collision.sources === 1) return target.path
    if (collision) collision.reported = true
    this.state.conflicts.add(path)
    return null
  }
}

const isInWay = (info: PathInfo | undefined, side: Side): boolean =>
  info !== undefined && (info.clean || (bit(side) & (info.files | info.dirs)) !== 0)

/** Moves the file that `side` has at `move.to` to its new path and marks it as a conflict. */
export function applyDirectoryRename(state: MergeState, move: Move, place: PathKey): void {
  const { paths } = state
  const old = paths.get(move.to)
  if (!old) return
  addDirectories(paths, place, old.files)
  let info = old
  if (old.dirs === 0) paths.delete(move.to)
  else {
    // The entry of the old directory is still needed for the paths below it; only the file is
    // moved.
    info = {
      ...old,
      stages: [...old.stages],
      names: [...old.names],
      dirs: 0,
      equal: old.equal & ~old.dirs,
      inDirectoryWay: false,
    }
    for (const stage of [BASE, OURS, THEIRS] as const) {
      if (!(info.files & bit(stage))) info.stages[stage] = ABSENT
      if (!(old.dirs & bit(stage))) old.stages[stage] = ABSENT
    }
    old.files = 0
    old.inDirectoryWay = false
  }
  const there = paths.get(place)
  if (there) {
    there.files |= info.files
    there.stages[move.side] = info.stages[move.side]
    there.names[move.side] = info.names[move.side]
    if (there.dirs !== 0) there.inDirectoryWay = true
    info = there
  } else {
    info.shown = place
    paths.set(place, info)
  }
  info.pathConflict = true
  move.to = place
}

/** Creates the missing entries of the directories above a path. */
function addDirectories(paths: Map<PathKey, PathInfo>, path: PathKey, mask: number): void {
  for (let dir = parentKey(path); dir !== '' && !paths.has(dir); dir = parentKey(dir)) {
    paths.set(dir, newInfo(dir, [ABSENT, ABSENT, ABSENT], 0, mask, 0))
  }
}
