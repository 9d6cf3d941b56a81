/**
 * Writes packs for fetches and for maintenance. Entries are copied from existing packs without
 * inflating them, deltas included, when the receiver has or gets the base. Only a delta whose base
 * is not sent is inflated and written anew.
 */
import zlib from 'node:zlib'
import { GitError } from '../ports.ts'
import { deflatePieces } from '../store/deflate-pieces.ts'
import { MAX_MEMORY_CONTENT_BYTES } from '../store/large-content.ts'
import type { ObjectStore } from '../store/object-store.ts'
import type { PackFile } from '../store/pack-file.ts'
import type { ReverseIndex } from '../store/reverse-index.ts'
import {
  OFS_DELTA,
  REF_DELTA,
  packHeader,
  writeBaseDistance,
  writeEntryHeader,
} from './entry-header.ts'
import { deltaKey, type CachedDelta } from './delta-cache.ts'
import { createDelta } from './diff-delta.ts'
import { countPlanned, type PackPart } from './pack-plan.ts'
import { WrittenOffsets } from './written-offsets.ts'

/** Receives the bytes of the pack. */
export type PackSink = {
  put(bytes: Buffer, from: number, to: number): void
  /**
   * Reserves `length` bytes of output and calls `write` for each block of them. A sink without it
   * receives packs entry by entry.
   */
  fill?(length: number, write: (block: Buffer, at: number, length: number) => void): void
}

export type PackBuildOptions = {
  /** Whether deltas may name their base by distance (OFS_DELTA) instead of by id (REF_DELTA). */
  ofsDelta: boolean
  /**
   * Whether the receiver has an object, which can then be the base in a thin pack. Null for a
   * self-contained pack.
   */
  receiverHas: ((oid: Uint8Array) => boolean) | null
  /** Returns an object that the receiver has and that resembles this one: its previous version. */
  previousVersion?: ((oid: Uint8Array, at: number) => Uint8Array | null) | null
  /** Objects to write as deltas of others in the same pack, where that saves bytes. */
  deltas?: DeltaPlan
}

/**
 * Raw id of the planned base, by the id (as Latin-1) of the object that becomes a delta. The plan
 * has no cycles.
 */
export type DeltaPlan = Map<string, Uint8Array>

/**
 * Called for each written entry, for example by index writers, except for those of
 * `PackBuilder.verbatimPack`. `indexPos` is the object's position in the index of `pack`.
 */
export type EntryListener = (pack: PackFile, indexPos: number, offset: number, crc: number) => void

const PACK_HEADER_BYTES = 12
const WINDOW_BYTES = 1 << 19
const MAX_POOLED_WINDOWS = 4
/** Number of entries that share one CRC once each of them was verified. */
const CRC_GROUP = 64
/** Key of the CRC of the whole pack, among the group numbers. */
const WHOLE_PACK = -1
const DEFLATE_LEVEL = 4
/** Larger objects are not compared: that takes longer than the saved bytes are worth. */
const MAX_DELTA_OBJECT_BYTES = 8 << 20
/** Smaller entries are sent unchanged: the search for a shorter delta costs more than it saves. */
const MIN_NEW_DELTA_BYTES = 1 << 14
/** Cost of deflating and of comparing one byte, relative to inflating it. */
const DEFLATE_COST = 8
const COMPARE_COST = 1

/** Returns the bytes that an entry takes in its pack. */
const packedSize = ({ reverseIndex }: PartProgress, packPos: number): number =>
  reverseIndex.offsetAt(packPos + 1) - reverseIndex.offsetAt(packPos)

/** The inflated size of an entry's data and the length of its header, in bytes. */
type EntryInfo = { readonly size: number; readonly headerBytes: number }

/** A part of the pack plan, with its progress. */
type PartProgress = {
  readonly pack: PackFile
  /** Null for `PackBuilder.verbatimPack`. */
  readonly positions: Uint32Array | null
  readonly reverseIndex: ReverseIndex
  /** Offsets of the objects already written, by pack position. */
  readonly written: WrittenOffsets
}

export class PackBuilder {
  private readonly parts: PartProgress[]
  private at = PACK_HEADER_BYTES
  private readonly headerBytes = Buffer.alloc(64)
  private window: Buffer = Buffer.alloc(0)
  private base = Buffer.alloc(0)
  private windowPack: PackFile | null = null
  private windowFrom = 0
  private windowLength = 0
  /**
   * Bytes read at once: 512 KiB when most of a pack is sent, 8 KiB when single entries are picked.
   */
  private readAhead = WINDOW_BYTES
  /** Number of objects written so far. */
  doneCount = 0
  readonly total: number
  /**
   * The pack that is copied as a whole to the beginning, or null: all of its objects are sent, and
   * none of them becomes a new delta. Its entries are not parsed, and their offsets stay.
   */
  readonly verbatimPack: PackFile | null
  /** The object to write next is the last one; the others wait for it, which is their base. */
  private readonly chain: { readonly work: PartProgress; readonly packPos: number }[] = []
  /** Writes the rest of an entry that is too large to be written in one step. */
  private unfinished: Generator<void> | null = null

  constructor(
    private readonly store: ObjectStore,
    parts: readonly PackPart[],
    private readonly options: PackBuildOptions,
    private readonly sink: PackSink,
    private readonly onEntry: EntryListener | null = null,
  ) {
    const [first] = parts
    const isVerbatim =
      first?.positions === null && options.ofsDelta && (options.deltas?.size ?? 0) === 0
    this.verbatimPack = isVerbatim ? first.pack : null
    this.parts = parts.map(({ pack, positions, count }) => {
      const listed =
        positions ??
        (pack === this.verbatimPack ? null : Uint32Array.from({ length: count }, (_, i) => i))
      const { reverseIndex } = pack
      const written = new WrittenOffsets(listed, reverseIndex, pack.tables)
      return { pack, positions: listed, reverseIndex, written }
    })
    this.total = countPlanned(parts)
  }

  /**
   * The pack that the result will equal byte for byte, or null. This is so when all objects of one
   * pack are sent unchanged. Its checksum is known then, so the bytes are not hashed again.
   */
  get identicalPack(): PackFile | null {
    return this.parts.length === 1 ? this.verbatimPack : null
  }

  /**
   * Writes the header and all entries, and pauses after each entry that filled a block. The caller
   * writes the trailer. Throws GitError `corrupt` for bytes that do not match their checksum.
   */
  *run(isFull: () => boolean): Generator<void> {
    const { packWindows } = this.store.reader
    this.window = packWindows.pop() ?? Buffer.allocUnsafeSlow(WINDOW_BYTES)
    try {
      this.sink.put(packHeader(this.total), 0, PACK_HEADER_BYTES)
      for (const part of this.parts) {
        if (part.positions === null) yield* this.copyPack(part.pack, isFull)
        else yield* this.writePart(part, part.positions, isFull)
      }
    } finally {
      if (packWindows.length < MAX_POOLED_WINDOWS) packWindows.push(this.window)
      this.windowPack = null
    }
  }

  /**
   * Copies the entries of a pack without parsing them. Its SHA-1 checksum verifies all of them the
   * first time; later copies compare a CRC, which is faster.
   */
  private *copyPack(pack: PackFile, isFull: () => boolean): Generator<void> {
    const { count, verifiedCrcs } = pack.reverseIndex
    const known = verifiedCrcs.get(WHOLE_PACK)
    const hasher = known === undefined ? new Bun.CryptoHasher('sha1') : null
    const header = packHeader(count)
    hasher?.update(header)
    let sum = zlib.crc32(header)
    const end = pack.size - 20
    for (let at = PACK_HEADER_BYTES; at < end; ) {
      const size = Math.min(WINDOW_BYTES, end - at)
      this.store.reader.budget?.spendBytes(size)
      let from = at
      this.fillSink(size, (block, start, length) => {
        if (pack.read(block, start, length, from) !== length)
          throw new GitError('corrupt', `${pack.name} is cut off`)
        const bytes = block.subarray(start, start + length)
        hasher?.update(bytes)
        sum = zlib.crc32(bytes, sum)
        from += length
      })
      at += size
      this.doneCount = Math.floor((count * at) / end)
      if (isFull()) yield
    }
    this.at = end
    this.doneCount = count
    const right =
      hasher === null
        ? sum === known
        : Buffer.compare(hasher.digest() as Uint8Array, pack.index.packChecksum) === 0
    if (!right) throw new GitError('corrupt', `${pack.name} is damaged`)
    verifiedCrcs.set(WHOLE_PACK, sum)
  }

  /** As `PackSink.fill`, also for a sink without it. */
  private fillSink(
    length: number,
    write: (block: Buffer, at: number, length: number) => void,
  ): void {
    if (this.sink.fill) return this.sink.fill(length, write)
    write(this.window, 0, length)
    this.sink.put(this.window, 0, length)
  }

  private *writePart(
    work: PartProgress,
    packPositions: Uint32Array,
    isFull: () => boolean,
  ): Generator<void> {
    const { written } = work
    this.readAhead = packPositions.length > work.reverseIndex.count / 4 ? WINDOW_BYTES : 8192
    let i = 0
    if (this.at === PACK_HEADER_BYTES && this.options.ofsDelta) {
      let prefix = 0
      while (
        prefix < packPositions.length &&
        packPositions[prefix] === prefix &&
        this.plannedBase(work, prefix) === null
      )
        prefix++
      // Short prefixes are written entry by entry: copying a run needs all offsets of the pack in
      // memory.
      while (prefix >= CRC_GROUP && i < prefix) {
        const next = this.copyRun(work, i, prefix)
        yield* this.finishEntry(isFull)
        if (next === i) break
        i = next
      }
    }
    for (; i < packPositions.length; i++) {
      if (written.get(packPositions[i]!) === WrittenOffsets.NOT_WRITTEN) {
        // When bases come later in the pack, the chain is written from its base up.
        this.chain.push({ work, packPos: packPositions[i]! })
        while (this.chain.length > 0) {
          this.writeNext()
          if (this.unfinished !== null) yield* this.finishEntry(isFull)
        }
      }
      if (isFull()) yield
    }
  }

  /** Writes the rest of a large entry, and pauses whenever a block is full. */
  private *finishEntry(isFull: () => boolean): Generator<void> {
    const { unfinished } = this
    this.unfinished = null
    if (unfinished !== null) for (const _ of unfinished) if (isFull()) yield
    if (isFull()) yield
  }

  /**
   * Copies entries from `packPos` on that have the same order in both packs, up to `end`, as many
   * as fit in one window. Returns the pack position after them. It stops before a REF_DELTA, whose
   * base must be looked up, unless the whole pack is sent.
   */
  private copyRun(work: PartProgress, packPos: number, end: number): number {
    const { pack, written } = work
    const { offsets, indexPositions } = work.reverseIndex.all
    const from = this.readIntoWindow(
      pack,
      offsets[packPos]!,
      Math.min(offsets[packPos]! + WINDOW_BYTES, offsets[end]!),
    )
    const all = end === work.reverseIndex.count
    const limit = this.windowFrom + this.windowLength
    let next = packPos
    /**
     * Number of the group whose entries are being verified, or -1. A group that contains a
     * REF_DELTA is never verified as a whole, because that entry must be parsed.
     */
    let begun = -1
    const { verifiedCrcs } = pack.reverseIndex
    const shift = this.at - offsets[packPos]!
    while (next < end && offsets[next + 1]! <= limit) {
      const at = offsets[next]! - this.windowFrom
      const group =
        next % CRC_GROUP === 0 && next + CRC_GROUP <= end && offsets[next + CRC_GROUP]! <= limit
          ? next / CRC_GROUP
          : -1
      if (group >= 0 && this.onEntry === null && verifiedCrcs.has(group)) {
        if (this.windowCrc(offsets[next]!, offsets[next + CRC_GROUP]!) !== verifiedCrcs.get(group))
          throw new GitError('corrupt', `${pack.name}: an entry after ${offsets[next]} is damaged`)
        for (const to = next + CRC_GROUP; next < to; next++)
          written.set(next, offsets[next]! + shift)
        continue
      }
      if (group >= 0) begun = group
      if (!all && ((this.window[at]! >>> 4) & 7) === REF_DELTA) break
      if (((this.window[at]! >>> 4) & 7) === REF_DELTA) begun = -1
      const crc = this.windowCrc(offsets[next]!, offsets[next + 1]!)
      if (crc !== pack.index.crc(indexPositions[next]!))
        throw new GitError('corrupt', `${pack.name}: the entry at ${offsets[next]} is damaged`)
      written.set(next, offsets[next]! + shift)
      this.onEntry?.(pack, indexPositions[next]!, offsets[next]! + shift, crc)
      next++
      if (begun >= 0 && next === (begun + 1) * CRC_GROUP) {
        verifiedCrcs.set(begun, this.windowCrc(offsets[begun * CRC_GROUP]!, offsets[next]!))
        begun = -1
      }
    }
    if (next > packPos) {
      const size = offsets[next]! - offsets[packPos]!
      this.sink.put(this.window, from, from + size)
      this.at += size
      this.doneCount += next - packPos
      return next
    }
    // The entry is larger than the window, or it is a REF_DELTA.
    if (all || ((this.window[from]! >>> 4) & 7) !== REF_DELTA) {
      this.copyEntry(work, packPos, 0, 0)
      return packPos + 1
    }
    return packPos
  }

  /** Returns the CRC of a range of the pack that is in the window. */
  private windowCrc(from: number, to: number): number {
    return zlib.crc32(this.window.subarray(from - this.windowFrom, to - this.windowFrom))
  }

  /** Writes the last object of the chain, or adds its base. */
  private writeNext(): void {
    const { work, packPos } = this.chain.at(-1)!
    const waits = this.writeOrFindBase(work, packPos)
    if (waits === null) this.chain.pop()
    else {
      work.written.set(packPos, WrittenOffsets.IN_PROGRESS)
      this.chain.push(waits)
    }
  }

  /** Writes an object and returns null, or returns the base that must be written before it. */
  private writeOrFindBase(
    work: PartProgress,
    packPos: number,
  ): { work: PartProgress; packPos: number } | null {
    const entry = this.store.reader.entryAt(work.pack, work.reverseIndex.offsetAt(packPos))
    if (entry.base < 0) {
      const planned = this.plannedBase(work, packPos)
      if (planned !== null) {
        if (planned.state === WrittenOffsets.NOT_WRITTEN) return planned
        if (planned.state >= 0 && this.writeDeltaOf(planned, work, packPos)) return null
      }
      // Most packs store the latest version whole, and the receiver often has the version before
      // it.
      if (packedSize(work, packPos) < MIN_NEW_DELTA_BYTES || !this.writeNewDelta(work, packPos))
        this.copyEntry(work, packPos, 0, 0)
      return null
    }
    const base = work.pack.reverseIndex.packPosAtOffset(entry.base)
    if (base < 0) throw new GitError('corrupt', `${work.pack.name}: a base is not in the index`)
    const state = work.written.get(base)
    if (state === WrittenOffsets.NOT_WRITTEN) return { work, packPos: base }
    if (state >= 0)
      this.copyDelta(work, packPos, entry, state, work.pack, work.reverseIndex.indexPosAt(base))
    else {
      // The base may be sent from another pack.
      const at = work.pack.index.oidAt(work.reverseIndex.indexPosAt(base))
      const found =
        state === WrittenOffsets.NOT_SELECTED
          ? this.findSelected(work.pack.index.raw.subarray(at, at + 20))
          : null
      if (found?.state === WrittenOffsets.NOT_WRITTEN) return found
      this.writeDetachedDelta(work, packPos, entry, base)
    }
    return null
  }

  private plannedBase(
    work: PartProgress,
    packPos: number,
  ): { work: PartProgress; packPos: number; state: number } | null {
    const { deltas } = this.options
    if (!deltas || deltas.size === 0) return null
    const { index } = work.pack
    const at = index.oidAt(work.reverseIndex.indexPosAt(packPos))
    const base = deltas.get(
      Buffer.from(index.raw.buffer, index.raw.byteOffset + at, 20).toString('latin1'),
    )
    return base === undefined ? null : this.findSelected(base)
  }

  /**
   * Writes an object as a delta of an object already written. Returns false when that saves
   * nothing.
   */
  private writeDeltaOf(
    base: { work: PartProgress; packPos: number; state: number },
    work: PartProgress,
    packPos: number,
  ): boolean {
    const { reader } = this.store
    const baseOffset = base.work.reverseIndex.offsetAt(base.packPos)
    if (
      reader.headerAt(base.work.pack, baseOffset).size > MAX_DELTA_OBJECT_BYTES ||
      reader.headerAt(work.pack, work.reverseIndex.offsetAt(packPos)).size > MAX_DELTA_OBJECT_BYTES
    )
      return false
    reader.load(base.work.pack, baseOffset)
    const old = this.copyBase(reader.bytes.subarray(reader.from, reader.to))
    reader.load(work.pack, work.reverseIndex.offsetAt(packPos))
    const size = reader.to - reader.from
    const delta = createDelta(old, reader.bytes.subarray(reader.from, reader.to), size >>> 1)
    if (delta === null) return false
    const data = reader.deflater.deflate(delta, DEFLATE_LEVEL)
    const start = this.at
    let length = writeEntryHeader(this.headerBytes, 0, OFS_DELTA, delta.length)
    length = writeBaseDistance(this.headerBytes, length, start - base.state)
    if (length + data.length >= packedSize(work, packPos)) return false
    this.sink.put(this.headerBytes, 0, length)
    this.sink.put(data, 0, data.length)
    this.at += length + data.length
    this.recordEntry(
      work,
      packPos,
      start,
      this.onEntry ? zlib.crc32(data, zlib.crc32(this.headerBytes.subarray(0, length))) : 0,
    )
    return true
  }

  /**
   * Writes a delta whose base is not sent from the same pack. The base comes from another pack, the
   * receiver has it, or it is missing.
   */
  private writeDetachedDelta(
    work: PartProgress,
    packPos: number,
    entry: EntryInfo,
    base: number,
  ): void {
    const { index } = work.pack
    const indexPos = work.reverseIndex.indexPosAt(base)
    const at = index.oidAt(indexPos)
    const oid = index.raw.subarray(at, at + 20)
    const state = this.offsetOrState(oid)
    if (state >= 0) this.copyDelta(work, packPos, entry, state, work.pack, indexPos)
    else if (state !== WrittenOffsets.NOT_SELECTED || !this.options.receiverHas?.(oid))
      this.writeWhole(work, packPos)
    // The stored base may be old and the delta long. A delta of the previous version may be
    // shorter.
    else if (
      packedSize(work, packPos) < MIN_NEW_DELTA_BYTES ||
      !this.writeNewDelta(work, packPos, entry.size >>> 1)
    )
      this.copyRefDelta(work, packPos, entry, oid)
  }

  /**
   * Returns the offset of a written object, or its state. A REF_DELTA must never name a base that
   * the pack contains as well. Git's index-pack resolves the delta with the receiver's copy, then
   * finds the base a second time and fails.
   */
  private offsetOrState(oid: Uint8Array): number {
    return this.findSelected(oid)?.state ?? WrittenOffsets.NOT_SELECTED
  }

  /** Finds an object among those that are sent. */
  private findSelected(
    oid: Uint8Array,
  ): { work: PartProgress; packPos: number; state: number } | null {
    for (const work of this.parts) {
      const indexPos = work.pack.index.find(oid, 0)
      if (indexPos < 0) continue
      const packPos = work.pack.reverseIndex.packPosOf(indexPos)
      const state = work.written.get(packPos)
      if (state !== WrittenOffsets.NOT_SELECTED) return { work, packPos, state }
    }
    return null
  }

  /** Copies a delta whose base was written at `baseAt`. */
  private copyDelta(
    work: PartProgress,
    packPos: number,
    entry: EntryInfo,
    baseAt: number,
    pack: PackFile,
    indexPos: number,
  ): void {
    if (!this.options.ofsDelta) {
      const at = pack.index.oidAt(indexPos)
      this.copyRefDelta(work, packPos, entry, pack.index.raw.subarray(at, at + 20))
      return
    }
    const length = writeEntryHeader(this.headerBytes, 0, OFS_DELTA, entry.size)
    this.copyEntry(
      work,
      packPos,
      entry.headerBytes,
      writeBaseDistance(this.headerBytes, length, this.at - baseAt),
    )
  }

  private copyRefDelta(
    work: PartProgress,
    packPos: number,
    entry: EntryInfo,
    base: Uint8Array,
  ): void {
    const length = writeEntryHeader(this.headerBytes, 0, REF_DELTA, entry.size)
    this.headerBytes.set(base, length)
    this.copyEntry(work, packPos, entry.headerBytes, length + 20)
  }

  /**
   * Writes `length` bytes of the new header, then the entry without its first `skip` bytes.
   * Verifies the entry's CRC.
   */
  private copyEntry(work: PartProgress, packPos: number, skip: number, length: number): void {
    const { pack, reverseIndex } = work
    const offset = reverseIndex.offsetAt(packPos)
    const end = reverseIndex.offsetAt(packPos + 1)
    const size = end - offset
    const start = this.at
    this.store.reader.budget?.spendBytes(size)
    if (size > WINDOW_BYTES) {
      this.unfinished = this.copyLarge(work, packPos, skip, length)
      return
    }
    if (length > 0) this.sink.put(this.headerBytes, 0, length)
    const from = this.readIntoWindow(pack, offset, end)
    if (this.windowLength - from < size) throw new GitError('corrupt', `${pack.name} is cut off`)
    const crc = zlib.crc32(this.window.subarray(from, from + size))
    this.checkCrc(work, packPos, crc)
    this.sink.put(this.window, from + skip, from + size)
    this.at += length + size - skip
    let sentCrc = crc
    if (length > 0 && this.onEntry)
      sentCrc = zlib.crc32(
        this.window.subarray(from + skip, from + size),
        zlib.crc32(this.headerBytes.subarray(0, length)),
      )
    this.recordEntry(work, packPos, start, sentCrc)
  }

  private checkCrc({ pack, reverseIndex }: PartProgress, packPos: number, crc: number): void {
    if (crc >>> 0 !== pack.index.crc(reverseIndex.indexPosAt(packPos)))
      throw new GitError(
        'corrupt',
        `${pack.name}: the entry at ${reverseIndex.offsetAt(packPos)} is damaged`,
      )
  }

  /** The same for an entry that is larger than the window. Pauses after each window. */
  private *copyLarge(
    work: PartProgress,
    packPos: number,
    skip: number,
    length: number,
  ): Generator<void> {
    const { pack, reverseIndex } = work
    const offset = reverseIndex.offsetAt(packPos)
    const end = reverseIndex.offsetAt(packPos + 1)
    const start = this.at
    if (length > 0) this.sink.put(this.headerBytes, 0, length)
    let crc = 0
    let sentCrc = length > 0 && this.onEntry ? zlib.crc32(this.headerBytes.subarray(0, length)) : 0
    for (let at = offset; at < end; ) {
      const from = this.readIntoWindow(pack, at, end)
      const size = Math.min(end - at, this.windowLength - from)
      if (size <= 0) throw new GitError('corrupt', `${pack.name} is cut off`)
      crc = zlib.crc32(this.window.subarray(from, from + size), crc)
      const unsent = Math.max(0, Math.min(size, offset + skip - at))
      if (this.onEntry)
        sentCrc =
          length === 0 ? crc : zlib.crc32(this.window.subarray(from + unsent, from + size), sentCrc)
      this.sink.put(this.window, from + unsent, from + size)
      at += size
      if (at < end) yield
    }
    this.checkCrc(work, packPos, crc)
    this.at += length + (end - offset) - skip
    this.recordEntry(work, packPos, start, sentCrc)
  }

  private writeWhole(work: PartProgress, packPos: number): void {
    if (this.writeNewDelta(work, packPos)) return
    const { reader } = this.store
    const offset = work.reverseIndex.offsetAt(packPos)
    if (reader.headerAt(work.pack, offset).size > MAX_MEMORY_CONTENT_BYTES) {
      this.unfinished = this.writeLarge(work, packPos)
      return
    }
    reader.load(work.pack, offset)
    reader.budget?.spendBytes((reader.to - reader.from) * DEFLATE_COST)
    const content = reader.bytes.subarray(reader.from, reader.to)
    const data = reader.deflater.deflate(content, DEFLATE_LEVEL)
    const start = this.at
    const length = writeEntryHeader(this.headerBytes, 0, reader.type, reader.to - reader.from)
    this.sink.put(this.headerBytes, 0, length)
    this.sink.put(data, 0, data.length)
    this.at += length + data.length
    this.recordEntry(
      work,
      packPos,
      start,
      this.onEntry ? zlib.crc32(data, zlib.crc32(this.headerBytes.subarray(0, length))) : 0,
    )
  }

  /** The same for an object that is too large for memory. Pauses after each piece. */
  private *writeLarge(work: PartProgress, packPos: number): Generator<void> {
    const { reader } = this.store
    const offset = work.reverseIndex.offsetAt(packPos)
    const { type, size } = reader.headerAt(work.pack, offset)
    reader.budget?.spendBytes(size * DEFLATE_COST)
    const start = this.at
    let length = writeEntryHeader(this.headerBytes, 0, type, size)
    let crc = this.onEntry ? zlib.crc32(this.headerBytes.subarray(0, length)) : 0
    this.sink.put(this.headerBytes, 0, length)
    for (const piece of deflatePieces(reader.blocksAt(work.pack, offset), DEFLATE_LEVEL)) {
      this.sink.put(piece, 0, piece.length)
      length += piece.length
      if (this.onEntry) crc = zlib.crc32(piece, crc)
      yield
    }
    this.at += length
    this.recordEntry(work, packPos, start, crc)
  }

  /**
   * Writes an object as a new delta of an object that the receiver has. Returns false when that
   * saves nothing.
   */
  private writeNewDelta(work: PartProgress, packPos: number, limit = Infinity): boolean {
    const { index } = work.pack
    const base = this.options.previousVersion?.(
      index.raw,
      index.oidAt(work.reverseIndex.indexPosAt(packPos)),
    )
    if (!base || this.offsetOrState(base) !== WrittenOffsets.NOT_SELECTED) return false
    const key = deltaKey(base, index.raw, index.oidAt(work.reverseIndex.indexPosAt(packPos)))
    const { deltaCache } = this.store.reader
    const cached = deltaCache.get(key) ?? this.createDeltaFrom(base, work, packPos)
    if (cached === null) return false
    deltaCache.add(key, cached)
    if (cached.size > limit) return false
    const start = this.at
    const length = writeEntryHeader(this.headerBytes, 0, REF_DELTA, cached.size)
    this.headerBytes.set(base, length)
    this.sink.put(this.headerBytes, 0, length + 20)
    this.sink.put(cached.data, 0, cached.data.length)
    this.at += length + 20 + cached.data.length
    this.recordEntry(work, packPos, start, 0)
    return true
  }

  /** Creates the delta from a base to an object; null when it saves nothing. */
  private createDeltaFrom(
    base: Uint8Array,
    work: PartProgress,
    packPos: number,
  ): CachedDelta | null {
    const { reader } = this.store
    if (
      !this.store.locate(base, 0) ||
      reader.headerAt(this.store.pack, this.store.offset).size > MAX_DELTA_OBJECT_BYTES ||
      reader.headerAt(work.pack, work.reverseIndex.offsetAt(packPos)).size > MAX_DELTA_OBJECT_BYTES
    )
      return null
    reader.load(this.store.pack, this.store.offset)
    const old = this.copyBase(reader.bytes.subarray(reader.from, reader.to))
    reader.load(work.pack, work.reverseIndex.offsetAt(packPos))
    const size = reader.to - reader.from
    if (size < 64) return null
    reader.budget?.spendBytes((old.length + size) * COMPARE_COST)
    const delta = createDelta(old, reader.bytes.subarray(reader.from, reader.to), size >>> 1)
    if (delta === null) return null
    return {
      size: delta.length,
      data: Buffer.from(reader.deflater.deflate(delta, DEFLATE_LEVEL)),
    }
  }

  /** Copies the base: reading the target overwrites the reader's view. */
  private copyBase(bytes: Uint8Array): Buffer {
    if (this.base.length < bytes.length) this.base = Buffer.allocUnsafeSlow(bytes.length * 2)
    this.base.set(bytes)
    return this.base.subarray(0, bytes.length)
  }

  private recordEntry(work: PartProgress, packPos: number, start: number, crc: number): void {
    work.written.set(packPos, start)
    this.doneCount++
    this.onEntry?.(work.pack, work.reverseIndex.indexPosAt(packPos), start, crc >>> 0)
  }

  /**
   * Reads the bytes from `at` into the window, up to `end` or the window's size. Returns their
   * position in the window.
   */
  private readIntoWindow(pack: PackFile, at: number, end: number): number {
    if (
      this.windowPack === pack &&
      at >= this.windowFrom &&
      end <= this.windowFrom + this.windowLength
    )
      return at - this.windowFrom
    this.windowPack = pack
    this.windowFrom = at
    this.windowLength = pack.read(
      this.window,
      0,
      Math.min(WINDOW_BYTES, Math.max(end - at, this.readAhead), pack.size - at),
      at,
    )
    return 0
  }
}
