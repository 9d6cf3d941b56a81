/** Where the objects of an answer lie, in the order in which they are read and sent. */
import { GitError } from '../ports.ts'
import type { ObjectStore } from '../store/object-store.ts'
import type { OidMap } from '../store/oid-map.ts'
import type { PackFile } from '../store/pack-file.ts'

/** Objects of one pack, ascending by offset. */
export type PackPart = {
  readonly pack: PackFile
  /** Number of the object in the answer's `OidMap`. */
  readonly objects: Uint32Array
  readonly offsets: Float64Array
  /** Place of the object in the pack's index. */
  readonly places: Uint32Array
}

/** Throws GitError `missing` when one of them is not in the store. */
export function planPack(store: ObjectStore, chosen: OidMap): PackPart[] {
  const oids = chosen.bytes
  const rows = new Map<PackFile, { objects: number[]; places: number[] }>()
  for (let i = 0; i < chosen.size; i++) {
    if (!store.locate(oids, i * 20)) {
      const hex = chosen.hex(i)
      if (store.header(hex) !== null) continue
      throw new GitError('missing', `object ${hex} is missing`)
    }
    let row = rows.get(store.pack)
    if (row === undefined) rows.set(store.pack, (row = { objects: [], places: [] }))
    row.objects.push(i)
    row.places.push(store.place)
  }
  const parts: PackPart[] = []
  for (const [pack, { objects, places }] of rows) parts.push(order(pack, objects, places))
  // The largest first: what other packs took from it as a base is then already there.
  return parts.sort((a, b) => b.objects.length - a.objects.length)
}

function order(pack: PackFile, objects: number[], places: number[]): PackPart {
  const count = objects.length
  const index = pack.index
  const sorted = { pack, objects: new Uint32Array(count), offsets: new Float64Array(count), places: new Uint32Array(count) }
  let at = 0
  const add = (object: number, place: number) => {
    sorted.objects[at] = object
    sorted.places[at] = place
    sorted.offsets[at++] = index.offset(place)
  }
  if (count > index.count / 16) {
    const byPlace = new Int32Array(index.count).fill(-1)
    for (let i = 0; i < count; i++) byPlace[places[i]!] = objects[i]!
    for (const place of index.byOffset()) if (byPlace[place]! >= 0) add(byPlace[place]!, place)
  } else {
    const rows = new Uint32Array(count)
    for (let i = 0; i < count; i++) rows[i] = i
    rows.sort((a, b) => index.offset(places[a]!) - index.offset(places[b]!))
    for (const row of rows) add(objects[row]!, places[row]!)
  }
  return sorted
}

/** The position of an offset among ascending offsets, or -1. */
export function findOffset(offsets: Float64Array, offset: number): number {
  let low = 0
  let high = offsets.length
  while (low < high) {
    const mid = (low + high) >>> 1
    if (offsets[mid]! < offset) low = mid + 1
    else high = mid
  }
  return low < offsets.length && offsets[low] === offset ? low : -1
}
