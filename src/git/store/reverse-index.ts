/**
 * A pack's objects in pack order: git's reverse index, from a `.rev` file or by sorting the offsets
 * (gitformat-pack). A pack position is the rank of an object by offset; an index position is its
 * rank by id.
 */
import { existsSync } from 'node:fs'
import { GitError } from '../ports.ts'
import { HashingWriter } from './hashing-writer.ts'
import { be32, type PackIndex } from './pack-index.ts'
import { mapFileOrNull } from './read-file.ts'
import { HEAP_TABLES, type Tables } from './tables.ts'

/** Index position and offset of every object, by pack position. */
type PackOrderArrays = { readonly indexPositions: Uint32Array; readonly offsets: Float64Array }

/** "RIDX". */
const SIGNATURE = 0x52494458
/** Bytes of the `.rev` header, and of its trailer: the pack's checksum and its own. */
const HEADER_BYTES = 12
const TRAILER_BYTES = 40
/**
 * Share of a pack's objects that are looked up singly. Beyond it, loading the arrays is cheaper
 * than further lookups.
 */
const MAX_LOOKUP_SHARE = 1 / 32

/**
 * Looks up a few objects in the file itself, so a small fetch from a large pack needs no
 * preparation. Code that reads many objects loads all of them as arrays (`all`).
 */
export class ReverseIndex {
  private arrays: PackOrderArrays | null = null
  private packPositions: Uint32Array | null = null
  private lookups = 0
  /**
   * CRCs of groups of entries whose single CRCs were verified once. The pack builder defines the
   * groups.
   */
  readonly verifiedCrcs = new Map<number, number>()

  private constructor(
    private readonly index: PackIndex,
    /** Offset of the pack's trailer. */
    private readonly end: number,
    /** The bytes of an intact `.rev` file, or null. */
    private file: Uint8Array | null,
    private readonly tables: Tables,
  ) {}

  /** `end` is the offset of the pack's trailer. */
  static open(base: string, index: PackIndex, end: number, tables: Tables): ReverseIndex {
    return new ReverseIndex(index, end, readIntactFile(base, index), tables)
  }

  /** Number of objects in the pack. */
  get count(): number {
    return this.index.count
  }

  /** Approximate memory in bytes. The file's own is small, or mapped. */
  get heldBytes(): number {
    return (
      (this.arrays === null ? 0 : this.count * 12) +
      (this.packPositions === null ? 0 : this.count * 4)
    )
  }

  /**
   * The index position and offset of each object, by pack position. One more offset is the end of
   * the last object.
   */
  get all(): PackOrderArrays {
    if (this.arrays !== null) return this.arrays
    const { file, index, tables } = this
    const arrays =
      (file && arraysOf(index, indexPositionsIn(file, index.count, tables), this.end, tables)) ??
      arraysOf(index, packOrder(index, tables), this.end, tables)
    if (arrays === null)
      throw new GitError(
        'corrupt',
        `${this.index.path} names an object outside of the pack, or two at one indexPos`,
      )
    this.file = null
    return (this.arrays = arrays)
  }

  /** Returns the index position of the object at a pack position. */
  indexPosAt(packPos: number): number {
    if (this.arrays !== null) return this.arrays.indexPositions[packPos]!
    const indexPos = this.mayReadFile() ? be32(this.file!, HEADER_BYTES + packPos * 4) : -1
    // An invalid position in the file is not used.
    return indexPos >= 0 && indexPos < this.count ? indexPos : this.all.indexPositions[packPos]!
  }

  /**
   * Returns the offset of the object at a pack position. For the position after the last object it
   * is the end of the objects.
   */
  offsetAt(packPos: number): number {
    if (this.arrays !== null) return this.arrays.offsets[packPos]!
    return packPos === this.count ? this.end : this.index.offset(this.indexPosAt(packPos))
  }

  /** Returns the pack position of the object at an index position. */
  packPosOf(indexPos: number): number {
    if (this.packPositions !== null) return this.packPositions[indexPos]!
    if (this.mayReadFile()) {
      const packPos = this.packPosAtOffset(this.index.offset(indexPos))
      if (packPos >= 0 && this.indexPosAt(packPos) === indexPos) return packPos
    }
    const { indexPositions } = this.all
    const packPositions = this.tables.allocate(Uint32Array, indexPositions.length)
    for (let packPos = 0; packPos < indexPositions.length; packPos++)
      packPositions[indexPositions[packPos]!] = packPos
    this.packPositions = packPositions
    return packPositions[indexPos]!
  }

  /** Returns the pack position of the object that starts at an offset, or -1. */
  packPosAtOffset(offset: number): number {
    let low = 0
    let high = this.count
    while (low < high) {
      const mid = (low + high) >>> 1
      if (this.offsetAt(mid) < offset) low = mid + 1
      else high = mid
    }
    return low < this.count && this.offsetAt(low) === offset ? low : -1
  }

  /** Ends the use of the arrays. */
  release(): void {
    const { arrays, packPositions, tables } = this
    if (arrays !== null) {
      tables.release(arrays.indexPositions)
      tables.release(arrays.offsets)
    }
    if (packPositions !== null) tables.release(packPositions)
    this.arrays = null
    this.packPositions = null
  }

  /** Whether the file may be used for one more lookup: it exists and has had few lookups. */
  private mayReadFile(): boolean {
    return this.file !== null && this.lookups++ < 64 + this.count * MAX_LOOKUP_SHARE
  }
}

/**
 * Returns null when the offsets do not increase, because then the positions are not in pack order.
 */
function arraysOf(
  index: PackIndex,
  indexPositions: Uint32Array | null,
  end: number,
  tables: Tables,
): PackOrderArrays | null {
  if (indexPositions === null) return null
  const { count } = index
  const offsets = tables.allocate(Float64Array, count + 1)
  for (let packPos = 0; packPos < count; packPos++)
    offsets[packPos] = index.offset(indexPositions[packPos]!)
  offsets[count] = end
  for (let packPos = 0; packPos < count; packPos++)
    if (offsets[packPos]! >= offsets[packPos + 1]!) return null
  return { indexPositions, offsets }
}

/** Whether a `.rev` file exists but is damaged or contradicts the index. */
export function isReverseIndexDamaged(base: string, index: PackIndex): boolean {
  if (!existsSync(`${base}.rev`)) return false
  const file = readIntactFile(base, index)
  const indexPositions = file && indexPositionsIn(file, index.count, HEAP_TABLES)
  return arraysOf(index, indexPositions, Infinity, HEAP_TABLES) === null
}

/** Returns the bytes of the `.rev` file when it belongs to the index and matches its checksum. */
function readIntactFile(base: string, index: PackIndex): Uint8Array | null {
  const bytes = mapFileOrNull(`${base}.rev`)
  const end = HEADER_BYTES + index.count * 4
  if (
    bytes === null ||
    bytes.length !== end + TRAILER_BYTES ||
    be32(bytes, 0) !== SIGNATURE ||
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

function indexPositionsIn(file: Uint8Array, count: number, tables: Tables): Uint32Array | null {
  const indexPositions = tables.allocate(Uint32Array, count)
  for (let packPos = 0; packPos < count; packPos++) {
    const indexPos = be32(file, HEADER_BYTES + packPos * 4)
    if (indexPos >= count) return null
    indexPositions[packPos] = indexPos
  }
  return indexPositions
}

/** Returns the index positions of a pack in the order of their offsets. */
export function packOrder(index: PackIndex, tables: Tables = HEAP_TABLES): Uint32Array {
  const { count } = index
  const indexPositions = tables.allocate(Uint32Array, count)
  let largest = 0
  for (let indexPos = 0; indexPos < count; indexPos++)
    largest = Math.max(largest, index.offset(indexPos))
  if (largest * count >= 2 ** 53) {
    for (let indexPos = 0; indexPos < count; indexPos++) indexPositions[indexPos] = indexPos
    return indexPositions.sort((a, b) => index.offset(a) - index.offset(b))
  }
  // Sorting numbers that combine offset and position is much faster than a sort with a comparison
  // function.
  const keyed = tables.allocate(Float64Array, count)
  for (let indexPos = 0; indexPos < count; indexPos++)
    keyed[indexPos] = index.offset(indexPos) * count + indexPos
  keyed.sort()
  for (let packPos = 0; packPos < count; packPos++)
    indexPositions[packPos] = keyed[packPos]! % count
  tables.release(keyed)
  return indexPositions
}

/**
 * Inverts a permutation: returns the index position of each row, when `sorted` has the row of each
 * index position.
 */
export function invertOrder(sorted: Uint32Array): Uint32Array {
  const indexPositions = new Uint32Array(sorted.length)
  for (let indexPos = 0; indexPos < sorted.length; indexPos++)
    indexPositions[sorted[indexPos]!] = indexPos
  return indexPositions
}

/** Writes a `.rev` file with these index positions in pack order. */
export function writeReverseIndex(
  fd: number,
  indexPositions: Uint32Array,
  packChecksum: Uint8Array,
): void {
  const writer = new HashingWriter(fd)
  writer.put32(SIGNATURE)
  writer.put32(1)
  writer.put32(1)
  for (let packPos = 0; packPos < indexPositions.length; packPos++)
    writer.put32(indexPositions[packPos]!)
  writer.put(packChecksum, 0, 20)
  writer.finish()
}
