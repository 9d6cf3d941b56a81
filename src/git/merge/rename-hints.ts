/**
 * Knowledge of a merge for the rename search: which removed files matter, and, from renames already
 * found, where the other files of a removed directory probably are.
 */
import type { RenameHints } from '../diff/renames.ts'
import { baseKey, joinKey, parentKey, type PathKey } from '../history/names.ts'
import { inHashOrder } from './hash-order.ts'
import { FOR_ANCESTOR, FOR_SELF, NOT_RELEVANT, type SideRenames } from './state.ts'

/** The new directory of a file that is unknown so far. No path contains a NUL. */
const UNKNOWN: PathKey = '\0'

export class SideHints implements RenameHints {
  private guesses = new Map<PathKey, PathKey>()

  constructor(private readonly side: SideRenames) {}

  /**
   * Counts a rename for its directory and those above it, as long as the rest of the path is equal.
   */
  found(from: PathKey, to: PathKey): void {
    const { dirsRemoved } = this.side
    let oldPath = from
    let newPath = to
    for (let first = true; ; first = false) {
      const oldDir = parentKey(oldPath)
      const relevance = dirsRemoved.get(oldDir)
      if (relevance === undefined) return
      if (!first && baseKey(oldPath) !== baseKey(newPath)) return
      const newDir = parentKey(newPath)
      if (relevance === FOR_SELF || first) this.add(oldDir, newDir)
      if (relevance === NOT_RELEVANT || oldDir === '' || newDir === '') return
      oldPath = oldDir
      newPath = newDir
    }
  }

  private add(oldDir: PathKey, newDir: PathKey): void {
    const { dirCounts } = this.side
    let counts = dirCounts.get(oldDir)
    if (!counts) dirCounts.set(oldDir, (counts = new Map()))
    counts.set(newDir, (counts.get(newDir) ?? 0) + 1)
  }

  ready(): void {
    for (const [oldDir, counts] of this.side.dirCounts) {
      let most = 0
      for (const [newDir, count] of inHashOrder([...counts], ([dir]) => dir)) {
        if (count <= most) continue
        most = count
        this.guesses.set(oldDir, newDir)
      }
    }
  }

  relevant(path: PathKey): boolean {
    return this.side.relevant.has(path)
  }

  guess(path: PathKey): PathKey | null {
    const dir = this.guesses.get(parentKey(path))
    return dir === undefined ? null : joinKey(dir, baseKey(path))
  }

  /** Drops files that matter only for the new place of their directory, once that is certain. */
  narrow(paths: readonly PathKey[]): ReadonlySet<PathKey> {
    const { dirsRemoved, dirCounts, relevant } = this.side
    for (const path of paths) {
      for (
        let dir = parentKey(path);
        dir !== '' && (dirsRemoved.get(dir) ?? NOT_RELEVANT) !== NOT_RELEVANT;
        dir = parentKey(dir)
      ) {
        this.add(dir, UNKNOWN)
      }
    }
    for (const [dir, counts] of dirCounts) {
      if (dirsRemoved.get(dir) === FOR_SELF && isDecided(counts)) dirsRemoved.set(dir, FOR_ANCESTOR)
    }
    return new Set(
      paths.filter((path) => relevant.get(path) !== 'location' || this.stillWanted(path)),
    )
  }

  private stillWanted(path: PathKey): boolean {
    for (let dir = parentKey(path); ; dir = parentKey(dir)) {
      const relevance = dirsRemoved(this.side, dir)
      if (relevance === NOT_RELEVANT) return false
      if (relevance === FOR_SELF) return true
      if (dir === '') return false
    }
  }

  /** Removes counts that do not matter, after the search. */
  finish(): void {
    for (const [dir, counts] of this.side.dirCounts) {
      if (dirsRemoved(this.side, dir) === NOT_RELEVANT) this.side.dirCounts.delete(dir)
      else counts.delete(UNKNOWN)
    }
  }
}

const dirsRemoved = (side: SideRenames, dir: PathKey): number =>
  side.dirsRemoved.get(dir) ?? NOT_RELEVANT

/** Whether the leading directory stays ahead whatever the unknown files turn out to be. */
function isDecided(counts: ReadonlyMap<PathKey, number>): boolean {
  let first = 0
  let second = 0
  for (const [place, count] of counts) {
    if (place === UNKNOWN) continue
    if (count >= first) {
      second = first
      first = count
    } else if (count > second) second = count
  }
  return first > second + (counts.get(UNKNOWN) ?? 0)
}
