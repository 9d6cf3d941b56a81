/**
 * Zip archives (PKWARE APPNOTE 6.3.10) with deflate, Unix modes, UTF-8 names and, where needed,
 * 64-bit fields. Each file is compressed in memory, so its size is known for the header and no data
 * descriptor is needed. A large file is compressed in pieces, and a data descriptor with its size follows it, as in
 * git. Files of Git LFS are read twice and stored as they are.
 */
import { deflateRawSync } from 'node:zlib'
import { LIMIT_32, UNIX_45, zip64Field, zipEndRecords } from '#lib/archives/zip-format.ts'
import { deflateRawPieces } from '../store/deflate-pieces.ts'
import { toZipTime } from './zip-time.ts'
import type { ArchiveEntry, ArchiveWriter, LargeContent } from './archive.ts'

/** Gives other work of the thread a turn. */
const nothing = new Uint8Array(0)

const MODES = { file: 0o100644, executable: 0o100755, dir: 0o040755, symlink: 0o120777 } as const
const UTF8_NAME = 0x0800
const DATA_DESCRIPTOR = 0x0008
const DEFLATE_LEVEL = 6

type Item = {
  readonly name: Buffer
  readonly flags: number
  readonly method: number
  readonly crc: number
  readonly packed: number
  readonly size: number
  readonly offset: number
  readonly mode: number
  readonly dir: boolean
}

export class ZipWriter implements ArchiveWriter {
  private readonly items: Item[] = []
  private readonly stamp: { date: number; time: number }
  private readonly unixTime: number
  private written = 0

  constructor(
    private readonly commit: string,
    time: number,
  ) {
    this.stamp = toZipTime(time)
    this.unixTime = Math.min(Math.max(time, 0), LIMIT_32)
  }

  *begin(): Generator<Uint8Array, void> {}

  *entry(entry: ArchiveEntry): Generator<Uint8Array, void> {
    if (entry.large) {
      yield* this.largeEntry(entry, entry.large)
      return
    }
    const packed =
      entry.data.length > 0 && entry.kind !== 'symlink' ? deflateRawSync(entry.data) : null
    const deflated = packed !== null && packed.length < entry.data.length
    const body = deflated ? packed : entry.data
    yield* this.header(entry, {
      method: deflated ? 8 : 0,
      crc: Bun.hash.crc32(entry.data),
      packed: body.length,
      size: entry.data.length,
    })
    if (body.length > 0) yield body
    this.written += body.length
  }

  private *largeEntry(entry: ArchiveEntry, large: LargeContent): Generator<Uint8Array, void> {
    if (large.deflates) yield* this.deflatedEntry(entry, large)
    else yield* this.storedEntry(entry, large)
  }

  private *storedEntry(entry: ArchiveEntry, large: LargeContent): Generator<Uint8Array, void> {
    let crc = 0
    for (const chunk of large.pieces()) {
      if (chunk !== null) crc = Bun.hash.crc32(chunk, crc)
      yield nothing
    }
    yield* this.header(entry, { method: 0, crc, packed: large.size, size: large.size })
    for (const chunk of large.pieces()) yield chunk ?? nothing
    this.written += large.size
  }

  /** The sizes in the header are 0, and those in the descriptor count (APPNOTE 4.3.9). */
  private *deflatedEntry(entry: ArchiveEntry, large: LargeContent): Generator<Uint8Array, void> {
    const unknown = { method: 8, crc: 0, packed: 0, size: 0 }
    yield* this.header(entry, unknown, DATA_DESCRIPTOR)
    let [crc, packed] = [0, 0]
    const count = (bytes: Uint8Array): void => void (crc = Bun.hash.crc32(bytes, crc))
    for (const piece of deflateRawPieces(large.pieces(), DEFLATE_LEVEL, count)) {
      packed += piece.length
      yield piece
    }
    const descriptor = Buffer.alloc(16)
    descriptor.writeUInt32LE(0x08074b50, 0)
    descriptor.writeUInt32LE(crc, 4)
    descriptor.writeUInt32LE(packed, 8)
    descriptor.writeUInt32LE(large.size, 12)
    yield descriptor
    this.written += packed + descriptor.length
    const item = this.items.pop()
    if (item) this.items.push({ ...item, crc, packed, size: large.size })
  }

  private *header(
    { path, kind }: ArchiveEntry,
    content: Pick<Item, 'method' | 'crc' | 'packed' | 'size'>,
    flags = 0,
  ): Generator<Uint8Array, void> {
    const name = Buffer.from(path, 'latin1')
    const item: Item = {
      name,
      flags: flags | (isUtf8(name) ? UTF8_NAME : 0),
      ...content,
      offset: this.written,
      mode: MODES[kind],
      dir: kind === 'dir',
    }
    this.items.push(item)
    const header = this.localHeader(item)
    yield header
    this.written += header.length
  }

  *end(): Generator<Uint8Array, void> {
    const start = this.written
    for (const item of this.items) {
      const record = this.centralHeader(item)
      this.written += record.length
      yield record
    }
    yield zipEndRecords(
      { count: this.items.length, start, length: this.written - start },
      Buffer.from(this.commit),
    )
  }

  /**
   * The modification time in seconds ("UT" field). Without it, readers interpret the date of the
   * header as local time.
   */
  private timeField(): Buffer {
    const field = Buffer.alloc(9)
    field.writeUInt16LE(0x5455, 0)
    field.writeUInt16LE(5, 2)
    field[4] = 1
    field.writeUInt32LE(this.unixTime, 5)
    return field
  }

  private localHeader(item: Item): Buffer {
    const wide = item.size >= LIMIT_32 || item.packed >= LIMIT_32
    const extra = Buffer.concat([
      this.timeField(),
      wide ? zip64Field([item.size, item.packed]) : Buffer.alloc(0),
    ])
    const header = Buffer.alloc(30)
    header.writeUInt32LE(0x04034b50, 0)
    header.writeUInt16LE(wide ? 45 : 20, 4)
    this.common(header, item, 6, wide)
    header.writeUInt16LE(extra.length, 28)
    return Buffer.concat([header, item.name, extra])
  }

  /** The fields that both headers share, from the flags on. */
  private common(header: Buffer, item: Item, at: number, wide: boolean): void {
    header.writeUInt16LE(item.flags, at)
    header.writeUInt16LE(item.method, at + 2)
    header.writeUInt16LE(this.stamp.time, at + 4)
    header.writeUInt16LE(this.stamp.date, at + 6)
    header.writeUInt32LE(item.crc >>> 0, at + 8)
    header.writeUInt32LE(wide ? LIMIT_32 : item.packed, at + 12)
    header.writeUInt32LE(wide ? LIMIT_32 : item.size, at + 16)
    header.writeUInt16LE(item.name.length, at + 20)
  }

  private centralHeader(item: Item): Buffer {
    const wide = item.size >= LIMIT_32 || item.packed >= LIMIT_32
    const far = item.offset >= LIMIT_32
    const wideValues = [...(wide ? [item.size, item.packed] : []), ...(far ? [item.offset] : [])]
    const extra = Buffer.concat([
      this.timeField(),
      wideValues.length > 0 ? zip64Field(wideValues) : Buffer.alloc(0),
    ])
    const header = Buffer.alloc(46)
    header.writeUInt32LE(0x02014b50, 0)
    header.writeUInt16LE(UNIX_45, 4)
    header.writeUInt16LE(wideValues.length > 0 ? 45 : 20, 6)
    this.common(header, item, 8, wide)
    header.writeUInt16LE(extra.length, 30)
    header.writeUInt32LE(((item.mode << 16) | (item.dir ? 0x10 : 0)) >>> 0, 38)
    header.writeUInt32LE(far ? LIMIT_32 : item.offset, 42)
    return Buffer.concat([header, item.name, extra])
  }
}

const isUtf8 = (bytes: Buffer): boolean => Buffer.from(bytes.toString('utf8'), 'utf8').equals(bytes)
