/**
 * Makes the `.bitmap` of a pack: for selected commits the set of everything that they reach
 * (gitformat-bitmap).
 */
import { BLOB, COMMIT, OFS_DELTA, REF_DELTA, TAG, TREE } from '../pack/entry.ts'
import { GitError } from '../ports.ts'
import type { ObjectStore } from '../store/object-store.ts'
import type { PackFile } from '../store/pack-file.ts'
import { Collector } from '../walk/collect.ts'
import type { CommitTable } from '../walk/commit-table.ts'
import { BitmapSets } from './bitmap-set.ts'
import { bitWords, getBit, orInto, setBit, xorInto } from './bits.ts'
import { encodeEwah } from './ewah.ts'

/** All commits at tips have sets up to this many, the latest first. */
const MAX_TIPS = 512
/** Of the rest, every so many-th, closer together where history is young. */
const NEAR = { commits: 2000, every: 25 }
const FAR = 400
/** Sets that differ from the one before them follow each other at most so long. */
const MAX_CHAIN = 12

/**
 * The bytes of the file, or null when the pack cannot have one: a bitmap needs everything that its
 * commits reach to be in this one pack. Pauses now and then.
 */
export function* buildBitmap(
  store: ObjectStore,
  table: CommitTable,
  pack: PackFile,
  tips: readonly number[],
): Generator<'pause', Uint8Array | null, unknown> {
  const types = yield* typesOf(store, pack)
  const { index, order } = pack
  const words = bitWords(index.count)
  const commits: number[] = []
  for (let rank = 0; rank < types.length; rank++) {
    if (types[rank] !== COMMIT) continue
    const commit = table.number(index.raw, index.idAt(order.placeAt(rank)))
    table.load(commit)
    commits.push(commit)
    if (commits.length % 1024 === 0) yield 'pause'
  }
  const places = new Map<number, number>()
  const placeOf = (commit: number): number => {
    let place = places.get(commit)
    if (place === undefined) places.set(commit, (place = index.find(table.oids, commit * 20)))
    return place
  }
  const selected = select(
    table,
    commits,
    tips.filter((tip) => placeOf(tip) >= 0),
  )
  const sets = new BitmapSets(words, 48)
  const entries: { place: number; bytes: Uint8Array; back: number }[] = []
  const done = new Map<number, number>()
  let previous: Uint32Array | null = null
  let chain = 0
  for (const commit of selected) {
    const bits = yield* reachOf(store, table, pack, commit, (other) =>
      done.has(other) ? sets.decode(done.get(other)!) : null,
    )
    if (bits === null) return null
    const number = entries.length
    const whole = encodeEwah(bits, index.count)
    let bytes: Uint8Array = whole
    let back = 0
    if (previous !== null && chain < MAX_CHAIN) {
      const difference: Uint32Array = bits.slice()
      xorInto(difference, previous)
      const short = encodeEwah(difference, index.count)
      if (short.length < whole.length) [bytes, back] = [short, 1]
    }
    chain = back === 0 ? 0 : chain + 1
    sets.sets.push({ bytes, at: 0, base: back === 0 ? -1 : number - 1 })
    sets.keep(number, bits)
    entries.push({ place: placeOf(commit), bytes, back })
    done.set(commit, number)
    previous = bits
  }
  if (entries.length === 0) return null
  return serialize(pack, types, entries)
}

function serialize(
  pack: PackFile,
  types: Uint8Array,
  entries: readonly { place: number; bytes: Uint8Array; back: number }[],
): Uint8Array {
  const { count, packChecksum } = pack.index
  const head = Buffer.from('BITM\0\x01\0\x01\0\0\0\0', 'latin1')
  head.writeUInt32BE(entries.length, 8)
  const parts: Uint8Array[] = [head, packChecksum]
  for (const type of [COMMIT, TREE, BLOB, TAG]) {
    const bits = new Uint32Array(bitWords(count))
    for (let rank = 0; rank < count; rank++) if (types[rank] === type) setBit(bits, rank)
    parts.push(encodeEwah(bits, count))
  }
  for (const { place, bytes, back } of entries) {
    const row = Buffer.alloc(6)
    row.writeUInt32BE(place, 0)
    row[4] = back
    parts.push(row, bytes)
  }
  const body = Buffer.concat(parts)
  return Buffer.concat([body, Bun.SHA1.hash(body) as Uint8Array])
}

/** The type of every object, by rank; deltas have the type of their base. */
function* typesOf(store: ObjectStore, pack: PackFile): Generator<'pause', Uint8Array, unknown> {
  const { offsets, places } = pack.order.whole
  const types = new Uint8Array(places.length)
  for (let rank = 0; rank < places.length; rank++) {
    if (rank % 8192 === 8191) yield 'pause'
    const chain: number[] = []
    let at = rank
    for (;;) {
      if (types[at] !== 0) break
      const entry = store.reader.entry(pack, offsets[at]!)
      if (entry.type !== OFS_DELTA && entry.type !== REF_DELTA) {
        types[at] = entry.type
        break
      }
      chain.push(at)
      at = pack.order.rankAt(entry.base)
      if (at < 0 || chain.length > places.length)
        throw new GitError('corrupt', `${pack.name}: a delta has no base`)
    }
    for (const link of chain) types[link] = types[at]!
  }
  return types
}

/** The commits that get sets, oldest first. */
function select(table: CommitTable, commits: readonly number[], tips: readonly number[]): number[] {
  const byTime = (a: number, b: number) => table.time(b) - table.time(a)
  const latest = [...commits].sort(byTime)
  const chosen = new Set([...new Set(tips)].sort(byTime).slice(0, MAX_TIPS))
  for (let i = 0; i < latest.length; i += i < NEAR.commits ? NEAR.every : FAR)
    chosen.add(latest[i]!)
  return [...chosen].sort((a, b) => byTime(b, a))
}

/** Everything that a commit reaches, by rank; null when something of it is not in the pack. */
function* reachOf(
  store: ObjectStore,
  table: CommitTable,
  pack: PackFile,
  start: number,
  known: (commit: number) => Uint32Array | null,
): Generator<'pause', Uint32Array | null, unknown> {
  const collector = new Collector(store, undefined, pack)
  const bits = collector.bits!
  const walked: number[] = []
  const stack = [start]
  while (stack.length > 0) {
    const commit = stack.pop()!
    const place = pack.index.find(table.oids, commit * 20)
    if (place < 0) return null
    if (getBit(bits, pack.order.rankOf(place))) continue
    const have = known(commit)
    if (have !== null) {
      orInto(bits, have)
      continue
    }
    setBit(bits, pack.order.rankOf(place))
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
