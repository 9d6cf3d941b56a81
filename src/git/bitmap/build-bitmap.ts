/**
 * Builds the `.bitmap` file of a pack: for selected commits the set of all objects that they reach
 * (gitformat-bitmap).
 */
import { BLOB, COMMIT, OFS_DELTA, REF_DELTA, TAG, TREE } from '../pack/entry-header.ts'
import { GitError } from '../ports.ts'
import type { ObjectStore } from '../store/object-store.ts'
import type { PackFile } from '../store/pack-file.ts'
import { HashingWriter } from '../store/hashing-writer.ts'
import type { Tables } from '../store/tables.ts'
import { NumberList } from '../walk/number-list.ts'
import { sortLatestFirst } from '../walk/sort-by-time.ts'
import { ObjectCollector } from '../walk/object-collector.ts'
import type { CommitTable } from '../walk/commit-table.ts'
import { PackMarks } from './pack-marks.ts'
import { StoredBitmaps } from './stored-bitmaps.ts'
import { bitWords, orInto, setBit, xorInto } from './bits.ts'
import { encodeEwah, maxEwahBytes } from './ewah.ts'

/** Maximum number of tips that get a bitmap, latest first. */
const MAX_TIPS = 512
/**
 * Of the other commits, every 25th of the latest 2000. Before them the distance grows with the age
 * of a commit, because each bitmap costs time in proportion to the size of the pack.
 */
const MIN_DISTANCE = 25
const DISTANCE_SHARE = 1 / 80
const MAX_DISTANCE = 5000
/** Memory for decoded bitmaps of the commits before. */
const MAX_DECODED_BYTES = 32 << 20
const DECODED = { min: 8, max: 48 }
/** Memory for serialized bitmaps is allocated in blocks of this size. */
const ENCODED_BLOCK_BYTES = 4 << 20
/** Maximum length of a chain of bitmaps that are stored as XOR differences. */
const MAX_XOR_CHAIN = 12

/**
 * Writes the file to `fd` and pauses regularly. Returns false when the pack cannot have a bitmap:
 * everything that its commits reach must be in this pack.
 */
export function* buildBitmap(
  store: ObjectStore,
  table: CommitTable,
  pack: PackFile,
  tips: readonly number[],
  fd: number,
): Generator<'pause', boolean, unknown> {
  const { tables } = store
  const types = yield* objectTypes(store, pack)
  const commits = yield* loadCommits(table, pack, types)
  const indexPosOf = (commit: number): number => pack.index.find(table.oids, commit * 20)
  const selected = selectCommits(
    table,
    commits,
    tips.filter((tip) => indexPosOf(tip) >= 0),
  )
  tables.release(commits)
  if (selected.length === 0) return false
  const writer = new BitmapWriter(tables, pack, fd)
  writer.begin(selected.length, types)
  tables.release(types)
  for (const commit of selected) {
    const bits = yield* reachableBits(store, table, pack, commit, (other) => writer.bitmapOf(other))
    if (bits === null) return false
    writer.add(commit, indexPosOf(commit), bits)
  }
  writer.finish()
  return true
}

/** Writes the bitmaps of commits, and decodes those written before for the following ones. */
class BitmapWriter {
  private readonly out: HashingWriter
  private readonly sets: StoredBitmaps
  private readonly encodings: EncodedBytes
  /** Number of the bitmap of a commit. */
  private readonly numbers = new Map<number, number>()
  private readonly previous: Uint32Array
  private readonly difference: Uint32Array
  private readonly full: Uint8Array
  private readonly xored: Uint8Array
  /** Number of bitmaps before the next one that are stored as differences. */
  private chain = 0

  constructor(
    tables: Tables,
    private readonly pack: PackFile,
    fd: number,
  ) {
    const { count } = pack.index
    const words = bitWords(count)
    const maxDecoded = Math.floor(MAX_DECODED_BYTES / (words * 4))
    const decoded = Math.max(DECODED.min, Math.min(DECODED.max, maxDecoded))
    this.out = new HashingWriter(fd)
    this.sets = new StoredBitmaps(words, decoded, tables)
    this.encodings = new EncodedBytes(tables)
    this.previous = tables.allocate(Uint32Array, words)
    this.difference = tables.allocate(Uint32Array, words)
    this.full = tables.allocate(Uint8Array, maxEwahBytes(count))
    this.xored = tables.allocate(Uint8Array, maxEwahBytes(count))
  }

  /** Writes the header, and the objects of each type. */
  begin(bitmaps: number, types: Uint8Array): void {
    const { count, packChecksum } = this.pack.index
    this.out.put(Buffer.from('BITM\0\x01\0\x01', 'latin1'), 0, 8)
    this.out.put32(bitmaps)
    this.out.put(packChecksum, 0, 20)
    for (const type of [COMMIT, TREE, BLOB, TAG]) {
      this.difference.fill(0)
      for (let packPos = 0; packPos < count; packPos++)
        if (types[packPos] === type) setBit(this.difference, packPos)
      this.out.put(this.full, 0, encodeEwah(this.difference, count, this.full))
    }
  }

  /** The bitmap of a commit, or null. It is valid until the next call. */
  bitmapOf(commit: number): Uint32Array | null {
    const number = this.numbers.get(commit)
    return number === undefined ? null : this.sets.decode(number)
  }

  /** Writes the bitmap of a commit, which then belongs to the writer. */
  add(commit: number, indexPos: number, bits: Uint32Array): void {
    const { count } = this.pack.index
    const number = this.numbers.size
    let length = encodeEwah(bits, count, this.full)
    let encoded = this.full
    let isXor = false
    if (number > 0 && this.chain < MAX_XOR_CHAIN) {
      this.difference.set(bits)
      xorInto(this.difference, this.previous)
      const size = encodeEwah(this.difference, count, this.xored)
      if (size < length) [encoded, length, isXor] = [this.xored, size, true]
    }
    this.chain = isXor ? this.chain + 1 : 0
    this.previous.set(bits)
    const stored = this.encodings.append(encoded, length)
    this.sets.stored.push({ ...stored, xorBase: isXor ? number - 1 : -1 })
    this.sets.remember(number, bits)
    this.numbers.set(commit, number)
    this.out.put32(indexPos)
    this.out.put(Uint8Array.of(isXor ? 1 : 0, 0), 0, 2)
    this.out.put(encoded, 0, length)
  }

  finish(): void {
    this.out.finish()
  }
}

/** Bytes of serialized bitmaps, in blocks. */
class EncodedBytes {
  private block = new Uint8Array()
  private used = 0

  constructor(private readonly tables: Tables) {}

  append(bytes: Uint8Array, length: number): { bytes: Uint8Array; at: number } {
    if (this.used + length > this.block.length) {
      this.block = this.tables.allocate(Uint8Array, Math.max(length, ENCODED_BLOCK_BYTES))
      this.used = 0
    }
    const at = this.used
    this.block.set(bytes.subarray(0, length), at)
    this.used += length
    return { bytes: this.block, at }
  }
}

/** Returns the type of every object by pack position. A delta has the type of its base. */
function* objectTypes(store: ObjectStore, pack: PackFile): Generator<'pause', Uint8Array, unknown> {
  const { offsets, indexPositions } = pack.reverseIndex.all
  const types = store.tables.allocate(Uint8Array, indexPositions.length)
  const chain: number[] = []
  for (let packPos = 0; packPos < indexPositions.length; packPos++) {
    if (packPos % 8192 === 8191) yield 'pause'
    chain.length = 0
    let at = packPos
    for (;;) {
      if (types[at] !== 0) break
      const entry = store.reader.entryAt(pack, offsets[at]!)
      if (entry.type !== OFS_DELTA && entry.type !== REF_DELTA) {
        types[at] = entry.type
        break
      }
      chain.push(at)
      at = pack.reverseIndex.packPosAtOffset(entry.base)
      if (at < 0 || chain.length > indexPositions.length)
        throw new GitError('corrupt', `${pack.name}: a delta has no base`)
    }
    for (const link of chain) types[link] = types[at]!
  }
  return types
}

/** Returns the numbers of all commits of a pack, and parses them. */
function* loadCommits(
  table: CommitTable,
  { index, reverseIndex }: PackFile,
  types: Uint8Array,
): Generator<'pause', Uint32Array, unknown> {
  let total = 0
  for (let packPos = 0; packPos < types.length; packPos++) if (types[packPos] === COMMIT) total++
  const commits = table.tables.allocate(Uint32Array, total)
  let count = 0
  for (let packPos = 0; packPos < types.length; packPos++) {
    if (types[packPos] !== COMMIT) continue
    const commit = table.numberOfRaw(index.raw, index.oidAt(reverseIndex.indexPosAt(packPos)))
    table.load(commit)
    commits[count++] = commit
    if (count % 1024 === 0) yield 'pause'
  }
  return commits
}

/** Returns the commits that get a bitmap, oldest first. */
function selectCommits(
  table: CommitTable,
  commits: Uint32Array,
  tips: readonly number[],
): number[] {
  const byTime = (a: number, b: number) => table.time(b) - table.time(a)
  sortLatestFirst(commits, (commit) => table.time(commit), table.tables)
  const chosen = new Set([...new Set(tips)].sort(byTime).slice(0, MAX_TIPS))
  for (let i = 0; i < commits.length; i += distanceAt(i)) chosen.add(commits[i]!)
  return [...chosen].sort((a, b) => byTime(b, a))
}

/** Returns the distance from a commit with a bitmap, by age, to the next one. */
const distanceAt = (age: number): number =>
  Math.max(MIN_DISTANCE, Math.min(MAX_DISTANCE, Math.floor(age * DISTANCE_SHARE)))

/**
 * Returns everything that a commit reaches, by pack position; null when an object is not in the
 * pack.
 */
function* reachableBits(
  store: ObjectStore,
  table: CommitTable,
  pack: PackFile,
  start: number,
  bitmapOf: (commit: number) => Uint32Array | null,
): Generator<'pause', Uint32Array | null, unknown> {
  const marks = PackMarks.none(pack, 'pack')
  const collector = new ObjectCollector(store, undefined, marks)
  const walked = new NumberList(store.tables)
  const stack = new NumberList(store.tables)
  stack.push(start)
  while (stack.length > 0) {
    const commit = stack.pop()
    const indexPos = pack.index.find(table.oids, commit * 20)
    if (indexPos < 0) return null
    if (marks.has(indexPos)) continue
    const bitmap = bitmapOf(commit)
    if (bitmap !== null) {
      orInto(marks.bits, bitmap)
      continue
    }
    marks.add(indexPos)
    table.load(commit)
    walked.push(commit)
    for (let i = 0; i < table.parentCount(commit); i++) stack.push(table.parent(commit, i))
  }
  for (let i = walked.length - 1; i >= 0; i--) {
    collector.addTree(table.treeOids, walked.at(i) * 20, [])
    if (i % 64 === 0) yield 'pause'
  }
  walked.release()
  stack.release()
  return collector.chosen.size > 0 ? null : marks.bits
}
