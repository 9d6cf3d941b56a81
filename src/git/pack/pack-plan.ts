/**
 * Plans a pack: finds the selected objects in the store's packs and orders them for sequential
 * reads.
 */
import { listBits } from '../bitmap/bits.ts'
import { GitError } from '../ports.ts'
import type { ObjectStore } from '../store/object-store.ts'
import type { OidMap } from '../store/oid-map.ts'
import type { PackFile } from '../store/pack-file.ts'

/** Objects of one pack, by ascending pack position. */
export type PackPart = { readonly pack: PackFile; readonly positions: Uint32Array }

/** The objects to write: some of one pack as a bitmap, and others by id. No object is in both. */
export type ObjectSelection = {
  readonly pack: PackFile | null
  /** One bit for each pack position of `pack`. */
  readonly bits: Uint32Array | null
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
  if (chosen.pack !== null && chosen.bits !== null) {
    const inBitmapPack = indexPositions.get(chosen.pack)
    let { bits } = chosen
    if (inBitmapPack !== undefined) {
      bits = bits.slice()
      for (const indexPos of inBitmapPack) {
        const packPos = chosen.pack.reverseIndex.packPosOf(indexPos)
        bits[packPos >>> 5]! |= 1 << (packPos & 31)
      }
      indexPositions.delete(chosen.pack)
    }
    parts.push({ pack: chosen.pack, positions: listBits(bits) })
  }
  for (const [pack, positions] of indexPositions) {
    const packPositions = Uint32Array.from(positions, (indexPos) =>
      pack.reverseIndex.packPosOf(indexPos),
    )
    parts.push({ pack, positions: packPositions.sort() })
  }
  // The largest part first: deltas of other packs can then refer to bases that are already written.
  return parts.sort((a, b) => b.positions.length - a.positions.length)
}
