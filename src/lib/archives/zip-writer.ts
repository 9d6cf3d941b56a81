/**
 * Writes zip archives (PKWARE APPNOTE 6.3.10) of files that arrive as a stream. Small files are
 * compressed in memory. Larger ones pass through, and their sizes follow their data. The runtime
 * compresses on threads of its own.
 */
import { createDeflateRaw, deflateRaw } from 'node:zlib'
import { promisify } from 'node:util'
import type { ArchivedFile } from './archived-file.ts'
import { LIMIT_32, UNIX_45, zip64Field, zipEndRecords } from './zip-format.ts'

const compress = promisify(deflateRaw) as (
  data: Uint8Array,
  options: { level: number },
) => Promise<Buffer>

const MAX_SMALL_BYTES = 1024 ** 2
/** Data that does not compress grows by less than this part. */
const MAX_GROWTH = 1.001
const UTF8_NAME = 0x0800
const SIZES_FOLLOW = 0x0008
const DEFLATED = 8
const STORED = 0
/** 1 January 1980: the same files make the same archive. */
const DOS_DATE = (1 << 5) | 1
const MODES = { plain: 0o100644, executable: 0o100755 } as const

type Item = {
  readonly name: Buffer
  readonly flags: number
  readonly method: number
  readonly mode: number
  readonly offset: number
  readonly isWide: boolean
  crc: number
  packed: number
  size: number
}

/** The fields that both headers share, from the flags on. */
function writeCommon(header: Buffer, at: number, item: Item, sizes: Pick<Item, 'packed' | 'size'>) {
  header.writeUInt16LE(item.flags, at)
  header.writeUInt16LE(item.method, at + 2)
  header.writeUInt16LE(0, at + 4)
  header.writeUInt16LE(DOS_DATE, at + 6)
  header.writeUInt32LE(item.crc >>> 0, at + 8)
  header.writeUInt32LE(item.isWide ? LIMIT_32 : sizes.packed, at + 12)
  header.writeUInt32LE(item.isWide ? LIMIT_32 : sizes.size, at + 16)
  header.writeUInt16LE(item.name.length, at + 20)
}

function localHeader(item: Item): Buffer {
  const header = Buffer.alloc(30)
  header.writeUInt32LE(0x04034b50, 0)
  header.writeUInt16LE(item.isWide ? 45 : 20, 4)
  writeCommon(header, 6, item, item)
  const extra = item.isWide ? zip64Field([item.size, item.packed]) : Buffer.alloc(0)
  header.writeUInt16LE(extra.length, 28)
  return Buffer.concat([header, item.name, extra])
}

function centralHeader(item: Item): Buffer {
  const isFar = item.offset >= LIMIT_32
  const values = [...(item.isWide ? [item.size, item.packed] : []), ...(isFar ? [item.offset] : [])]
  const extra = values.length > 0 ? zip64Field(values) : Buffer.alloc(0)
  const header = Buffer.alloc(46)
  header.writeUInt32LE(0x02014b50, 0)
  header.writeUInt16LE(UNIX_45, 4)
  header.writeUInt16LE(values.length > 0 ? 45 : 20, 6)
  writeCommon(header, 8, item, item)
  header.writeUInt16LE(extra.length, 30)
  header.writeUInt32LE((item.mode << 16) >>> 0, 38)
  header.writeUInt32LE(isFar ? LIMIT_32 : item.offset, 42)
  return Buffer.concat([header, item.name, extra])
}

/** What follows the data of a file whose header came before its sizes were known. */
function dataDescriptor({ crc, packed, size, isWide }: Item): Buffer {
  const bytes = Buffer.alloc(isWide ? 24 : 16)
  bytes.writeUInt32LE(0x08074b50, 0)
  bytes.writeUInt32LE(crc >>> 0, 4)
  if (isWide) {
    bytes.writeBigUInt64LE(BigInt(packed), 8)
    bytes.writeBigUInt64LE(BigInt(size), 16)
  } else {
    bytes.writeUInt32LE(packed, 8)
    bytes.writeUInt32LE(size, 12)
  }
  return bytes
}

class ZipWriter {
  readonly #items: Item[] = []
  #written = 0

  constructor(private readonly level: number) {}

  async *file(file: ArchivedFile): AsyncGenerator<Uint8Array> {
    for await (const part of file.size <= MAX_SMALL_BYTES ? this.#small(file) : this.#large(file)) {
      this.#written += part.length
      yield part
    }
  }

  *end(): Generator<Uint8Array> {
    const start = this.#written
    let length = 0
    for (const item of this.#items) {
      const header = centralHeader(item)
      length += header.length
      yield header
    }
    yield zipEndRecords({ count: this.#items.length, start, length })
  }

  #add(
    file: ArchivedFile,
    rest: Pick<Item, 'flags' | 'method' | 'isWide' | 'crc' | 'packed' | 'size'>,
  ) {
    const mode = file.isExecutable ? MODES.executable : MODES.plain
    const item: Item = { name: Buffer.from(file.path), mode, offset: this.#written, ...rest }
    this.#items.push(item)
    return item
  }

  async *#small(file: ArchivedFile): AsyncGenerator<Uint8Array> {
    const parts: Uint8Array[] = []
    for await (const part of file.data) parts.push(Buffer.from(part))
    const data = Buffer.concat(parts)
    const packed =
      this.level > 0 && data.length > 0 ? await compress(data, { level: this.level }) : data
    const body = packed.length < data.length ? packed : data
    const item = this.#add(file, {
      flags: UTF8_NAME,
      method: body === data ? STORED : DEFLATED,
      isWide: false,
      crc: Bun.hash.crc32(data),
      packed: body.length,
      size: data.length,
    })
    yield localHeader(item)
    if (body.length > 0) yield body
  }

  async *#large(file: ArchivedFile): AsyncGenerator<Uint8Array> {
    const item = this.#add(file, {
      flags: UTF8_NAME | SIZES_FOLLOW,
      method: DEFLATED,
      isWide: file.size * MAX_GROWTH >= LIMIT_32,
      crc: 0,
      packed: 0,
      size: 0,
    })
    yield localHeader(item)
    const deflate = createDeflateRaw({ level: this.level })
    const feeding = (async () => {
      for await (const part of file.data) {
        item.crc = Bun.hash.crc32(part, item.crc)
        item.size += part.length
        if (!deflate.write(Buffer.from(part)))
          await new Promise((resolve) => deflate.once('drain', resolve))
      }
      deflate.end()
    })()
    feeding.catch((error: Error) => deflate.destroy(error))
    try {
      for await (const part of deflate as AsyncIterable<Buffer>) {
        item.packed += part.length
        yield part
      }
    } finally {
      deflate.destroy()
    }
    await feeding
    yield dataDescriptor(item)
  }
}

/** `level` is that of deflate, from 0 to 9. */
export async function* writeZip(
  files: AsyncIterable<ArchivedFile>,
  level: number,
): AsyncGenerator<Uint8Array> {
  const writer = new ZipWriter(level)
  for await (const file of files) yield* writer.file(file)
  yield* writer.end()
}
