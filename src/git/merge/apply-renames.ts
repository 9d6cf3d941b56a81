/** Finds the renames of both sides and moves the versions of each renamed file to one path. */
import { findRenames } from '../diff/renames.ts'
import { isFile } from '../history/tree.ts'
import { compareKeys } from '../history/names.ts'
import { mergeContent } from './content-merge.ts'
import { applyDirectoryRename, DirectoryRenames, type Move } from './directory-renames.ts'
import { SideHints } from './rename-hints.ts'
import {
  ABSENT,
  BASE,
  bit,
  otherSide,
  OURS,
  sameVersion,
  THEIRS,
  type MergeState,
  type PathInfo,
  type Side,
} from './state.ts'

/**
 * Similarity is compared for at most the square of this many pairs, as in git (`merge.renameLimit`,
 * 7000).
 */
const LIMIT = 3000

export function applyRenames(state: MergeState): void {
  const possible = ([OURS, THEIRS] as const).some((side) => hasWork(state, side))
  if (!possible) return
  const moves = [...sideMoves(state, OURS), ...sideMoves(state, THEIRS)]
  const directories = new DirectoryRenames(state, moves)
  const applied: Move[] = []
  for (const move of moves) {
    const place = directories.placeFor(move.to, move.side)
    if (place !== null) applyDirectoryRename(state, move, place)
    else if (move.added) continue
    applied.push(move)
  }
  applied.sort((a, b) => compareKeys(a.from, b.from))
  for (let i = 0; i < applied.length; i++) {
    const move = applied[i]
    if (move && applyMove(state, move, applied[i + 1])) i++
  }
}

const hasWork = (state: MergeState, side: Side): boolean => {
  const { removed, added, relevant } = state.sides[side]
  return removed.length + added.length > 0 && relevant.size > 0
}

/** The renames and additions of a side, in the order of the new paths. */
function sideMoves(state: MergeState, side: Side): Move[] {
  const files = state.sides[side]
  const hints = new SideHints(files)
  const renames = hasWork(state, side)
    ? findRenames(state.db, files.removed, files.added, { limit: LIMIT, empty: false, hints })
    : []
  hints.finish()
  const origins = new Map(renames.map(({ from, to }) => [to.path, from.path]))
  return files.added.map(({ path }) => {
    const from = origins.get(path)
    return { side, from: from ?? path, to: path, added: from === undefined }
  })
}

/** Returns true when `next`, the other side's rename of the same file, is resolved as well. */
function applyMove(state: MergeState, move: Move, next: Move | undefined): boolean {
  const { paths } = state
  const old = paths.get(move.from)
  if (!old || old.clean || move.added) return false
  const both = next?.from === move.from && !next.added ? next : undefined
  if (both) {
    renamedByBoth(state, old, move, both)
    return true
  }
  const now = paths.get(move.to)
  if (!now) return false
  const { side } = move
  const other = otherSide(side)
  const deleted = old.files === 1
  const kindChanged = !deleted && isFile(old.stages[other].mode) !== isFile(now.stages[side].mode)
  // If another file is at the old path now, the two files at the new path are one file renamed
  // twice.
  const collision = (now.files & bit(other)) !== 0 && !kindChanged
  if (collision && !deleted) {
    const names: PathInfo['names'] = [move.from, move.from, move.from]
    names[side] = move.to
    const versions: PathInfo['stages'] = [...old.stages]
    versions[side] = now.stages[side]
    const merged = mergeContent(
      state,
      versions[BASE],
      versions[OURS],
      versions[THEIRS],
      names,
      1 + 2 * state.depth,
      move.from,
    )
    now.stages[side] = merged.result
    if (!merged.clean) now.pathConflict = true
  } else if (collision) now.pathConflict = true
  else {
    now.stages[BASE] = old.stages[BASE]
    now.names[BASE] = move.from
    now.files |= bit(BASE)
    if (kindChanged) {
      old.stages[BASE] = ABSENT
      old.files &= ~bit(BASE)
      return false
    }
    if (deleted) now.pathConflict = true
    else {
      now.stages[other] = old.stages[other]
      now.names[other] = move.from
      now.files |= bit(other)
    }
  }
  if (!kindChanged) remove(old)
  return false
}

function remove(info: PathInfo): void {
  info.result = ABSENT
  info.clean = true
}

function renamedByBoth(state: MergeState, old: PathInfo, first: Move, second: Move): void {
  const a = state.paths.get(first.to)
  const b = state.paths.get(second.to)
  if (!a || !b) return
  if (first.to === second.to) {
    a.stages[BASE] = old.stages[BASE]
    a.files |= bit(BASE)
    remove(old)
    return
  }
  const [ours, theirs] = first.side === OURS ? [a, b] : [b, a]
  const [ourName, theirName] = first.side === OURS ? [first.to, second.to] : [second.to, first.to]
  const merged = mergeContent(
    state,
    old.stages[BASE],
    ours.stages[OURS],
    theirs.stages[THEIRS],
    [first.from, ourName, theirName],
    1 + 2 * state.depth,
    first.from,
  )
  const keptOurs = !merged.clean && sameVersion(merged.result, ours.stages[OURS])
  const theirVersion = keptOurs ? theirs.stages[THEIRS] : merged.result
  ours.stages[OURS] = merged.result
  theirs.stages[THEIRS] = theirVersion
  ours.pathConflict = theirs.pathConflict = old.pathConflict = true
}
