/**
 * Merges three versions of a file by lines, byte for byte like git-merge-file. Changes of the two
 * sides that do not touch are both taken, and equal changes once. The others are conflicts,
 * narrowed to the lines that differ.
 */
import type { Change } from '../diff/changes.ts'
import { oneFile, type Effort } from '../diff/effort.ts'
import { diffLines } from '../diff/line-diff.ts'
import type { MergePart } from '../ports.ts'
import { endsWithNewline, sliceLines, splitLines, type Lines } from '../diff/lines.ts'

/** The merged content, with markers around each conflict, and whether it is clean. */
export type TextMerge = { readonly clean: boolean; readonly data: Uint8Array }

/** With `union` there are no conflicts: the lines of both sides are kept, ours first. */
export type MarkerStyle = {
  readonly size: number
  readonly ours: string
  readonly theirs: string
  readonly union?: boolean
}

/**
 * A region of the result that differs from our version: the replaced lines of ours, and the lines
 * of theirs. `take` is `theirs` where only they changed it, and `ours` where both agree.
 */
type Region = {
  take: 'ours' | 'theirs' | 'conflict'
  ours: number
  oursCount: number
  theirs: number
  theirsCount: number
  /**
   * The lines of the base that a conflict is about. Conflicts that are parts of a larger one have
   * all lines of that one.
   */
  base: number
  baseCount: number
}

/** `effort` is shared by all files of a merge. */
export function mergeText(
  base: Uint8Array,
  ours: Uint8Array,
  theirs: Uint8Array,
  markers: MarkerStyle,
  effort: Effort = oneFile(),
): TextMerge {
  const { o, a, b, regions, same } = compare(base, ours, theirs, effort)
  if (same === 'ours') return { clean: true, data: theirs }
  if (same === 'theirs') return { clean: true, data: ours }
  return {
    clean: markers.union === true || regions.every((region) => region.take !== 'conflict'),
    data: write(regions, o, a, b, markers),
  }
}

/** The same merge as a list of parts in order. Those that touch no conflict are joined. */
export function mergeParts(
  base: Uint8Array,
  ours: Uint8Array,
  theirs: Uint8Array,
  effort: Effort = oneFile(),
): MergePart[] {
  const { o, a, b, regions, same } = compare(base, ours, theirs, effort)
  if (same !== null) return [{ kind: 'merged', data: same === 'ours' ? theirs : ours }]
  const parts: MergePart[] = []
  let merged: Uint8Array[] = []
  const flush = (): void => {
    const data = Buffer.concat(merged)
    if (data.length > 0) parts.push({ kind: 'merged', data })
    merged = []
  }
  let at = 0
  for (const region of regions) {
    merged.push(sliceLines(a, at, region.ours))
    at = region.ours + region.oursCount
    const mine = sliceLines(a, region.ours, at)
    const other = sliceLines(b, region.theirs, region.theirs + region.theirsCount)
    if (region.take !== 'conflict') merged.push(region.take === 'ours' ? mine : other)
    else {
      flush()
      parts.push({
        kind: 'conflict',
        base: sliceLines(o, region.base, region.base + region.baseCount),
        ours: mine,
        theirs: other,
      })
    }
  }
  merged.push(sliceLines(a, at, a.count))
  flush()
  return parts
}

/** The three versions by lines. `same` is the version that equals the base, if one does. */
function compare(base: Uint8Array, ours: Uint8Array, theirs: Uint8Array, effort: Effort) {
  const o = splitLines(base)
  const a = splitLines(ours)
  const b = splitLines(theirs)
  const left = diffLines(o, a, { indent: false, effort })
  const right = diffLines(o, b, { indent: false, effort })
  const same = left.length === 0 ? 'ours' : right.length === 0 ? 'theirs' : null
  const regions =
    same === null ? joinClose(refine(combine(left, right, o, a, b), a, b, effort)) : []
  return { o, a, b, regions, same } as const
}

/**
 * Overlays the two lists of changes. Changes without an unchanged line between them are in
 * conflict.
 */
function combine(
  left: readonly Change[],
  right: readonly Change[],
  base: Lines,
  a: Lines,
  b: Lines,
): Region[] {
  const regions: Region[] = []
  let i = 0
  let j = 0
  for (;;) {
    const x = left[i]
    const y = right[j]
    if (!x && !y) return regions
    if (x && (!y || x.old + x.oldCount < y.old)) {
      // After the last change of the other side, its lines are counted from the end.
      const theirs = y ? y.new - y.old + x.old : x.old + b.count - base.count
      add(regions, {
        take: 'ours',
        ours: x.new,
        oursCount: x.newCount,
        theirs,
        theirsCount: x.oldCount,
        base: x.old,
        baseCount: x.oldCount,
      })
      i++
      continue
    }
    if (y && (!x || y.old + y.oldCount < x.old)) {
      const ours = x ? x.new - x.old + y.old : y.old + a.count - base.count
      add(regions, {
        take: 'theirs',
        ours,
        oursCount: y.oldCount,
        theirs: y.new,
        theirsCount: y.newCount,
        base: y.old,
        baseCount: y.oldCount,
      })
      j++
      continue
    }
    if (!x || !y) return regions
    if (!sameChange(x, y, a, b)) add(regions, conflictOf(x, y))
    const endX = x.old + x.oldCount
    const endY = y.old + y.oldCount
    if (endX >= endY) j++
    if (endY >= endX) i++
  }
}

/** The lines around two changes that touch. */
function conflictOf(x: Change, y: Change): Region {
  const from = Math.min(x.old, y.old)
  const to = Math.max(x.old + x.oldCount, y.old + y.oldCount)
  const aFrom = x.new - (x.old - from)
  const bFrom = y.new - (y.old - from)
  return {
    take: 'conflict',
    ours: aFrom,
    oursCount: x.new + x.newCount + (to - x.old - x.oldCount) - aFrom,
    theirs: bFrom,
    theirsCount: y.new + y.newCount + (to - y.old - y.oldCount) - bFrom,
    base: from,
    baseCount: to - from,
  }
}

const sameChange = (x: Change, y: Change, a: Lines, b: Lines): boolean =>
  x.old === y.old &&
  x.oldCount === y.oldCount &&
  x.newCount === y.newCount &&
  Buffer.compare(
    sliceLines(a, x.new, x.new + x.newCount),
    sliceLines(b, y.new, y.new + y.newCount),
  ) === 0

/**
 * Joins a region with an adjacent one before it. They are a conflict unless both take the same
 * side.
 */
function add(regions: Region[], region: Region): void {
  const last = regions.at(-1)
  if (
    last &&
    (region.ours <= last.ours + last.oursCount || region.theirs <= last.theirs + last.theirsCount)
  ) {
    if (last.take !== region.take) last.take = 'conflict'
    last.oursCount = region.ours + region.oursCount - last.ours
    last.theirsCount = region.theirs + region.theirsCount - last.theirs
    last.baseCount = baseEnd(last, region) - last.base
  } else regions.push(region)
}

const baseEnd = (a: Region, b: Region): number =>
  Math.max(a.base + a.baseCount, b.base + b.baseCount)

/** Compares the sides of each conflict: lines that they share are no conflict. */
function refine(regions: readonly Region[], a: Lines, b: Lines, effort: Effort): Region[] {
  return regions.flatMap((region) => {
    if (region.take !== 'conflict' || region.oursCount === 0 || region.theirsCount === 0)
      return [region]
    const ours = splitLines(sliceLines(a, region.ours, region.ours + region.oursCount))
    const theirs = splitLines(sliceLines(b, region.theirs, region.theirs + region.theirsCount))
    const changes = diffLines(ours, theirs, { indent: false, effort })
    if (changes.length === 0) return [{ ...region, take: 'ours' as const }]
    return changes.map((change) => ({
      ...region,
      ours: region.ours + change.old,
      oursCount: change.oldCount,
      theirs: region.theirs + change.new,
      theirsCount: change.newCount,
    }))
  })
}

/** Conflicts with at most this many lines between them are joined, as that is easier to read. */
const CLOSE = 3

function joinClose(regions: readonly Region[]): Region[] {
  const joined: Region[] = []
  for (const region of regions) {
    const last = joined.at(-1)
    if (
      last &&
      last.take === 'conflict' &&
      region.take === 'conflict' &&
      region.ours - (last.ours + last.oursCount) <= CLOSE
    ) {
      last.oursCount = region.ours + region.oursCount - last.ours
      last.theirsCount = region.theirs + region.theirsCount - last.theirs
      last.baseCount = baseEnd(last, region) - last.base
    } else joined.push({ ...region })
  }
  return joined
}

function write(
  regions: readonly Region[],
  base: Lines,
  a: Lines,
  b: Lines,
  markers: MarkerStyle,
): Uint8Array {
  const parts: Uint8Array[] = []
  let at = 0
  for (const region of regions) {
    parts.push(sliceLines(a, at, region.ours))
    const ours = sliceLines(a, region.ours, region.ours + region.oursCount)
    const theirs = sliceLines(b, region.theirs, region.theirs + region.theirsCount)
    if (region.take === 'ours') parts.push(ours)
    else if (region.take === 'theirs') parts.push(theirs)
    else if (markers.union) parts.push(...closed(ours, '\n'), theirs)
    else {
      const end = conflictEnding(region, base, a, b)
      parts.push(
        Buffer.from(`${'<'.repeat(markers.size)} ${markers.ours}${end}`),
        ...closed(ours, end),
        Buffer.from(`${'='.repeat(markers.size)}${end}`),
        ...closed(theirs, end),
        Buffer.from(`${'>'.repeat(markers.size)} ${markers.theirs}${end}`),
      )
    }
    at = region.ours + region.oursCount
  }
  parts.push(sliceLines(a, at, a.count))
  return Buffer.concat(parts)
}

const closed = (lines: Uint8Array, end: string): Uint8Array[] =>
  lines.length === 0 || endsWithNewline(lines) ? [lines] : [lines, Buffer.from(end)]

/** Whether markers end in CR LF: when the lines of both sides and of the base do. */
function conflictEnding(region: Region, base: Lines, a: Lines, b: Lines): string {
  let ending = lineEnding(a, Math.max(0, region.ours - 1))
  if (ending !== 'lf') ending = lineEnding(b, Math.max(0, region.theirs - 1))
  if (ending !== 'lf') ending = lineEnding(base, 0)
  return ending === 'crlf' ? '\r\n' : '\n'
}

type Ending = 'lf' | 'crlf' | 'none'

function lineEnding(lines: Lines, line: number): Ending {
  if (lines.count === 0) return 'none'
  let at = Math.min(line, lines.count - 1)
  if (at === lines.count - 1 && !endsWithNewline(sliceLines(lines, at, at + 1))) {
    if (at === 0) return 'none'
    at--
  }
  const text = sliceLines(lines, at, at + 1)
  return text.length > 1 && text[text.length - 2] === 0x0d ? 'crlf' : 'lf'
}
