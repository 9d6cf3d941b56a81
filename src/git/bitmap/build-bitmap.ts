/**
 * Builds the `.bitmap` file of a pack: for selected commits the set of all objects that they reach
 * (gitformat-bitmap).
 */
import { BLOB, COMMIT, OFS_DELTA, REF_DELTA, TAG, TREE } from '../pack/entry-header.ts'
import { GitError } from '../ports.ts'
import type { ObjectStore } from '../store/object-store.ts'
import type { PackFile } from '../store/pack-file.ts'
import { ObjectCollector } from '../walk/object-collector.ts'
import type { CommitTable } from '../walk/commit-table.ts'
import { StoredBitmaps } from './stored-bitmaps.ts'
import { bitWords, getBit, orInto, setBit, xorInto } from './bits.ts'
import { encodeEwah } from './ewah.ts'

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
/** Maximum length of a chain of bitmaps that are stored as XOR differences. */
const MAX_XOR_CHAIN = 12

/**
 * Returns the bytes of the file and pauses regularly. Returns null when the pack cannot have a
 * bitmap: everything that its commits reach must be in this pack.
 */
export function* buildBitmap(
  store: ObjectStore,
  table: CommitTable,
  pack: PackFile,
  tips: readonly number[],
): Generator<'pause', Uint8Array | null, unknown> {
  const types = yield* objectTypes(store, pack)
  const { index } = pack
  const words = bitWords(index.count)
  const commits = yield* loadCommits(table, pack, types)
  const indexPositions = new Map<number, number>()
  const indexPosOf = (commit: number): number => {
    let indexPos = indexPositions.get(commit)
    if (indexPos === undefined)
      indexPositions.set(commit, (indexPos = index.find(table.oids, commit * 20)))
    return indexPos
  }
  const selected = selectCommits(
    table,
    commits,
    tips.filter((tip) => indexPosOf(tip) >= 0),
  )
  const maxDecoded = Math.floor(MAX_DECODED_BYTES / (words * 4))
  const sets = new StoredBitmaps(words, Math.max(DECODED.min, Math.min(DECODED.max, maxDecoded)))
  const difference = new Uint32Array(words)
  const entries: { indexPos: number; bytes: Uint8Array; xorOffset: number }[] = []
  const numbers = new Map<number, number>()
  let previous: Uint32Array | null = null
  let chain = 0
  for (const commit of selected) {
    const bits = yield* reachableBits(store, table, pack, commit, (other) =>
      numbers.has(other) ? sets.decode(numbers.get(other)!) : null,
    )
    if (bits === null) return null
    const number = entries.length
    const full = encodeEwah(bits, index.count)
    let bytes: Uint8Array = full
    let xorOffset = 0
    if (previous !== null && chain < MAX_XOR_CHAIN) {
      difference.set(bits)
      xorInto(difference, previous)
      const xored = encodeEwah(difference, index.count)
      if (xored.length < full.length) [bytes, xorOffset] = [xored, 1]
    }
    chain = xorOffset === 0 ? 0 : chain + 1
    sets.stored.push({ bytes, at: 0, xorBase: xorOffset === 0 ? -1 : number - 1 })
    sets.remember(number, bits)
    entries.push({ indexPos: indexPosOf(commit), bytes, xorOffset })
    numbers.set(commit, number)
    previous = bits
  }
  if (entries.length === 0) return null
  return serialize(pack, types, entries)
}

function serialize(
  pack: PackFile,
  types: Uint8Array,
  entries: readonly { indexPos: number; bytes: Uint8Array; xorOffset: number }[],
): Uint8Array {
  const { count, packChecksum } = pack.index
  const head = Buffer.from('BITM\0\x01\0\x01\0\0\0\0', 'latin1')
  head.writeUInt32BE(entries.length, 8)
  const parts: Uint8Array[] = [head, packChecksum]
  for (const type of [COMMIT, TREE, BLOB, TAG]) {
    const bits = new Uint32Array(bitWords(count))
    for (let packPos = 0; packPos < count; packPos++)
      if (types[packPos] === type) setBit(bits, packPos)
    parts.push(encodeEwah(bits, count))
  }
  for (const { indexPos, bytes, xorOffset } of entries) {
    const row = Buffer.alloc(6)
    row.writeUInt32BE(indexPos, 0)
    row[4] = xorOffset
    parts.push(row, bytes)
  }
  const body = Buffer.concat(parts)
  return Buffer.concat([body, Bun.SHA1.hash(body) as Uint8Array])
}

/** Returns the type of every object by pack position. A delta has the type of its base. */
function* objectTypes(store: ObjectStore, pack: PackFile): Generator<'pause', Uint8Array, unknown> {
  const { offsets, indexPositions } = pack.reverseIndex.all
  const types = new Uint8Array(indexPositions.length)
  for (let packPos = 0; packPos < indexPositions.length; packPos++) {
    if (packPos % 8192 === 8191) yield 'pause'
    const chain: number[] = []
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
  const commits = new Uint32Array(types.reduce((sum, type) => sum + (type === COMMIT ? 1 : 0), 0))
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
  const latest = commits.sort(byTime)
  const chosen = new Set([...new Set(tips)].sort(byTime).slice(0, MAX_TIPS))
  for (let i = 0; i < latest.length; i += distanceAt(i)) chosen.add(latest[i]!)
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
  const collector = new ObjectCollector(store, undefined, pack)
  const bits = collector.bits!
  const walked: number[] = []
  const stack = [start]
  while (stack.length > 0) {
    const commit = stack.pop()!
    const indexPos = pack.index.find(table.oids, commit * 20)
    if (indexPos < 0) return null
    if (getBit(bits, pack.reverseIndex.packPosOf(indexPos))) continue
    const bitmap = bitmapOf(commit)
    if (bitmap !== null) {
      orInto(bits, bitmap)
      continue
    }
    setBit(bits, pack.reverseIndex.packPosOf(indexPos))
    table.load(commit)
    walked.push(commit)
    for (let i = 0; i < table.parentCount(commit); i++) stack.push(table.parent(commit, i))
  }
  let steps = 0
  for (const commit of walked.reverse()) {
    collector.addTree(table.treeOids, commit * 20, [])
    if (++steps % 64 === 0) yield 'pause'
  }
  return collector.chosen.size > 0 ? null : bits
}
