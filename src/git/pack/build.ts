/**
 * Writes packs for sending and for maintenance: what lies in packs already is copied as it is, deltas included, as
 * long as the receiver has or gets the base; only a delta whose base stays away is made whole.
 */
import zlib from 'node:zlib'
import { GitError } from '../ports.ts'
import type { ObjectStore } from '../store/object-store.ts'
import type { OidMap } from '../store/oid-map.ts'
import type { PackFile } from '../store/pack-file.ts'
import { OFS_DELTA, REF_DELTA, packHeader, writeDistance, writeEntryHeader } from './entry.ts'
import { findOffset, type PackPart } from './plan.ts'

/** Where the bytes go. */
export type Sink = { put(bytes: Uint8Array, from: number, to: number): void }

export type BuildOptions = {
  /** Whether deltas may name their base by distance; the others name it by id. */
  ofsDelta: boolean
  /** Objects that the receiver has: allowed as bases of a thin pack. */
  known: OidMap | null
}

/** Told of every entry as it is written; index writers listen. */
export type OnEntry = (object: number, offset: number, crc: number) => void

const WINDOW = 1 << 19
const LEVEL = 4

export class PackBuilder {
  /** Where each object was written, by its number; -1 is not yet, -2 is being written. */
  private readonly written: Float64Array
  private at = 12
  private readonly head = new Uint8Array(64)
  private window = new Uint8Array(WINDOW)
  private windowPack: PackFile | null = null
  private windowFrom = 0
  private windowTo = 0
  /** How much is read at once: much where most of a pack is sent, little where single entries are picked. */
  private readAhead = WINDOW
  /** Objects that are done. */
  done = 0
  readonly total: number

  constructor(
    private readonly store: ObjectStore,
    private readonly chosen: OidMap,
    private readonly parts: readonly PackPart[],
    private readonly options: BuildOptions,
    private readonly sink: Sink,
    private readonly onEntry: OnEntry | null = null,
  ) {
    this.written = new Float64Array(chosen.size).fill(-1)
    this.total = parts.reduce((sum, part) => sum + part.objects.length, 0)
  }

  /** Writes header and entries; pauses after every entry that filled a block. The trailer is the caller's. */
  *run(isFull: () => boolean): Generator<void> {
    this.sink.put(packHeader(this.total), 0, 12)
    for (const part of this.parts) {
      this.readAhead = part.objects.length > part.pack.index.count / 4 ? WINDOW : 8192
      for (let row = 0; row < part.objects.length; row++) {
        if (this.written[part.objects[row]!]! === -1) this.emit(part, row)
        if (isFull()) yield
      }
    }
  }

  private emit(part: PackPart, row: number): void {
    // A chain whose bases lie further on in the pack is written from its base up.
    const chain = [row]
    while (chain.length > 0) {
      const at = chain[chain.length - 1]!
      const object = part.objects[at]!
      const entry = this.store.reader.entry(part.pack, part.offsets[at]!)
      if (entry.base < 0) this.copy(part, at, entry.headerBytes, -1, null)
      else {
        const baseRow = findOffset(part.offsets, entry.base)
        const base = baseRow < 0 ? -1 : part.objects[baseRow]!
        const state = base < 0 ? -3 : this.written[base]!
        if (state === -1) {
          this.written[object] = -2
          chain.push(baseRow)
          continue
        }
        if (state >= 0) this.copyDelta(part, at, entry, state, base)
        else this.emitFar(part, at, entry)
      }
      chain.pop()
    }
  }

  /** A delta whose base is not in this part: in another one, with the receiver, or nowhere. */
  private emitFar(part: PackPart, row: number, entry: { type: number; size: number; base: number; headerBytes: number }): void {
    const baseOid = this.baseOid(part.pack, entry.base)
    const base = this.chosen.get(baseOid, 0)
    if (base >= 0 && this.written[base]! >= 0) this.copyDelta(part, row, entry, this.written[base]!, base)
    else if (this.options.known !== null && base < 0 && this.options.known.get(baseOid, 0) >= 0) {
      this.copy(part, row, entry.headerBytes, entry.size, baseOid)
    } else this.emitWhole(part, row)
  }

  private copyDelta(part: PackPart, row: number, entry: { size: number; headerBytes: number }, baseAt: number, base: number): void {
    if (!this.options.ofsDelta) {
      this.copy(part, row, entry.headerBytes, entry.size, this.chosen.bytes.slice(base * 20, base * 20 + 20))
      return
    }
    let length = writeEntryHeader(this.head, 0, OFS_DELTA, entry.size)
    length = writeDistance(this.head, length, this.at - baseAt)
    this.copyBytes(part, row, entry.headerBytes, length)
  }

  /** Copies an entry; with `base` given it becomes a REF_DELTA of that size, else it stays as it is. */
  private copy(part: PackPart, row: number, headerBytes: number, size: number, base: Uint8Array | null): void {
    if (base === null) {
      this.copyBytes(part, row, 0, 0)
      return
    }
    const length = writeEntryHeader(this.head, 0, REF_DELTA, size)
    this.head.set(base, length)
    this.copyBytes(part, row, headerBytes, length + 20)
  }

  /** Writes `length` bytes of the new header, then the entry without its first `skip` bytes; checks the entry's CRC. */
  private copyBytes(part: PackPart, row: number, skip: number, length: number): void {
    const { pack } = part
    const index = pack.index
    const offset = part.offsets[row]!
    const end = this.entryEnd(pack, part.places[row]!, offset)
    const object = part.objects[row]!
    const start = this.at
    if (length > 0) this.sink.put(this.head, 0, length)
    let seen = 0
    let sent = length > 0 && this.onEntry ? zlib.crc32(this.head.subarray(0, length)) : 0
    for (let at = offset; at < end; ) {
      const from = this.fill(pack, at, end)
      const size = Math.min(end - at, this.windowTo - from)
      if (size <= 0) throw new GitError('corrupt', `${pack.name} is cut off`)
      seen = zlib.crc32(this.window.subarray(from, from + size), seen)
      const unsent = Math.max(0, Math.min(size, offset + skip - at))
      if (this.onEntry) sent = length === 0 ? seen : zlib.crc32(this.window.subarray(from + unsent, from + size), sent)
      this.sink.put(this.window, from + unsent, from + size)
      at += size
    }
    if (seen >>> 0 !== index.crc(part.places[row]!)) {
      throw new GitError('corrupt', `${pack.name}: the entry at ${offset} is damaged`)
    }
    this.at += length + (end - offset) - skip
    this.finish(object, start, sent)
  }

  private emitWhole(part: PackPart, row: number): void {
    const reader = this.store.reader
    reader.load(part.pack, part.offsets[row]!)
    const data = zlib.deflateSync(reader.bytes.subarray(reader.from, reader.to), { level: LEVEL })
    const start = this.at
    const length = writeEntryHeader(this.head, 0, reader.type, reader.to - reader.from)
    this.sink.put(this.head, 0, length)
    this.sink.put(data, 0, data.length)
    this.at += length + data.length
    this.finish(part.objects[row]!, start, this.onEntry ? zlib.crc32(data, zlib.crc32(this.head.subarray(0, length))) : 0)
  }

  private finish(object: number, start: number, crc: number): void {
    this.written[object] = start
    this.done++
    this.onEntry?.(object, start, crc >>> 0)
  }

  /** Where the entry that starts at an offset ends: where the next one starts. */
  private entryEnd(pack: PackFile, place: number, offset: number): number {
    const order = pack.index.byOffset()
    let low = 0
    let high = order.length
    while (low < high) {
      const mid = (low + high) >>> 1
      if (pack.index.offset(order[mid]!) <= offset) low = mid + 1
      else high = mid
    }
    if (order[low - 1] !== place) throw new GitError('corrupt', `${pack.name}: two objects share one place`)
    return low < order.length ? pack.index.offset(order[low]!) : pack.size - 20
  }

  private baseOid(pack: PackFile, offset: number): Uint8Array {
    const index = pack.index
    const order = index.byOffset()
    let low = 0
    let high = order.length
    while (low < high) {
      const mid = (low + high) >>> 1
      if (index.offset(order[mid]!) < offset) low = mid + 1
      else high = mid
    }
    const place = order[low]
    if (place === undefined || index.offset(place) !== offset) throw new GitError('corrupt', `${pack.name}: a base is not in the index`)
    return Buffer.from(index.oid(place), 'hex')
  }

  /** Brings bytes at `at` into the window, those up to `end` as far as they fit, and gives where they are. */
  private fill(pack: PackFile, at: number, end: number): number {
    if (this.windowPack === pack && at >= this.windowFrom && end <= this.windowFrom + this.windowTo) return at - this.windowFrom
    this.windowPack = pack
    this.windowFrom = at
    this.windowTo = pack.read(this.window, 0, Math.min(WINDOW, Math.max(end - at, this.readAhead), pack.size - at), at)
    return 0
  }
}
