/** Where the objects of an answer lie, in the order in which they are read and sent. */
import { listBits } from '../bitmap/bits.ts'
import { GitError } from '../ports.ts'
import type { ObjectStore } from '../store/object-store.ts'
import type { OidMap } from '../store/oid-map.ts'
import type { PackFile } from '../store/pack-file.ts'

/** Objects of one pack, by rank in its order, ascending. */
export type PackPart = { readonly pack: PackFile; readonly ranks: Uint32Array }

/**
 * What is to be sent: some objects of a pack by rank, and others by id; an object is in one of them
 * only.
 */
export type Chosen = {
  readonly pack: PackFile | null
  /** A bit for every rank of `pack`. */
  readonly bits: Uint32Array | null
  readonly others: OidMap
}

/** Throws GitError `missing` when one of the objects is not in the store. */
export function planPack(store: ObjectStore, chosen: Chosen): PackPart[] {
  const oids = chosen.others.bytes
  const places = new Map<PackFile, number[]>()
  for (let i = 0; i < chosen.others.size; i++) {
    if (!store.locate(oids, i * 20)) {
      const hex = chosen.others.hex(i)
      // The empty tree need not be stored.
      if (store.header(hex) !== null) continue
      throw new GitError('missing', `object ${hex} is missing`)
    }
    const list = places.get(store.pack)
    if (list === undefined) places.set(store.pack, [store.place])
    else list.push(store.place)
  }
  const parts: PackPart[] = []
  if (chosen.pack !== null && chosen.bits !== null) {
    const own = places.get(chosen.pack)
    let { bits } = chosen
    if (own !== undefined) {
      bits = bits.slice()
      for (const place of own) {
        const rank = chosen.pack.order.rankOf(place)
        bits[rank >>> 5]! |= 1 << (rank & 31)
      }
      places.delete(chosen.pack)
    }
    parts.push({ pack: chosen.pack, ranks: listBits(bits) })
  }
  for (const [pack, list] of places) {
    const ranks = Uint32Array.from(list, (place) => pack.order.rankOf(place))
    parts.push({ pack, ranks: ranks.sort() })
  }
  // The largest first: what other packs took from it as a base is then already there.
  return parts.sort((a, b) => b.ranks.length - a.ranks.length)
}
