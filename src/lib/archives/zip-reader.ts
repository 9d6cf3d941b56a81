/**
 * Reads zip archives of strangers. Their bytes are hostile: counts, sizes and paths are checked before
 * anything is unpacked, and a file that unpacks to another size than it says is refused.
 */
import { createReadStream } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { createInflateRaw, inflateRawSync } from 'node:zlib'
import { nextTurn } from '../waiting.ts'
import { requireSafePath, type ArchivedFile } from './archived-file.ts'

/** An archive has at most so many files. */
export const MAX_ARCHIVED_FILES = 100_000
const MAX_DIRECTORY_BYTES = 64 * 1024 ** 2
const MAX_END_BYTES = 22 + 0xffff + 20
const LIMIT_32 = 0xffffffff
const LIMIT_16 = 0xffff
const ENCRYPTED = 1
const ENTRIES_PER_TURN = 2_000
/** Files up to this size are read at once. */
const MAX_SMALL_BYTES = 64 * 1024
const FILE_TYPE_BITS = 0o170000
const REGULAR = 0o100000
const DIRECTORY = 0o040000

type Entry = {
  readonly path: string
  readonly isExecutable: boolean
  readonly method: number
  readonly packed: number
  readonly size: number
  readonly offset: number
}

const broken = (): Error => new Error('The archive is no zip file that can be read')

async function readAt(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length)
  const { bytesRead } = await file.read(bytes, 0, length, offset)
  if (bytesRead !== length) throw broken()
  return bytes
}

const number64 = (bytes: Buffer, at: number): number => {
  const value = Number(bytes.readBigUInt64LE(at))
  if (!Number.isSafeInteger(value)) throw broken()
  return value
}

/** Where the central directory is, from the records at the end of the file. */
async function findDirectory(file: FileHandle, size: number) {
  const length = Math.min(size, MAX_END_BYTES)
  const tail = await readAt(file, size - length, length)
  const at = tail.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]))
  if (at < 0 || tail.length - at < 22) throw broken()
  const plain = {
    count: tail.readUInt16LE(at + 10),
    length: tail.readUInt32LE(at + 12),
    start: tail.readUInt32LE(at + 16),
  }
  const isWide = plain.count === LIMIT_16 || plain.length === LIMIT_32 || plain.start === LIMIT_32
  if (!isWide || at < 20 || tail.readUInt32LE(at - 20) !== 0x07064b50) return plain
  const record = await readAt(file, number64(tail, at - 20 + 8), 56)
  if (record.readUInt32LE(0) !== 0x06064b50) throw broken()
  return {
    count: number64(record, 32),
    length: number64(record, 40),
    start: number64(record, 48),
  }
}

/** Fields of 64 bits stand in the extra field, in a fixed order, when those of 32 are full. */
function readWide(extra: Buffer, values: readonly number[]): number[] {
  let field = Buffer.alloc(0)
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2))
    if (extra.readUInt16LE(at) === 1)
      field = Buffer.from(extra.subarray(at + 4, at + 4 + extra.readUInt16LE(at + 2)))
  let at = 0
  return values.map((value) => {
    if (value !== LIMIT_32 || at + 8 > field.length) return value
    at += 8
    return number64(field, at - 8)
  })
}

/** The entry at an offset of the directory; null for a folder. */
function readEntry(directory: Buffer, at: number): { entry: Entry | null; next: number } {
  if (at + 46 > directory.length || directory.readUInt32LE(at) !== 0x02014b50) throw broken()
  const nameEnd = at + 46 + directory.readUInt16LE(at + 28)
  const extraEnd = nameEnd + directory.readUInt16LE(at + 30)
  const next = extraEnd + directory.readUInt16LE(at + 32)
  if (next > directory.length) throw broken()
  const path = directory.toString('utf8', at + 46, nameEnd)
  const [size = 0, packed = 0, offset = 0] = readWide(directory.subarray(nameEnd, extraEnd), [
    directory.readUInt32LE(at + 24),
    directory.readUInt32LE(at + 20),
    directory.readUInt32LE(at + 42),
  ])
  const isUnix = directory.readUInt16LE(at + 4) >> 8 === 3
  const mode = isUnix ? directory.readUInt32LE(at + 38) >>> 16 : 0
  const type = mode & FILE_TYPE_BITS
  if (path.endsWith('/')) return { entry: null, next }
  requireSafePath(path)
  if (type !== 0 && type !== REGULAR && type !== DIRECTORY)
    throw new Error(`The archive has ${JSON.stringify(path.slice(0, 200))}, which is no file`)
  if ((directory.readUInt16LE(at + 8) & ENCRYPTED) !== 0)
    throw new Error('The archive is encrypted')
  const method = directory.readUInt16LE(at + 10)
  if (method !== 0 && method !== 8) throw new Error('The archive is compressed in an unknown way')
  return { entry: { path, isExecutable: (mode & 0o111) !== 0, method, packed, size, offset }, next }
}

async function readEntries(file: FileHandle, size: number, maxFiles: number): Promise<Entry[]> {
  const { count, length, start } = await findDirectory(file, size)
  if (count > maxFiles) throw new Error(`The archive has more than ${maxFiles} files`)
  if (length > MAX_DIRECTORY_BYTES || start + length > size) throw broken()
  const directory = await readAt(file, start, length)
  const entries: Entry[] = []
  const paths = new Set<string>()
  for (let n = 0, at = 0; n < count; n++) {
    const { entry, next } = readEntry(directory, at)
    at = next
    if (n % ENTRIES_PER_TURN === ENTRIES_PER_TURN - 1) await nextTurn()
    if (!entry) continue
    if (paths.has(entry.path)) throw new Error(`The archive has ${entry.path} twice`)
    paths.add(entry.path)
    entries.push(entry)
  }
  return entries
}

/** A stream for each of many small files takes most of the time. */
function smallFile({ path, method, size }: Entry, packed: Buffer): Uint8Array {
  const tooLong = () => new Error(`${path} is longer than the archive says`)
  try {
    const bytes = method === 8 ? inflateRawSync(packed, { maxOutputLength: size + 1 }) : packed
    if (bytes.length > size) throw tooLong()
    return bytes
  } catch (error) {
    throw (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE' ? tooLong() : error
  }
}

async function* dataOf(path: string, file: FileHandle, entry: Entry): AsyncGenerator<Uint8Array> {
  const header = await readAt(file, entry.offset, 30)
  if (header.readUInt32LE(0) !== 0x04034b50) throw broken()
  const start = entry.offset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28)
  if (entry.packed === 0) return
  if (entry.packed <= MAX_SMALL_BYTES && entry.size <= MAX_SMALL_BYTES) {
    yield smallFile(entry, await readAt(file, start, entry.packed))
    return
  }
  const packed = createReadStream(path, { start, end: start + entry.packed - 1 })
  const inflate = entry.method === 8 ? packed.pipe(createInflateRaw()) : null
  if (inflate) packed.on('error', (error) => inflate.destroy(error))
  let size = 0
  try {
    for await (const part of (inflate ?? packed) as AsyncIterable<Buffer>) {
      size += part.length
      if (size > entry.size) throw new Error(`${entry.path} is longer than the archive says`)
      yield part
    }
  } finally {
    packed.destroy()
    inflate?.destroy()
  }
}

/**
 * The files of an archive. Throws for one whose files have more than `maxBytes` together, that has
 * links, or paths that lead out of it.
 */
export async function* readZip(
  path: string,
  maxBytes: number,
  maxFiles = MAX_ARCHIVED_FILES,
): AsyncGenerator<ArchivedFile> {
  const file = await open(path, 'r')
  try {
    const entries = await readEntries(file, (await file.stat()).size, maxFiles)
    const total = entries.reduce((sum, { size }) => sum + size, 0)
    if (total > maxBytes)
      throw new Error(
        `The files of the archive have ${total} bytes, more than the ${maxBytes} that are allowed`,
      )
    for (const entry of entries) {
      const { path: name, isExecutable, size } = entry
      yield { path: name, isExecutable, size, data: dataOf(path, file, entry) }
    }
  } finally {
    await file.close()
  }
}
