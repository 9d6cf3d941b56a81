/**
 * What a three-way merge of trees knows while it works. The method is that of git's `ort` strategy
 * (https://git-scm.com/docs/merge-strategies): collect every path where the three trees differ,
 * find renames, move paths to where they belong, then settle each path and write the trees.
 */
import type { TreeAttributes } from '../attributes/index.ts'
import type { ObjectDatabase, Oid } from '../ports.ts'
import type { Effort } from '../diff/effort.ts'
import type { PathKey } from '../history/names.ts'

/** One version of a path; mode 0 means that it is not there. */
export type Version = { readonly mode: number; readonly oid: Oid }
export const ABSENT: Version = { mode: 0, oid: '' }

export const BASE = 0
export const OURS = 1
export const THEIRS = 2
export type Side = typeof OURS | typeof THEIRS
export type Stage = typeof BASE | Side
export const otherSide = (side: Side): Side => (side === OURS ? THEIRS : OURS)
/** The bit of a stage in a mask. */
export const bit = (stage: Stage): number => 1 << stage

export type PathInfo = {
  /** The three versions; directories have theirs here until their files are settled. */
  stages: [Version, Version, Version]
  /** Where each version lies, which differs after renames. */
  names: [PathKey, PathKey, PathKey]
  /**
   * Which stages are files (or links or submodules), which are directories, and which are equal.
   */
  files: number
  dirs: number
  equal: number
  /** A file stands where another side has a directory. */
  inDirectoryWay: boolean
  /** Something about the path itself is in conflict: two renames, or a rename and a deletion. */
  pathConflict: boolean
  clean: boolean
  /** What the merge makes of it; absent when it goes. */
  result: Version
  /** The path to name in reports, where the entry had to be moved aside. */
  shown: PathKey
}

/** Why a removed directory matters to the search for renames, in rising order. */
export const NOT_RELEVANT = 0
export const FOR_ANCESTOR = 1
export const FOR_SELF = 2

/** Why a removed file matters. */
export type SourceRelevance = 'content' | 'location'

export type SideRenames = {
  readonly removed: { path: PathKey; mode: number; oid: Oid }[]
  readonly added: { path: PathKey; mode: number; oid: Oid }[]
  readonly relevant: Map<PathKey, SourceRelevance>
  readonly dirsRemoved: Map<PathKey, number>
  /** Old directory to new ones, each with how many files went there. */
  readonly dirCounts: Map<PathKey, Map<PathKey, number>>
}

const emptySide = (): SideRenames => ({
  removed: [],
  added: [],
  relevant: new Map(),
  dirsRemoved: new Map(),
  dirCounts: new Map(),
})

export type MergeLabels = { readonly ours: string; readonly theirs: string }

export class MergeState {
  readonly paths = new Map<PathKey, PathInfo>()
  readonly sides: Record<Side, SideRenames> = { [OURS]: emptySide(), [THEIRS]: emptySide() }
  /** Paths to report. A merge with any is not clean. */
  readonly conflicts = new Set<PathKey>()

  constructor(
    readonly db: ObjectDatabase,
    readonly effort: Effort,
    /** 0 for the merge that was asked for, more for the merging of its merge bases. */
    readonly depth: number,
    readonly labels: MergeLabels,
    /** Those of our side: how a change is merged is not for the change to say. */
    readonly attributes: TreeAttributes,
  ) {}

  /** A name beside `path` that nothing else has, for a file that must make room. */
  freeName(path: PathKey, side: Side): PathKey {
    const label = (side === OURS ? this.labels.ours : this.labels.theirs).replaceAll('/', '_')
    const wanted = `${path}~${label}`
    let name = wanted
    for (let i = 0; this.paths.has(name); i++) name = `${wanted}_${i}`
    return name
  }
}

export function newInfo(
  path: PathKey,
  stages: [Version, Version, Version],
  files: number,
  dirs: number,
  equal: number,
): PathInfo {
  return {
    stages,
    names: [path, path, path],
    files,
    dirs,
    equal,
    inDirectoryWay: files !== 0 && dirs !== 0,
    pathConflict: false,
    clean: false,
    result: ABSENT,
    shown: path,
  }
}

export const sameVersion = (a: Version, b: Version): boolean => a.mode === b.mode && a.oid === b.oid
