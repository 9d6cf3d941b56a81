/**
 * Writes packs for sending and for maintenance: what lies in packs already is copied as it is,
 * deltas included, as long as the receiver has or gets the base; only a delta whose base stays away
 * is made whole.
 */
import zlib from 'node:zlib'
import { GitError } from '../ports.ts'
import { deflate } from '../store/deflate.ts'
import type { ObjectStore } from '../store/object-store.ts'
import type { PackFile } from '../store/pack-file.ts'
import type { PackOrder } from '../store/pack-order.ts'
import { OFS_DELTA, REF_DELTA, packHeader, writeDistance, writeEntryHeader } from './entry.ts'
import { deltaKey, findDelta, keepDelta, type MadeDelta } from './made-deltas.ts'
import { makeDelta } from './make-delta.ts'
import type { PackPart } from './plan.ts'
import { Written } from './written.ts'

/** Where the bytes go. */
export type Sink = {
  put(bytes: Buffer, from: number, to: number): void
  /**
   * Has `length` bytes written straight to where they go, in parts. Without it packs are copied
   * entry by entry.
   */
  fill?(length: number, write: (block: Buffer, at: number, length: number) => void): void
}

export type BuildOptions = {
  /** Whether deltas may name their base by distance; the others name it by id. */
  ofsDelta: boolean
  /**
   * Whether the receiver has an object, which can then be the base of a thin pack; null for packs
   * that stand alone.
   */
  known: ((oid: Uint8Array) => boolean) | null
  /**
   * An object that the receiver has and that is likely to resemble this one: its version before.
   */
  origin?: ((oid: Uint8Array, at: number) => Uint8Array | null) | null
  /** Objects that become deltas of others in the same pack, where that pays. */
  deltas?: DeltaPlan
}

/**
 * Raw ids of bases by the ids (as Latin-1) of the objects that are to rest on them; no object rests
 * on itself in the end.
 */
export type DeltaPlan = Map<string, Uint8Array>

/**
 * Told of every entry as it is written; index writers listen. `place` is the object's in the index
 * of `pack`.
 */
export type OnEntry = (pack: PackFile, place: number, offset: number, crc: number) => void

const WINDOW = 1 << 19
/**
 * Windows that wait for the next pack of this thread: new memory costs more than what is done in
 * it.
 */
const windows: Buffer[] = []
const MOST_WINDOWS = 4
/** Entries whose bytes are proven together once each was proven alone. */
const GROUP = 64
/** Stands for the whole pack among the groups. */
const WHOLE = -1
const LEVEL = 4
/** Larger objects are not compared: that would cost more than it saves. */
const MAX_DELTA = 8 << 20
/**
 * Entries of fewer bytes are sent as they are: looking for a shorter delta would cost more than it
 * saves.
 */
const WORTH = 1 << 14
/** What deflating a byte costs, and comparing one, beside inflating it. */
const DEFLATING = 8
const COMPARING = 1

/** Bytes that an entry takes in its pack. */
const packed = ({ order }: Work, rank: number): number =>
  order.offsetAt(rank + 1) - order.offsetAt(rank)

/** Of an entry's header: the inflated size of what follows, and its own length. */
type Entry = { readonly size: number; readonly headerBytes: number }

/** One part as it is worked on. */
type Work = PackPart & {
  readonly order: PackOrder
  /** Where each of its objects went, by rank. */
  readonly written: Written
}

export class PackBuilder {
  private readonly works: Work[]
  private at = 12
  private readonly head = Buffer.alloc(64)
  private window: Buffer = Buffer.alloc(0)
  private base = Buffer.alloc(0)
  private windowPack: PackFile | null = null
  private windowFrom = 0
  private windowTo = 0
  /**
   * How much is read at once: much where most of a pack is sent, little where single entries are
   * picked.
   */
  private readAhead = WINDOW
  /** Objects that are done. */
  done = 0
  readonly total: number

  constructor(
    private readonly store: ObjectStore,
    parts: readonly PackPart[],
    private readonly options: BuildOptions,
    private readonly sink: Sink,
    private readonly onEntry: OnEntry | null = null,
  ) {
    this.works = parts.map(({ pack, ranks }) => ({
      pack,
      ranks,
      order: pack.order,
      written: new Written(ranks, pack.order.count),
    }))
    this.total = parts.reduce((sum, part) => sum + part.ranks.length, 0)
  }

  /**
   * The pack that this one will be, byte for byte: everything of one pack is sent, and as it is.
   * Its checksum is known then, and the bytes need not be hashed again.
   */
  get copyOf(): PackFile | null {
    const only = this.works.length === 1 ? this.works[0]! : null
    return only !== null && this.options.ofsDelta && only.ranks.length === only.order.count
      ? only.pack
      : null
  }

  /**
   * Writes header and entries; pauses after every entry that filled a block. The trailer is the
   * caller's. Throws GitError `corrupt` for bytes that are not what their checksum says.
   */
  *run(isFull: () => boolean): Generator<void> {
    this.window = windows.pop() ?? Buffer.allocUnsafeSlow(WINDOW)
    try {
      const same = this.onEntry === null && this.sink.fill ? this.copyOf : null
      if (same === null) yield* this.parts(isFull)
      else yield* this.copyPack(same, isFull)
    } finally {
      if (windows.length < MOST_WINDOWS) windows.push(this.window)
      this.windowPack = null
    }
  }

  /**
   * Copies a pack without a look at its entries: its checksum is proof of all of them, and once
   * that was right a quicker sum is.
   */
  private *copyPack(pack: PackFile, isFull: () => boolean): Generator<void> {
    const { proven } = pack.order
    const known = proven.get(WHOLE)
    const hasher = known === undefined ? new Bun.CryptoHasher('sha1') : null
    const end = pack.size - 20
    let sum = 0
    for (let at = 0; at < end; ) {
      const size = Math.min(WINDOW, end - at)
      let from = at
      this.sink.fill?.(size, (block, start, length) => {
        if (pack.read(block, start, length, from) !== length)
          throw new GitError('corrupt', `${pack.name} is cut off`)
        const bytes = block.subarray(start, start + length)
        hasher?.update(bytes)
        sum = zlib.crc32(bytes, sum)
        from += length
      })
      at += size
      this.done = Math.floor((this.total * at) / end)
      if (isFull()) yield
    }
    const right =
      hasher === null
        ? sum === known
        : Buffer.compare(hasher.digest() as Uint8Array, pack.index.packChecksum) === 0
    if (!right) throw new GitError('corrupt', `${pack.name} is damaged`)
    proven.set(WHOLE, sum)
  }

  private *parts(isFull: () => boolean): Generator<void> {
    this.sink.put(packHeader(this.total), 0, 12)
    for (const work of this.works) {
      const { ranks, written } = work
      this.readAhead = ranks.length > work.order.count / 4 ? WINDOW : 8192
      let i = 0
      if (this.at === 12 && this.options.ofsDelta) {
        let prefix = 0
        while (
          prefix < ranks.length &&
          ranks[prefix] === prefix &&
          this.plannedFor(work, prefix) === null
        )
          prefix++
        // A few are quicker one by one: all offsets of a large pack need not be known for them.
        while (prefix >= GROUP && i < prefix) {
          const next = this.copyRun(work, i, prefix)
          if (isFull()) yield
          if (next === i) break
          i = next
        }
      }
      for (; i < ranks.length; i++) {
        if (written.get(ranks[i]!) === Written.NOT_YET) this.emit(work, ranks[i]!)
        if (isFull()) yield
      }
    }
  }

  /**
   * Copies entries from `rank` on, all of them up to `end`, which lie in this pack exactly as they
   * will in the other:
   * as many as one window holds. Gives the rank behind them. A base that is named by its id may not
   * be among them:
   * before such a delta it stops, unless everything is sent.
   */
  private copyRun(work: Work, rank: number, end: number): number {
    const { pack, written } = work
    const { offsets, places } = work.order.whole
    const from = this.fill(pack, offsets[rank]!, Math.min(offsets[rank]! + WINDOW, offsets[end]!))
    const all = end === work.order.count
    const limit = this.windowFrom + this.windowTo
    let next = rank
    /**
     * The group that is being proven entry by entry. One with a base by id is never proven as a
     * whole: it must be looked at.
     */
    let begun = -1
    const { proven } = pack.order
    const shift = this.at - offsets[rank]!
    while (next < end && offsets[next + 1]! <= limit) {
      const at = offsets[next]! - this.windowFrom
      const group =
        next % GROUP === 0 && next + GROUP <= end && offsets[next + GROUP]! <= limit
          ? next / GROUP
          : -1
      if (group >= 0 && this.onEntry === null && proven.has(group)) {
        if (
          zlib.crc32(this.window.subarray(at, offsets[next + GROUP]! - this.windowFrom)) !==
          proven.get(group)
        ) {
          throw new GitError('corrupt', `${pack.name}: an entry behind ${offsets[next]} is damaged`)
        }
        for (const to = next + GROUP; next < to; next++) written.set(next, offsets[next]! + shift)
        continue
      }
      if (group >= 0) begun = group
      if (!all && ((this.window[at]! >>> 4) & 7) === REF_DELTA) break
      if (((this.window[at]! >>> 4) & 7) === REF_DELTA) begun = -1
      const crc = zlib.crc32(this.window.subarray(at, offsets[next + 1]! - this.windowFrom))
      if (crc !== pack.index.crc(places[next]!))
        throw new GitError('corrupt', `${pack.name}: the entry at ${offsets[next]} is damaged`)
      written.set(next, offsets[next]! + shift)
      this.onEntry?.(pack, places[next]!, offsets[next]! + shift, crc)
      next++
      if (begun >= 0 && next === (begun + 1) * GROUP) {
        proven.set(
          begun,
          zlib.crc32(
            this.window.subarray(
              offsets[begun * GROUP]! - this.windowFrom,
              offsets[next]! - this.windowFrom,
            ),
          ),
        )
        begun = -1
      }
    }
    if (next > rank) {
      const size = offsets[next]! - offsets[rank]!
      this.sink.put(this.window, from, from + size)
      this.at += size
      this.done += next - rank
      return next
    }
    // One entry is larger than the window, or it must be looked at.
    if (all || ((this.window[from]! >>> 4) & 7) !== REF_DELTA) {
      this.copyEntry(work, rank, 0, 0)
      return rank + 1
    }
    return rank
  }

  private emit(first: Work, firstRank: number): void {
    // A chain whose bases lie further on is written from its base up.
    const chain = [{ work: first, rank: firstRank }]
    for (let top = chain[0]; top !== undefined; top = chain[chain.length - 1]) {
      const { work, rank } = top
      const waits = this.emitOrWait(work, rank)
      if (waits === null) chain.pop()
      else {
        work.written.set(rank, Written.STARTED)
        chain.push(waits)
      }
    }
  }

  /** Writes an object, or gives the one that must be there before it. */
  private emitOrWait(work: Work, rank: number): { work: Work; rank: number } | null {
    const entry = this.store.reader.entry(work.pack, work.order.offsetAt(rank))
    if (entry.base < 0) {
      const planned = this.plannedFor(work, rank)
      if (planned !== null) {
        if (planned.state === Written.NOT_YET) return planned
        if (planned.state >= 0 && this.emitDeltaOf(planned, work, rank)) return null
      }
      // The latest version of a file is whole in most packs, and the receiver may have the one
      // before.
      if (packed(work, rank) < WORTH || !this.emitNewDelta(work, rank))
        this.copyEntry(work, rank, 0, 0)
      return null
    }
    const base = work.pack.order.rankAt(entry.base)
    if (base < 0) throw new GitError('corrupt', `${work.pack.name}: a base is not in the index`)
    const state = work.written.get(base)
    if (state === Written.NOT_YET) return { work, rank: base }
    if (state >= 0) this.copyDelta(work, rank, entry, state, work.pack, work.order.placeAt(base))
    else {
      // The base may be taken from another pack.
      const at = work.pack.index.idAt(work.order.placeAt(base))
      const found =
        state === Written.ABSENT ? this.find(work.pack.index.raw.subarray(at, at + 20)) : null
      if (found?.state === Written.NOT_YET) return found
      this.emitFar(work, rank, entry, base)
    }
    return null
  }

  private plannedFor(work: Work, rank: number): { work: Work; rank: number; state: number } | null {
    const { deltas } = this.options
    if (!deltas || deltas.size === 0) return null
    const { index } = work.pack
    const at = index.idAt(work.order.placeAt(rank))
    const base = deltas.get(
      Buffer.from(index.raw.buffer, index.raw.byteOffset + at, 20).toString('latin1'),
    )
    return base === undefined ? null : this.find(base)
  }

  /** Writes an object as a delta of one that is written already; false when that does not pay. */
  private emitDeltaOf(
    base: { work: Work; rank: number; state: number },
    work: Work,
    rank: number,
  ): boolean {
    const { reader } = this.store
    reader.load(base.work.pack, base.work.order.offsetAt(base.rank))
    if (reader.to - reader.from > MAX_DELTA) return false
    const old = this.hold(reader.bytes.subarray(reader.from, reader.to))
    reader.load(work.pack, work.order.offsetAt(rank))
    const size = reader.to - reader.from
    const delta = makeDelta(old, reader.bytes.subarray(reader.from, reader.to), size >>> 1)
    if (delta === null) return false
    const data = deflate(delta, LEVEL)
    const start = this.at
    let length = writeEntryHeader(this.head, 0, OFS_DELTA, delta.length)
    length = writeDistance(this.head, length, start - base.state)
    if (length + data.length >= packed(work, rank)) return false
    this.sink.put(this.head, 0, length)
    this.sink.put(data, 0, data.length)
    this.at += length + data.length
    this.finish(
      work,
      rank,
      start,
      this.onEntry ? zlib.crc32(data, zlib.crc32(this.head.subarray(0, length))) : 0,
    )
    return true
  }

  /**
   * A delta whose base does not go with this part: it comes from another pack, is with the
   * receiver, or is nowhere.
   */
  private emitFar(work: Work, rank: number, entry: Entry, base: number): void {
    const { index } = work.pack
    const place = work.order.placeAt(base)
    const at = index.idAt(place)
    const oid = index.raw.subarray(at, at + 20)
    const state = this.stateOf(oid)
    if (state >= 0) this.copyDelta(work, rank, entry, state, work.pack, place)
    else if (state !== Written.ABSENT || !this.options.known?.(oid)) this.emitWhole(work, rank)
    // The base at hand may be an old one and the delta long: the version before may make a shorter
    // one.
    else if (packed(work, rank) < WORTH || !this.emitNewDelta(work, rank, entry.size >>> 1))
      this.copyRef(work, rank, entry, oid)
  }

  /**
   * Where an object went, or what is to become of it. A base by id must never be one that is sent
   * as well: receivers that have it would take their own for it, and then find it a second time.
   */
  private stateOf(oid: Uint8Array): number {
    return this.find(oid)?.state ?? Written.ABSENT
  }

  /** The object among those that are sent. */
  private find(oid: Uint8Array): { work: Work; rank: number; state: number } | null {
    for (const work of this.works) {
      const place = work.pack.index.find(oid, 0)
      if (place < 0) continue
      const rank = work.pack.order.rankOf(place)
      const state = work.written.get(rank)
      if (state !== Written.ABSENT) return { work, rank, state }
    }
    return null
  }

  /** Copies a delta whose base has been written at `baseAt`. */
  private copyDelta(
    work: Work,
    rank: number,
    entry: Entry,
    baseAt: number,
    pack: PackFile,
    place: number,
  ): void {
    if (!this.options.ofsDelta) {
      const at = pack.index.idAt(place)
      this.copyRef(work, rank, entry, pack.index.raw.subarray(at, at + 20))
      return
    }
    const length = writeEntryHeader(this.head, 0, OFS_DELTA, entry.size)
    this.copyEntry(
      work,
      rank,
      entry.headerBytes,
      writeDistance(this.head, length, this.at - baseAt),
    )
  }

  private copyRef(work: Work, rank: number, entry: Entry, base: Uint8Array): void {
    const length = writeEntryHeader(this.head, 0, REF_DELTA, entry.size)
    this.head.set(base, length)
    this.copyEntry(work, rank, entry.headerBytes, length + 20)
  }

  /**
   * Writes `length` bytes of the new header, then the entry without its first `skip` bytes; checks
   * the entry's CRC.
   */
  private copyEntry(work: Work, rank: number, skip: number, length: number): void {
    const { pack, order } = work
    const offset = order.offsetAt(rank)
    const end = order.offsetAt(rank + 1)
    const start = this.at
    this.store.reader.meter?.spend(end - offset)
    if (length > 0) this.sink.put(this.head, 0, length)
    let seen = 0
    let sent = length > 0 && this.onEntry ? zlib.crc32(this.head.subarray(0, length)) : 0
    for (let at = offset; at < end; ) {
      const from = this.fill(pack, at, end)
      const size = Math.min(end - at, this.windowTo - from)
      if (size <= 0) throw new GitError('corrupt', `${pack.name} is cut off`)
      seen = zlib.crc32(this.window.subarray(from, from + size), seen)
      const unsent = Math.max(0, Math.min(size, offset + skip - at))
      if (this.onEntry)
        sent =
          length === 0 ? seen : zlib.crc32(this.window.subarray(from + unsent, from + size), sent)
      this.sink.put(this.window, from + unsent, from + size)
      at += size
    }
    if (seen >>> 0 !== pack.index.crc(work.order.placeAt(rank))) {
      throw new GitError('corrupt', `${pack.name}: the entry at ${offset} is damaged`)
    }
    this.at += length + (end - offset) - skip
    this.finish(work, rank, start, sent)
  }

  private emitWhole(work: Work, rank: number): void {
    if (this.emitNewDelta(work, rank)) return
    const { reader } = this.store
    reader.load(work.pack, work.order.offsetAt(rank))
    reader.meter?.spend((reader.to - reader.from) * DEFLATING)
    const data = deflate(reader.bytes.subarray(reader.from, reader.to), LEVEL)
    const start = this.at
    const length = writeEntryHeader(this.head, 0, reader.type, reader.to - reader.from)
    this.sink.put(this.head, 0, length)
    this.sink.put(data, 0, data.length)
    this.at += length + data.length
    this.finish(
      work,
      rank,
      start,
      this.onEntry ? zlib.crc32(data, zlib.crc32(this.head.subarray(0, length))) : 0,
    )
  }

  /**
   * Sends an object as a new delta on what the receiver has of it; false when that does not pay.
   */
  private emitNewDelta(work: Work, rank: number, limit = Infinity): boolean {
    const { index } = work.pack
    const base = this.options.origin?.(index.raw, index.idAt(work.order.placeAt(rank)))
    if (!base || this.stateOf(base) !== Written.ABSENT) return false
    const key = deltaKey(base, index.raw, index.idAt(work.order.placeAt(rank)))
    const made = findDelta(key) ?? this.makeFrom(base, work, rank)
    if (made === null) return false
    keepDelta(key, made)
    if (made.size > limit) return false
    const start = this.at
    const length = writeEntryHeader(this.head, 0, REF_DELTA, made.size)
    this.head.set(base, length)
    this.sink.put(this.head, 0, length + 20)
    this.sink.put(made.data, 0, made.data.length)
    this.at += length + 20 + made.data.length
    this.finish(work, rank, start, 0)
    return true
  }

  /** What makes an object of another one, or null when that does not pay. */
  private makeFrom(base: Uint8Array, work: Work, rank: number): MadeDelta | null {
    const { reader } = this.store
    if (!this.store.load(base, 0) || reader.to - reader.from > MAX_DELTA) return null
    const old = this.hold(reader.bytes.subarray(reader.from, reader.to))
    reader.load(work.pack, work.order.offsetAt(rank))
    const size = reader.to - reader.from
    if (size > MAX_DELTA || size < 64) return null
    reader.meter?.spend((old.length + size) * COMPARING)
    const delta = makeDelta(old, reader.bytes.subarray(reader.from, reader.to), size >>> 1)
    return delta && { size: delta.length, data: Buffer.from(deflate(delta, LEVEL)) }
  }

  /** A copy of the base: reading the target would write over the reader's view. */
  private hold(bytes: Uint8Array): Buffer {
    if (this.base.length < bytes.length) this.base = Buffer.allocUnsafeSlow(bytes.length * 2)
    this.base.set(bytes)
    return this.base.subarray(0, bytes.length)
  }

  private finish(work: Work, rank: number, start: number, crc: number): void {
    work.written.set(rank, start)
    this.done++
    this.onEntry?.(work.pack, work.order.placeAt(rank), start, crc >>> 0)
  }

  /**
   * Brings bytes at `at` into the window, those up to `end` as far as they fit, and gives where
   * they are.
   */
  private fill(pack: PackFile, at: number, end: number): number {
    if (this.windowPack === pack && at >= this.windowFrom && end <= this.windowFrom + this.windowTo)
      return at - this.windowFrom
    this.windowPack = pack
    this.windowFrom = at
    this.windowTo = pack.read(
      this.window,
      0,
      Math.min(WINDOW, Math.max(end - at, this.readAhead), pack.size - at),
      at,
    )
    return 0
  }
}
