/**
 * The first pass over a received pack. Each byte is written to a temporary file and inflated as it
 * arrives. So the bounds and CRCs of all entries and the ids of all whole objects are known with
 * the last byte.
 */
import { closeSync, openSync, writeSync } from 'node:fs'
import zlib from 'node:zlib'
import { GitError } from '../ports.ts'
import { deltaSizes } from '../store/delta.ts'
import { createInflater } from '../store/inflate.ts'
import type { MemoryBudget } from '../tasks/memory-budget.ts'
import { OidMap } from '../store/oid-map.ts'
import {
  BLOB,
  EntryHeader,
  MAX_HEADER_BYTES,
  OFS_DELTA,
  REF_DELTA,
  parseEntryHeader,
  typeName,
} from './entry-header.ts'
import { checkObject } from './fsck.ts'
import { HASH_PREFIX_BYTES, hashObjectInto, startObjectHash } from './object-hash.ts'
import { MAX_NON_BLOB_BYTES, requireExplainedIds, tableBytesOf } from './object-limits.ts'
import { LinkTable } from './link-table.ts'
import { EntryTable } from './entry-table.ts'

export type ReceiveLimits = {
  readonly maxPackBytes: number
  readonly maxObjectBytes: number
  readonly maxObjects: number
  /** The pack is imported, which relaxes the checks of its objects (fsck.ts). */
  readonly imported?: boolean
}

/**
 * Objects up to this size are inflated in one piece. Larger blobs and deltas are inflated in parts.
 */
const MAX_WHOLE_BYTES = 1 << 20
const PART_BYTES = 1 << 16

export class PackReceiver {
  entries = new EntryTable(16)
  links = new LinkTable(16)
  /** Ids of the bases of REF_DELTA entries. */
  readonly bases = new OidMap(16)
  /** Bytes received so far. */
  size = 0
  /** Number of objects in the pack header. */
  expectedCount = 0
  /** Size of all objects together, once their deltas are resolved, and of the deltas. */
  inflatedBytes = 0
  /** The pack's checksum, once the trailer has arrived and was verified. */
  checksum: Uint8Array | null = null

  private fd: number
  private readonly inflater = createInflater()
  private readonly hasher = new Bun.CryptoHasher('sha1')
  private readonly header = new EntryHeader()
  private state: 'header' | 'entry' | 'data' | 'trailer' | 'end' = 'header'
  /** Bytes of an incomplete header or trailer. */
  private unparsed: Uint8Array = new Uint8Array(0)
  private hashedTo = 0
  private scratch = new Uint8Array(HASH_PREFIX_BYTES + MAX_WHOLE_BYTES + 1)
  private readonly oid = new Uint8Array(20)
  // State of the current entry.
  private row = -1
  private crc = 0
  private out: Uint8Array = this.scratch
  private produced = 0
  private streaming: Bun.CryptoHasher | null = null
  private reservedBytes = 0
  private readonly deltaStart = new Uint8Array(24)

  constructor(
    readonly path: string,
    private readonly limits: ReceiveLimits,
    /** Buffers for large trees, commits and tags are reserved there. */
    private readonly memory: MemoryBudget | null = null,
  ) {
    // Writable mode, because the file is opened again to be completed and synced. Only root may
    // open a read-only file for writing.
    this.fd = openSync(path, 'wx', 0o644)
  }

  get isComplete(): boolean {
    return this.state === 'end'
  }

  /** Memory of the tables so far. */
  get tableBytes(): number {
    return tableBytesOf(this.entries.count, this.links.ids.size)
  }

  /** Processes the next bytes. Throws GitError for malformed data and exceeded limits. */
  push(chunk: Uint8Array): void {
    if (this.size + chunk.length > this.limits.maxPackBytes) {
      throw new GitError('too_large', `the pack is larger than ${this.limits.maxPackBytes} bytes`)
    }
    for (let at = 0; at < chunk.length; ) at += writeSync(this.fd, chunk, at, chunk.length - at)
    const before = this.size - this.unparsed.length
    this.size += chunk.length
    const bytes = this.unparsed.length === 0 ? chunk : Buffer.concat([this.unparsed, chunk])
    this.unparsed = new Uint8Array(0)
    this.parse(bytes, before)
    requireExplainedIds(this.links.ids.size, this.size)
  }

  /** Ends the input. Throws GitError `corrupt` when the pack is incomplete. */
  end(): void {
    if (this.state !== 'end') throw new GitError('corrupt', 'the pack is cut off')
  }

  close(): void {
    if (this.fd >= 0) closeSync(this.fd)
    this.fd = -1
    this.releaseBuffer()
  }

  /** Returns a buffer for an object that is larger than `scratch`. */
  private reserveBuffer(size: number): Uint8Array {
    this.memory?.requireReserve(size)
    this.reservedBytes = size
    return new Uint8Array(HASH_PREFIX_BYTES + size + 1)
  }

  private releaseBuffer(): void {
    this.memory?.release(this.reservedBytes)
    this.reservedBytes = 0
    this.out = this.scratch
  }

  /** Parses bytes; `bytes[0]` has the offset `base` in the pack. */
  private parse(bytes: Uint8Array, base: number): void {
    let at = 0
    const length = bytes.length
    // Bytes carried over from the previous chunk are hashed already.
    const hashFrom = () => Math.max(0, this.hashedTo - base)
    while (at < length || this.state === 'data') {
      if (this.state === 'header') {
        if (length - at < 12) break
        this.readHeader(bytes, at)
        at += 12
        this.state = this.expectedCount === 0 ? 'trailer' : 'entry'
      } else if (this.state === 'entry') {
        const started = this.beginEntry(bytes, at, base)
        if (started === 0) break
        at += started
        this.state = 'data'
      } else if (this.state === 'data') {
        if (at >= length) break
        const used = this.inflatePart(bytes, at)
        this.crc = zlib.crc32(bytes.subarray(at, at + used), this.crc)
        at += used
        if (this.inflater.ended) {
          this.endEntry()
          this.state = this.entries.count === this.expectedCount ? 'trailer' : 'entry'
        }
      } else if (this.state === 'trailer') {
        if (length - at < 20) break
        const from = hashFrom()
        if (from < at) this.hasher.update(bytes.subarray(from, at))
        this.hashedTo = base + at
        const sum = this.hasher.digest() as Uint8Array
        if (Buffer.compare(sum, bytes.subarray(at, at + 20)) !== 0)
          throw new GitError('corrupt', "the pack's checksum is wrong")
        this.checksum = new Uint8Array(sum)
        at += 20
        this.state = 'end'
      } else throw new GitError('corrupt', 'there is more data after the end of the pack')
    }
    if (this.state !== 'end') {
      const from = hashFrom()
      if (from < at) this.hasher.update(bytes.subarray(from, at))
      this.hashedTo = Math.max(this.hashedTo, base + at)
      if (at < length) this.unparsed = bytes.slice(at)
    }
  }

  private readHeader(bytes: Uint8Array, at: number): void {
    const view = Buffer.from(bytes.buffer, bytes.byteOffset + at, 12)
    if (view.toString('latin1', 0, 4) !== 'PACK')
      throw new GitError('corrupt', 'the received data is not a pack')
    const version = view.readUInt32BE(4)
    if (version !== 2)
      throw new GitError('unsupported', `packs of version ${version} are not supported`)
    this.expectedCount = view.readUInt32BE(8)
    if (this.expectedCount > this.limits.maxObjects)
      throw new GitError('too_large', `the pack has more than ${this.limits.maxObjects} objects`)
    this.entries = new EntryTable(this.expectedCount)
    this.links = new LinkTable(this.expectedCount, this.limits.imported)
  }

  /** Starts an entry. Returns the length of its header, or 0 when the header is incomplete. */
  private beginEntry(bytes: Uint8Array, at: number, base: number): number {
    if (!parseEntryHeader(bytes, at, bytes.length, this.header)) {
      if (bytes.length - at >= MAX_HEADER_BYTES)
        throw new GitError('corrupt', 'an entry of the pack is malformed')
      return 0
    }
    const { type, size, dataAt } = this.header
    if (size > this.limits.maxObjectBytes)
      throw new GitError('too_large', `an object has more than ${this.limits.maxObjectBytes} bytes`)
    if (size > MAX_NON_BLOB_BYTES && type < OFS_DELTA && type !== BLOB) {
      throw new GitError(
        'too_large',
        `a ${typeName(type)} has more than ${MAX_NON_BLOB_BYTES} bytes`,
      )
    }
    const offset = base + at
    let link = -1
    if (type === OFS_DELTA) {
      link = this.entries.findByOffset(offset - this.header.distance)
      if (link < 0) throw new GitError('corrupt', 'a delta has its base where no object is')
    } else if (type === REF_DELTA) link = this.bases.add(bytes, this.header.baseAt)
    this.row = this.entries.add(type, offset, size, dataAt - at, link)
    this.crc = zlib.crc32(bytes.subarray(at, dataAt))
    this.produced = 0
    this.inflater.begin()
    const inParts =
      size > MAX_WHOLE_BYTES && (type === BLOB || type === OFS_DELTA || type === REF_DELTA)
    this.streaming = inParts && type === BLOB ? startObjectHash(type, size) : null
    this.out = size <= MAX_WHOLE_BYTES || inParts ? this.scratch : this.reserveBuffer(size)
    return dataAt - at
  }

  /**
   * Inflates the available part of the current entry. Returns the number of input bytes consumed.
   */
  private inflatePart(bytes: Uint8Array, at: number): number {
    const size = this.entries.sizes[this.row]!
    const type = this.entries.types[this.row]!
    const { inflater } = this
    let used = 0
    const inParts =
      size > MAX_WHOLE_BYTES &&
      (this.streaming !== null || type === OFS_DELTA || type === REF_DELTA)
    do {
      const from = inParts ? HASH_PREFIX_BYTES : HASH_PREFIX_BYTES + this.produced
      const to = inParts ? HASH_PREFIX_BYTES + PART_BYTES : HASH_PREFIX_BYTES + size + 1
      inflater.step(bytes, at + used, bytes.length, this.out, from, to, true)
      used += inflater.consumed
      if (inParts) this.consumePart(inflater.produced)
      this.produced += inflater.produced
      if (this.produced > size) throw new GitError('corrupt', 'an object is larger than it says')
      if (!inflater.ended && inflater.consumed === 0 && inflater.produced === 0) break
    } while (!inflater.ended && at + used < bytes.length)
    return used
  }

  private consumePart(length: number): void {
    if (this.produced < 24)
      this.deltaStart.set(
        this.out.subarray(
          HASH_PREFIX_BYTES,
          HASH_PREFIX_BYTES + Math.min(24 - this.produced, length),
        ),
        this.produced,
      )
    this.streaming?.update(this.out.subarray(HASH_PREFIX_BYTES, HASH_PREFIX_BYTES + length))
  }

  private endEntry(): void {
    const { entries, row, links } = this
    const size = entries.sizes[row]!
    const type = entries.types[row]!
    if (this.produced !== size) throw new GitError('corrupt', 'an object is smaller than it says')
    entries.crcs[row] = this.crc
    this.inflatedBytes += size
    if (type === OFS_DELTA || type === REF_DELTA) {
      const start =
        size > MAX_WHOLE_BYTES
          ? this.deltaStart
          : this.out.subarray(HASH_PREFIX_BYTES, HASH_PREFIX_BYTES + size)
      const { result } = deltaSizes(start, 0, Math.min(size, start.length))
      if (result > this.limits.maxObjectBytes)
        throw new GitError(
          'too_large',
          `an object has more than ${this.limits.maxObjectBytes} bytes`,
        )
      this.inflatedBytes += result
      return
    }
    if (this.streaming !== null) {
      this.oid.set(this.streaming.digest() as Uint8Array)
      this.streaming = null
    } else {
      hashObjectInto(type, this.out, HASH_PREFIX_BYTES, size, this.oid)
      checkObject(type, this.out, HASH_PREFIX_BYTES, HASH_PREFIX_BYTES + size, links)
    }
    if (this.reservedBytes > 0) this.releaseBuffer()
    entries.ids[row] = links.addOwned(this.oid, 0)
  }
}
