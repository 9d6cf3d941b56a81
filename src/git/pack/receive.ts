/**
 * The first pass over a pack that comes in: every byte goes to a temporary file and through the
 * inflater as it arrives, so that the end of every entry, its CRC and the ids of all whole objects
 * are known when the last byte is.
 */
import { closeSync, openSync, writeSync } from 'node:fs'
import zlib from 'node:zlib'
import { GitError } from '../ports.ts'
import { deltaSizes } from '../store/delta.ts'
import { makeInflater } from '../store/inflate.ts'
import { OidMap } from '../store/oid-map.ts'
import {
  BLOB,
  EntryHeader,
  MAX_HEADER,
  OFS_DELTA,
  REF_DELTA,
  parseEntry,
  typeName,
} from './entry.ts'
import { checkObject } from './fsck.ts'
import { HASH_PREFIX, hashInto, hashStart } from './hash.ts'
import { MAX_META } from './limits.ts'
import { LinkTable } from './links.ts'
import { Rows } from './rows.ts'

export type ReceiveLimits = {
  readonly maxPackBytes: number
  readonly maxObjectBytes: number
  readonly maxObjects: number
  /** The pack is imported: its objects are checked less strictly (fsck.ts). */
  readonly imported?: boolean
}

/**
 * Objects up to this size are inflated in one piece; larger blobs and deltas go through in parts.
 */
const WHOLE = 1 << 20
const PART = 1 << 16

export class PackReceiver {
  rows = new Rows(16)
  links = new LinkTable(16)
  /** The bases of REF_DELTA entries: ids, numbered. */
  readonly bases = new OidMap(16)
  /** Bytes of the pack so far. */
  size = 0
  /** Objects that the header announces. */
  count = 0
  /** Set when the trailer has come and is right. */
  checksum: Uint8Array | null = null

  private fd: number
  private readonly inflater = makeInflater()
  private readonly hasher = new Bun.CryptoHasher('sha1')
  private readonly header = new EntryHeader()
  private state: 'header' | 'entry' | 'data' | 'trailer' | 'end' = 'header'
  /** Bytes of an incomplete header or trailer. */
  private held: Uint8Array = new Uint8Array(0)
  private hashed = 0
  private scratch = new Uint8Array(HASH_PREFIX + WHOLE + 1)
  private readonly oid = new Uint8Array(20)
  // The entry at hand.
  private row = -1
  private crc = 0
  private out: Uint8Array = this.scratch
  private produced = 0
  private streaming: Bun.CryptoHasher | null = null
  private readonly start = new Uint8Array(24)

  constructor(
    readonly path: string,
    private readonly limits: ReceiveLimits,
  ) {
    // Opened again later to be completed and synced, which only root may do with a file for
    // reading.
    this.fd = openSync(path, 'wx', 0o644)
  }

  get done(): boolean {
    return this.state === 'end'
  }

  /** Takes the next bytes. Throws GitError for everything that is wrong with them. */
  push(chunk: Uint8Array): void {
    if (this.size + chunk.length > this.limits.maxPackBytes) {
      throw new GitError('too_large', `the pack is larger than ${this.limits.maxPackBytes} bytes`)
    }
    for (let at = 0; at < chunk.length; ) at += writeSync(this.fd, chunk, at, chunk.length - at)
    const before = this.size - this.held.length
    this.size += chunk.length
    const bytes = this.held.length === 0 ? chunk : Buffer.concat([this.held, chunk])
    this.held = new Uint8Array(0)
    this.parse(bytes, before)
  }

  /** The body has ended. Throws GitError `corrupt` when the pack has not. */
  end(): void {
    if (this.state !== 'end') throw new GitError('corrupt', 'the pack is cut off')
  }

  close(): void {
    if (this.fd >= 0) closeSync(this.fd)
    this.fd = -1
  }

  /** `bytes[0]` is at `base` in the pack. */
  private parse(bytes: Uint8Array, base: number): void {
    let at = 0
    const length = bytes.length
    // Bytes that were held are hashed already.
    const hashFrom = () => Math.max(0, this.hashed - base)
    while (at < length || this.state === 'data') {
      if (this.state === 'header') {
        if (length - at < 12) break
        this.readHeader(bytes, at)
        at += 12
        this.state = this.count === 0 ? 'trailer' : 'entry'
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
          this.state = this.rows.count === this.count ? 'trailer' : 'entry'
        }
      } else if (this.state === 'trailer') {
        if (length - at < 20) break
        const from = hashFrom()
        if (from < at) this.hasher.update(bytes.subarray(from, at))
        this.hashed = base + at
        const sum = this.hasher.digest() as Uint8Array
        if (Buffer.compare(sum, bytes.subarray(at, at + 20)) !== 0)
          throw new GitError('corrupt', "the pack's checksum is wrong")
        this.checksum = new Uint8Array(sum)
        at += 20
        this.state = 'end'
      } else throw new GitError('corrupt', 'there is more after the end of the pack')
    }
    if (this.state !== 'end') {
      const from = hashFrom()
      if (from < at) this.hasher.update(bytes.subarray(from, at))
      this.hashed = Math.max(this.hashed, base + at)
      if (at < length) this.held = bytes.slice(at)
    }
  }

  private readHeader(bytes: Uint8Array, at: number): void {
    const view = Buffer.from(bytes.buffer, bytes.byteOffset + at, 12)
    if (view.toString('latin1', 0, 4) !== 'PACK')
      throw new GitError('corrupt', 'what came is not a pack')
    const version = view.readUInt32BE(4)
    if (version !== 2)
      throw new GitError('unsupported', `packs of version ${version} are not supported`)
    this.count = view.readUInt32BE(8)
    if (this.count > this.limits.maxObjects)
      throw new GitError('too_large', `the pack has more than ${this.limits.maxObjects} objects`)
    this.rows = new Rows(this.count)
    this.links = new LinkTable(this.count, this.limits.imported)
  }

  /** Starts an entry; 0 when its header has not come whole. */
  private beginEntry(bytes: Uint8Array, at: number, base: number): number {
    if (!parseEntry(bytes, at, bytes.length, this.header)) {
      if (bytes.length - at >= MAX_HEADER)
        throw new GitError('corrupt', 'an entry of the pack is malformed')
      return 0
    }
    const { type, size, dataAt } = this.header
    if (size > this.limits.maxObjectBytes)
      throw new GitError('too_large', `an object has more than ${this.limits.maxObjectBytes} bytes`)
    if (size > MAX_META && type < OFS_DELTA && type !== BLOB) {
      throw new GitError('too_large', `a ${typeName(type)} has more than ${MAX_META} bytes`)
    }
    const offset = base + at
    let link = -1
    if (type === OFS_DELTA) {
      link = this.rows.find(offset - this.header.distance)
      if (link < 0) throw new GitError('corrupt', 'a delta has its base where no object is')
    } else if (type === REF_DELTA) link = this.bases.add(bytes, this.header.baseAt)
    this.row = this.rows.add(type, offset, size, dataAt - at, link)
    this.crc = zlib.crc32(bytes.subarray(at, dataAt))
    this.produced = 0
    this.inflater.begin()
    const inParts = size > WHOLE && (type === BLOB || type === OFS_DELTA || type === REF_DELTA)
    this.streaming = inParts && type === BLOB ? hashStart(type, size) : null
    this.out = size <= WHOLE || inParts ? this.scratch : new Uint8Array(HASH_PREFIX + size + 1)
    return dataAt - at
  }

  /** Inflates what is there of the entry at hand; gives the count of input bytes used. */
  private inflatePart(bytes: Uint8Array, at: number): number {
    const size = this.rows.sizes[this.row]!
    const type = this.rows.types[this.row]!
    const { inflater } = this
    let used = 0
    const inParts =
      size > WHOLE && (this.streaming !== null || type === OFS_DELTA || type === REF_DELTA)
    do {
      const from = inParts ? HASH_PREFIX : HASH_PREFIX + this.produced
      const to = inParts ? HASH_PREFIX + PART : HASH_PREFIX + size + 1
      inflater.step(bytes, at + used, bytes.length, this.out, from, to, true)
      used += inflater.consumed
      if (inParts) this.takePart(inflater.produced)
      this.produced += inflater.produced
      if (this.produced > size) throw new GitError('corrupt', 'an object is larger than it says')
      if (!inflater.ended && inflater.consumed === 0 && inflater.produced === 0) break
    } while (!inflater.ended && at + used < bytes.length)
    return used
  }

  private takePart(length: number): void {
    if (this.produced < 24)
      this.start.set(
        this.out.subarray(HASH_PREFIX, HASH_PREFIX + Math.min(24 - this.produced, length)),
        this.produced,
      )
    this.streaming?.update(this.out.subarray(HASH_PREFIX, HASH_PREFIX + length))
  }

  private endEntry(): void {
    const { rows, row, links } = this
    const size = rows.sizes[row]!
    const type = rows.types[row]!
    if (this.produced !== size) throw new GitError('corrupt', 'an object is smaller than it says')
    rows.crcs[row] = this.crc
    if (type === OFS_DELTA || type === REF_DELTA) {
      const start = size > WHOLE ? this.start : this.out.subarray(HASH_PREFIX, HASH_PREFIX + size)
      const { result } = deltaSizes(start, 0, Math.min(size, start.length))
      if (result > this.limits.maxObjectBytes)
        throw new GitError(
          'too_large',
          `an object has more than ${this.limits.maxObjectBytes} bytes`,
        )
      return
    }
    if (this.streaming !== null) {
      this.oid.set(this.streaming.digest() as Uint8Array)
      this.streaming = null
    } else {
      hashInto(type, this.out, HASH_PREFIX, size, this.oid)
      checkObject(type, this.out, HASH_PREFIX, HASH_PREFIX + size, links)
    }
    rows.ids[row] = links.own(this.oid, 0)
  }
}
