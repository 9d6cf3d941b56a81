/**
 * The objects of a pack in the order in which they lie in it: from git's `.rev` file, or by sorting
 * (gitformat-pack).
 */
import { existsSync } from 'node:fs'
import { GitError } from '../ports.ts'
import { be32, type PackIndex } from './pack-index.ts'
import { readWhole } from './read-whole.ts'

/** Every place and offset by rank, in memory. */
type Whole = { readonly places: Uint32Array; readonly offsets: Float64Array }

/** Bytes of the file before the places, and behind them: the pack's checksum and its own. */
const HEADER = 12
const CHECKSUMS = 40
/**
 * Once so many of a pack's objects were looked up, knowing all of them costs less than looking on.
 */
const MANY = 1 / 32

/**
 * Few objects are looked up in the file itself: what a small answer needs of a large pack is there
 * at once after a start. Whoever goes through many gets all of them as arrays (`whole`).
 */
export class PackOrder {
  private arrays: Whole | null = null
  private ranks: Uint32Array | null = null
  private looks = 0
  /**
   * CRCs of groups of entries that were once found sound one by one; groups are numbered by who
   * copies them.
   */
  readonly proven = new Map<number, number>()

  private constructor(
    private readonly index: PackIndex,
    /** Where the pack's trailer starts. */
    private readonly end: number,
    /** The bytes of the `.rev` file, as they were written; null where there are none to be had. */
    private file: Uint8Array | null,
  ) {}

  /** `end` is where the pack's trailer starts. */
  static open(base: string, index: PackIndex, end: number): PackOrder {
    return new PackOrder(index, end, soundFile(base, index))
  }

  /** Objects of the pack. */
  get count(): number {
    return this.index.count
  }

  /** Roughly the bytes of memory that it holds. */
  get held(): number {
    return (
      (this.file?.length ?? 0) +
      (this.arrays === null ? 0 : this.count * 12) +
      (this.ranks === null ? 0 : this.count * 4)
    )
  }

  /**
   * The place in the index of each object, in pack order, and where each starts; behind the last
   * one, where the objects end.
   */
  get whole(): Whole {
    if (this.arrays !== null) return this.arrays
    const arrays =
      (this.file && wholeOf(this.index, placesIn(this.file, this.count), this.end)) ??
      wholeOf(this.index, sort(this.index), this.end)
    if (arrays === null)
      throw new GitError(
        'corrupt',
        `${this.index.path} names an object outside of the pack, or two at one place`,
      )
    this.file = null
    return (this.arrays = arrays)
  }

  /** The place in the index of the object of a rank. */
  placeAt(rank: number): number {
    if (this.arrays !== null) return this.arrays.places[rank]!
    const place = this.mayLook() ? be32(this.file!, HEADER + rank * 4) : -1
    // A file that does not say the truth is not used.
    return place >= 0 && place < this.count ? place : this.whole.places[rank]!
  }

  /**
   * Where the object of a rank starts, or for the rank behind the last one, where the objects end.
   */
  offsetAt(rank: number): number {
    if (this.arrays !== null) return this.arrays.offsets[rank]!
    return rank === this.count ? this.end : this.index.offset(this.placeAt(rank))
  }

  /** Where in the pack's order the object at a place of the index is. */
  rankOf(place: number): number {
    if (this.ranks !== null) return this.ranks[place]!
    if (this.mayLook()) {
      const rank = this.rankAt(this.index.offset(place))
      if (rank >= 0 && this.placeAt(rank) === place) return rank
    }
    const { places } = this.whole
    const ranks = new Uint32Array(places.length)
    for (let rank = 0; rank < places.length; rank++) ranks[places[rank]!] = rank
    this.ranks = ranks
    return ranks[place]!
  }

  /** The rank of the object that starts at an offset, or -1. */
  rankAt(offset: number): number {
    let low = 0
    let high = this.count
    while (low < high) {
      const mid = (low + high) >>> 1
      if (this.offsetAt(mid) < offset) low = mid + 1
      else high = mid
    }
    return low < this.count && this.offsetAt(low) === offset ? low : -1
  }

  /** Whether the file may be asked once more: it is there and was not asked often yet. */
  private mayLook(): boolean {
    return this.file !== null && this.looks++ < 64 + this.count * MANY
  }
}

/** Null when the offsets do not rise: then these are not the places in pack order. */
function wholeOf(index: PackIndex, places: Uint32Array | null, end: number): Whole | null {
  if (places === null) return null
  const { count } = index
  const offsets = new Float64Array(count + 1)
  for (let rank = 0; rank < count; rank++) offsets[rank] = index.offset(places[rank]!)
  offsets[count] = end
  for (let rank = 0; rank < count; rank++) if (offsets[rank]! >= offsets[rank + 1]!) return null
  return { places, offsets }
}

/**
 * Whether there is a `.rev` file that does not say what the index says, or is not as it was
 * written.
 */
export function isOrderDamaged(base: string, index: PackIndex): boolean {
  if (!existsSync(`${base}.rev`)) return false
  const file = soundFile(base, index)
  const places = file && placesIn(file, index.count)
  return wholeOf(index, places, Infinity) === null
}

/** The bytes of a `.rev` file that belongs to the index and is as it was written. */
function soundFile(base: string, index: PackIndex): Uint8Array | null {
  const bytes = readWhole(`${base}.rev`)
  const end = HEADER + index.count * 4
  if (
    bytes === null ||
    bytes.length !== end + CHECKSUMS ||
    be32(bytes, 0) !== 0x52494458 ||
    be32(bytes, 4) !== 1 ||
    be32(bytes, 8) !== 1
  )
    return null
  if (Buffer.compare(bytes.subarray(end, end + 20), index.packChecksum) !== 0) return null
  return Buffer.compare(
    Bun.SHA1.hash(bytes.subarray(0, end + 20)) as Uint8Array,
    bytes.subarray(end + 20),
  ) === 0
    ? bytes
    : null
}

function placesIn(file: Uint8Array, count: number): Uint32Array | null {
  const places = new Uint32Array(count)
  for (let rank = 0; rank < count; rank++) {
    const place = be32(file, HEADER + rank * 4)
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

/**
 * The places in the index, in pack order, of rows in pack order that `sorted` puts in the order of
 * ids.
 */
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
