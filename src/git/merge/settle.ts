/**
 * Resolves each path of a merge after renames are applied, deepest paths first, and writes the
 * resulting trees.
 */
import { EMPTY_TREE, MODE, serializeTree, type RawTreeEntry } from '../object.ts'
import type { Oid } from '../ports.ts'
import { baseKey, keyToBytes, parentKey, type PathKey } from '../history/names.ts'
import { isFile } from '../history/tree.ts'
import { mergeContent, sameKind } from './content-merge.ts'
import {
  ABSENT,
  BASE,
  bit,
  OURS,
  THEIRS,
  type MergeState,
  type PathInfo,
  type Side,
  type Version,
} from './state.ts'

/** Resolves all paths and returns the merged tree. Conflicts are added to the state. */
export function settle(state: MergeState): Oid {
  return new Settler(state).run()
}

/** Whether a conflict is about one path alone: no renames, no directory in its place. */
const isAboutContent = (path: PathKey, info: PathInfo): boolean => {
  const [, ours, theirs] = info.stages
  return (
    path === info.shown &&
    !info.inDirectoryWay &&
    !info.pathConflict &&
    (ours.mode === 0 || theirs.mode === 0 || sameKind(ours, theirs))
  )
}

class Settler {
  /** The entries of each directory that is not empty. */
  private readonly directories = new Map<PathKey, Map<PathKey, Version>>()

  constructor(private readonly state: MergeState) {}

  run(): Oid {
    // In descending order, paths below a directory come before it.
    const order = [...this.state.paths.keys()].sort((a, b) => (a < b ? 1 : -1))
    for (const path of order) {
      const info = this.state.paths.get(path)
      if (!info) continue
      if (info.clean) this.record(path, info)
      else this.path(path, info)
    }
    return this.writeAll()
  }

  private record(path: PathKey, info: PathInfo): void {
    if (!info.clean) this.conflict(path, info)
    if (info.result.mode === 0) return
    for (let at = path; ; at = parentKey(at)) {
      const dir = parentKey(at)
      const known = this.directories.get(dir)
      const entries = known ?? new Map<PathKey, Version>()
      if (!known) this.directories.set(dir, entries)
      if (at === path) entries.set(baseKey(path), info.result)
      else if (!entries.has(baseKey(at))) entries.set(baseKey(at), { mode: MODE.dir, oid: '' })
      if (known || dir === '') return
    }
  }

  /** Resolves a conflict as the caller of the merge wants it, or notes it. */
  private conflict(path: PathKey, info: PathInfo): void {
    const { state } = this
    if (!isAboutContent(path, info)) {
      state.conflicts.add(info.shown)
      return
    }
    const resolve = state.resolutions.get(path)
    if (resolve) {
      info.result = resolve(info)
      state.resolved.add(path)
    } else {
      state.conflicts.add(path)
      state.contentConflicts.set(path, info)
    }
  }

  private path(path: PathKey, info: PathInfo): void {
    let at = path
    let entry = info
    let fileSide: Side = OURS
    if (info.dirs !== 0) {
      if (info.files === 0) return
      if (!this.directories.has(path)) this.clearDirectory(info)
      else {
        // Both sides deleted the file; only the directory is left.
        if (info.files === bit(BASE)) return
        fileSide = info.dirs & bit(OURS) ? THEIRS : OURS
        entry = this.moveAside(path, info)
        at = this.state.freeName(path, fileSide)
        this.state.paths.set(at, entry)
      }
    }
    this.decide(at, entry, fileSide)
  }

  /** Handles a path whose directory has no entries left. */
  private clearDirectory(info: PathInfo): void {
    info.inDirectoryWay = false
    info.equal &= ~info.dirs
    info.dirs = 0
    for (const stage of [BASE, OURS, THEIRS] as const)
      if (!(info.files & bit(stage))) info.stages[stage] = ABSENT
  }

  private moveAside(path: PathKey, info: PathInfo): PathInfo {
    const moved: PathInfo = {
      ...info,
      stages: [...info.stages],
      names: [...info.names],
      equal: info.equal & ~info.dirs,
      dirs: 0,
      shown: path,
    }
    for (const stage of [BASE, OURS, THEIRS] as const)
      if (!(moved.files & bit(stage))) moved.stages[stage] = ABSENT
    info.files = 0
    return moved
  }

  private decide(path: PathKey, info: PathInfo, fileSide: Side): void {
    const { state } = this
    const [base, ours, theirs] = info.stages
    const unburdened = !info.inDirectoryWay && !info.pathConflict
    if (info.equal !== 0) {
      info.result = info.equal === 6 ? ours : info.equal === 3 ? theirs : ours
      // A file that one side deleted and the other did not change is removed, even in a path
      // conflict.
      info.clean = unburdened || (info.equal !== 6 && info.result.mode === 0)
    } else if (info.files >= 6 && !sameKind(ours, theirs)) {
      this.twoKinds(path, info)
      return
    } else if (info.files >= 6) {
      const merged = mergeContent(state, base, ours, theirs, info.names, 2 * state.depth, path)
      info.result = merged.result
      info.clean = merged.clean && unburdened
      if (merged.clean && info.inDirectoryWay) {
        info.files = bit(fileSide)
        info.stages[fileSide] = merged.result
      }
    } else if (info.files === 3 || info.files === 5) {
      // One side modified the file, the other deleted it.
      info.result = state.depth > 0 ? base : info.files === 5 ? theirs : ours
    } else if (info.files === 2 || info.files === 4) {
      info.result = info.files === 4 ? theirs : ours
      info.clean = unburdened
    } else {
      info.result = ABSENT
      info.clean = !info.pathConflict
    }
    this.record(path, info)
  }

  /**
   * One side has a file, the other a link or submodule: both are kept, the file under another name.
   */
  private twoKinds(path: PathKey, info: PathInfo): void {
    const { state } = this
    const [base, ours, theirs] = info.stages
    if (state.depth > 0) {
      info.result = base
      this.record(path, info)
      return
    }
    const moveOurs = isFile(ours.mode) || !isFile(theirs.mode)
    const moveTheirs = !isFile(ours.mode)
    this.record(moveOurs ? state.freeName(path, OURS) : path, {
      ...info,
      result: ours,
      shown: path,
    })
    this.record(moveTheirs ? state.freeName(path, THEIRS) : path, {
      ...info,
      result: theirs,
      shown: path,
    })
  }

  private writeAll(): Oid {
    const { db } = this.state
    const order = [...this.directories.keys()].sort((a, b) => (a < b ? 1 : -1))
    let root = EMPTY_TREE
    for (const dir of order) {
      const entries: RawTreeEntry[] = []
      for (const [name, { mode, oid }] of this.directories.get(dir) ?? [])
        entries.push({ mode, name: keyToBytes(name), oid })
      const oid = db.write('tree', serializeTree(entries))
      if (dir === '') root = oid
      else this.directories.get(parentKey(dir))?.set(baseKey(dir), { mode: MODE.dir, oid })
    }
    return order.length === 0 ? db.write('tree', serializeTree([])) : root
  }
}
