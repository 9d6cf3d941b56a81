/**
 * The state of a three-way merge of trees. The method is that of git's `ort` strategy
 * (https://git-scm.com/docs/merge-strategies): collect every path where the three trees differ,
 * find renames, move paths accordingly, then resolve each path and write the trees.
 */
import type { TreeAttributes } from '../attributes/index.ts'
import type { ObjectDatabase, Oid } from '../ports.ts'
import type { Effort } from '../diff/effort.ts'
import type { PathKey } from '../history/names.ts'

/** One version of a path; mode 0 means absent. */
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
  /** The three versions. Directories are included until their files are resolved. */
  stages: [Version, Version, Version]
  /** The path of each version; they differ after renames. */
  names: [PathKey, PathKey, PathKey]
  /**
   * Masks of the stages that are files (or links or submodules), that are directories, and that are
   * equal.
   */
  files: number
  dirs: number
  equal: number
  /** One side has a file where another has a directory. */
  inDirectoryWay: boolean
  /** The path itself is in conflict: two renames, or a rename and a deletion. */
  pathConflict: boolean
  clean: boolean
  /** The merged version; absent when the path is removed. */
  result: Version
  /** The path for reports, when the entry was moved to another name. */
  shown: PathKey
}

/** Why a removed directory matters to the rename search, in ascending order. */
export const NOT_RELEVANT = 0
export const FOR_ANCESTOR = 1
export const FOR_SELF = 2

/** Why a removed file matters to the rename search. */
export type SourceRelevance = 'content' | 'location'

export type SideRenames = {
  readonly removed: { path: PathKey; mode: number; oid: Oid }[]
  readonly added: { path: PathKey; mode: number; oid: Oid }[]
  readonly relevant: Map<PathKey, SourceRelevance>
  readonly dirsRemoved: Map<PathKey, number>
  /** Old directory to new directories, with the number of files for each. */
  readonly dirCounts: Map<PathKey, Map<PathKey, number>>
}

const emptySide = (): SideRenames => ({
  removed: [],
  added: [],
  relevant: new Map(),
  dirsRemoved: new Map(),
  dirCounts: new Map(),
})

/** Chooses the version of a path in conflict. */
export type ResolveVersion = (info: PathInfo) => Version

export type MergeLabels = { readonly ours: string; readonly theirs: string }

export class MergeState {
  readonly paths = new Map<PathKey, PathInfo>()
  readonly sides: Record<Side, SideRenames> = { [OURS]: emptySide(), [THEIRS]: emptySide() }
  /** Paths in conflict. A merge with any is not clean. */
  readonly conflicts = new Set<PathKey>()
  /** The conflicts that are about the content of one path alone, which a version can resolve. */
  readonly contentConflicts = new Map<PathKey, PathInfo>()
  /** The resolutions that were applied. */
  readonly resolved = new Set<PathKey>()

  constructor(
    readonly db: ObjectDatabase,
    readonly effort: Effort,
    /** 0 for the requested merge, more for merges of merge bases. */
    readonly depth: number,
    readonly labels: MergeLabels,
    /** The attributes of our side: a change must not decide how it is merged. */
    readonly attributes: TreeAttributes,
    /** The versions that replace conflicts of the requested merge. */
    readonly resolutions: ReadonlyMap<PathKey, ResolveVersion> = new Map(),
  ) {}

  /** A free name beside `path`, for a file that has to be moved away. */
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
