/**
 * Plans a pack: finds the selected objects in the store's packs and orders them for sequential
 * reads.
 */
import { PackMarks } from '../bitmap/pack-marks.ts'
import { GitError } from '../ports.ts'
import type { ObjectStore } from '../store/object-store.ts'
import { OidMap } from '../store/oid-map.ts'
import type { PackFile } from '../store/pack-file.ts'

/** Objects of one pack. */
export type PackPart = {
  readonly pack: PackFile
  /** By ascending pack position; null for all objects of the pack, which then need no list. */
  readonly positions: Uint32Array | null
  readonly count: number
}

/** The objects to write: the marked ones of one pack, and others by id. No object is in both. */
export type ObjectSelection = {
  readonly marks: PackMarks | null
  readonly others: OidMap
}

/** Throws GitError `missing` when an object is not in the store. */
export function planPack(store: ObjectStore, chosen: ObjectSelection): PackPart[] {
  const oids = chosen.others.bytes
  const indexPositions = new Map<PackFile, number[]>()
  for (let i = 0; i < chosen.others.size; i++) {
    if (!store.locate(oids, i * 20)) {
      const hex = chosen.others.hex(i)
      // The empty tree need not be stored.
      if (store.header(hex) !== null) continue
      throw new GitError('missing', `object ${hex} is missing`)
    }
    const positions = indexPositions.get(store.pack)
    if (positions === undefined) indexPositions.set(store.pack, [store.indexPos])
    else positions.push(store.indexPos)
  }
  const parts: PackPart[] = []
  if (chosen.marks !== null) {
    const { pack } = chosen.marks
    const unmarked = indexPositions.get(pack)
    const marks = unmarked === undefined ? chosen.marks : chosen.marks.copy()
    for (const indexPos of unmarked ?? []) marks.add(indexPos)
    indexPositions.delete(pack)
    parts.push(partOf(marks))
  }
  for (const [pack, positions] of indexPositions) {
    const packPositions = Uint32Array.from(positions, (indexPos) =>
      pack.reverseIndex.packPosOf(indexPos),
    )
    parts.push({ pack, positions: packPositions.sort(), count: positions.length })
  }
  return largestFirst(parts)
}

/**
 * Plans a pack of the objects of these packs for which `isChosen` holds, each once, and pauses
 * regularly. It needs a bit for each object, and no list of ids.
 */
export function* planPackOf(
  packs: readonly PackFile[],
  isChosen: (pack: PackFile, indexPos: number) => boolean = () => true,
): Generator<'pause', PackPart[], unknown> {
  const parts: PackPart[] = []
  const sorted = [...packs].sort((a, b) => b.index.count - a.index.count)
  for (const [i, pack] of sorted.entries()) {
    const { index } = pack
    const larger = sorted.slice(0, i)
    const marks = PackMarks.none(pack, 'index')
    for (let indexPos = 0; indexPos < index.count; indexPos++) {
      if (indexPos % 65536 === 65535) yield 'pause'
      if (!isChosen(pack, indexPos)) continue
      // Of an object in several packs, the copy in the largest is taken.
      const at = index.oidAt(indexPos)
      const isPlanned = larger.some((other) => {
        const found = other.index.find(index.raw, at)
        return found >= 0 && isChosen(other, found)
      })
      if (isPlanned) continue
      marks.add(indexPos)
    }
    const part = partOf(marks)
    if (part.count > 0) parts.push(part)
  }
  return largestFirst(parts)
}

/** Number of planned objects. */
export const countPlanned = (parts: readonly PackPart[]): number =>
  parts.reduce((sum, { count }) => sum + count, 0)

/** Returns the ids of planned objects. */
export function plannedOids(parts: readonly PackPart[]): OidMap {
  const oids = new OidMap(countPlanned(parts))
  for (const { pack, positions, count } of parts) {
    const { index, reverseIndex } = pack
    for (let i = 0; i < count; i++)
      oids.add(
        index.raw,
        index.oidAt(reverseIndex.indexPosAt(positions === null ? i : positions[i]!)),
      )
  }
  return oids
}

/** The largest part first: deltas of other packs can then refer to bases that are already written. */
const largestFirst = (parts: PackPart[]): PackPart[] => parts.sort((a, b) => b.count - a.count)

function partOf(marks: PackMarks): PackPart {
  const { pack } = marks
  const positions = marks.packPositions()
  return { pack, positions, count: positions?.length ?? pack.index.count }
}
