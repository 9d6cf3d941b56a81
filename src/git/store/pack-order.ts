/** The objects of a pack in the order in which they lie in it: from git's `.rev` file, or by sorting (gitformat-pack). */
import { be32, type PackIndex } from './pack-index.ts'
import { readWhole } from './read-whole.ts'

export class PackOrder {
  private ranks: Uint32Array | null = null
  /** CRCs of groups of entries that were once found sound one by one; groups are numbered by who copies them. */
  readonly proven = new Map<number, number>()

  private constructor(
    /** The place in the index of each object, in pack order. */
    readonly places: Uint32Array,
    /** Where each starts, and behind the last one where the objects end. */
    readonly offsets: Float64Array,
  ) {}

  /** `end` is where the pack's trailer starts. */
  static open(base: string, index: PackIndex, end: number): PackOrder {
    const places = fromFile(base, index) ?? sort(index)
    const offsets = new Float64Array(index.count + 1)
    for (let rank = 0; rank < index.count; rank++) offsets[rank] = index.offset(places[rank]!)
    offsets[index.count] = end
    for (let rank = 0; rank < index.count; rank++) {
      // A file that does not say the truth is not used.
      if (offsets[rank]! >= offsets[rank + 1]!) return PackOrder.sorted(index, end)
    }
    return new PackOrder(places, offsets)
  }

  private static sorted(index: PackIndex, end: number): PackOrder {
    const places = sort(index)
    const offsets = new Float64Array(index.count + 1)
    for (let rank = 0; rank < index.count; rank++) offsets[rank] = index.offset(places[rank]!)
    offsets[index.count] = end
    return new PackOrder(places, offsets)
  }

  /** Where in the pack's order the object at a place of the index is. */
  rankOf(place: number): number {
    if (this.ranks === null) {
      this.ranks = new Uint32Array(this.places.length)
      for (let rank = 0; rank < this.places.length; rank++) this.ranks[this.places[rank]!] = rank
    }
    return this.ranks[place]!
  }

  /** The rank of the object that starts at an offset, or -1. */
  rankAt(offset: number): number {
    const { offsets } = this
    let low = 0
    let high = this.places.length
    while (low < high) {
      const mid = (low + high) >>> 1
      if (offsets[mid]! < offset) low = mid + 1
      else high = mid
    }
    return low < this.places.length && offsets[low] === offset ? low : -1
  }
}

/** Whether there is a `.rev` file that does not say what the index says, or is not as it was written. */
export function isOrderDamaged(base: string, index: PackIndex): boolean {
  const bytes = readWhole(`${base}.rev`)
  if (bytes === null) return false
  const places = fromFile(base, index)
  const end = bytes.length - 20
  if (places === null || Buffer.compare(Bun.SHA1.hash(bytes.subarray(0, end)) as Uint8Array, bytes.subarray(end)) !== 0) return true
  for (let rank = 1; rank < index.count; rank++) if (index.offset(places[rank - 1]!) >= index.offset(places[rank]!)) return true
  return false
}

function fromFile(base: string, index: PackIndex): Uint32Array | null {
  const bytes = readWhole(`${base}.rev`)
  const { count } = index
  if (bytes === null || bytes.length !== 12 + count * 4 + 40 || be32(bytes, 0) !== 0x52494458 || be32(bytes, 4) !== 1 || be32(bytes, 8) !== 1) return null
  if (Buffer.compare(bytes.subarray(12 + count * 4, 32 + count * 4), index.packChecksum) !== 0) return null
  const places = new Uint32Array(count)
  for (let rank = 0; rank < count; rank++) {
    const place = be32(bytes, 12 + rank * 4)
    if (place >= count) return null
    places[rank] = place
  }
  return places
}

function sort(index: PackIndex): Uint32Array {
  const { count } = index
  const places = new Uint32Array(count)
  let largest = 0
  for (let place = 0; place < count; place++) largest = Math.max(largest, index.offset(place))
  if (largest * count >= 2 ** 53) {
    for (let place = 0; place < count; place++) places[place] = place
    return places.sort((a, b) => index.offset(a) - index.offset(b))
  }
  // Sorting numbers that carry both is far quicker than sorting with a comparison function.
  const keyed = new Float64Array(count)
  for (let place = 0; place < count; place++) keyed[place] = index.offset(place) * count + place
  keyed.sort()
  for (let rank = 0; rank < count; rank++) places[rank] = keyed[rank]! % count
  return places
}

/** The places in the index, in pack order, of rows in pack order that `sorted` puts in the order of ids. */
export function placesOf(sorted: Uint32Array): Uint32Array {
  const places = new Uint32Array(sorted.length)
  for (let place = 0; place < sorted.length; place++) places[sorted[place]!] = place
  return places
}

/** The bytes of a `.rev` file for these places in pack order. */
export function buildRev(places: Uint32Array, packChecksum: Uint8Array): Uint8Array {
  const out = Buffer.alloc(12 + places.length * 4 + 40)
  out.write('RIDX', 0, 'latin1')
  out.writeUInt32BE(1, 4)
  out.writeUInt32BE(1, 8)
  for (let rank = 0; rank < places.length; rank++) out.writeUInt32BE(places[rank]!, 12 + rank * 4)
  out.set(packChecksum, out.length - 40)
  out.set(Bun.SHA1.hash(out.subarray(0, out.length - 20)) as Uint8Array, out.length - 20)
  return out
}
