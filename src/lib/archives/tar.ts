/**
 * Tar streams. What is written is in the GNU format (`tar --format=gnu`), with regular files alone.
 * The sandbox packs and unpacks those, so no link in an archive leads the server anywhere. Archives
 * of others may be read in the formats ustar and pax too.
 */
import { requireSafePath, type ArchivedFile } from './archived-file.ts'
import { ByteReader } from './byte-reader.ts'

const BLOCK = 512
const CHUNK_BYTES = 256 * 1024
const MAX_LONG_NAME_BYTES = 8_192
const MAX_PAX_BYTES = 1024 ** 2
const EXECUTABLE_BITS = 0o111
const LONG_NAME = '././@LongLink'
/** Above this a size has no place in 11 octal digits. */
const MAX_OCTAL_SIZE = 0o77777777777

const textOf = (bytes: Buffer): string => {
  const end = bytes.indexOf(0)
  return bytes.toString('utf8', 0, end < 0 ? bytes.length : end)
}

/** A number of a header: octal digits, or base 256 with the first bit set. */
function numberOf(field: Buffer): number {
  const first = field[0] ?? 0
  if ((first & 0x80) === 0) return Number.parseInt(textOf(field).trim() || '0', 8)
  let value = first & 0x7f
  for (const byte of field.subarray(1)) value = value * 256 + byte
  return value
}

const paddingOf = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK

async function* dataOf(reader: ByteReader, size: number): AsyncGenerator<Uint8Array> {
  for (let left = size; left > 0; ) {
    const part = await reader.some(Math.min(left, CHUNK_BYTES))
    if (part === null) throw new Error('the archive ends in the middle of a file')
    left -= part.length
    yield part
  }
}

const SYMBOLIC_LINK = '2'
const isRegular = (type: string): boolean => type === '0' || type === '\0' || type === '7'

/** The path in a header. In ustar archives its first part may stand in a field of its own. */
function pathOf(header: Buffer): string {
  const name = textOf(header.subarray(0, 100))
  const isUstar = header.toString('latin1', 257, 263) === 'ustar\0'
  const prefix = isUstar ? textOf(header.subarray(345, 500)) : ''
  return prefix === '' ? name : `${prefix}/${name}`
}

function pathFrom(header: Buffer, { name }: Announced): string {
  const path = (name ?? pathOf(header)).replace(/^(?:\.\/)+/, '')
  requireSafePath(path)
  return path
}

/** The records of a pax header (POSIX.1-2001): `<length> <key>=<value>` and a line feed each. */
function paxRecords(bytes: Buffer): Map<string, string> {
  const records = new Map<string, string>()
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at)
    const length = space < 0 ? Number.NaN : Number(bytes.toString('latin1', at, space))
    if (!Number.isSafeInteger(length) || length <= space - at || at + length > bytes.length)
      throw new Error('the archive has a broken extended header')
    const record = bytes.toString('utf8', space + 1, at + length - 1)
    const equals = record.indexOf('=')
    if (equals > 0) records.set(record.slice(0, equals), record.slice(equals + 1))
    at += length
  }
  return records
}

/** What a header says of the file after it. */
type Announced = { name: string | null; size: number | null; link: string | null }

const NOTHING: Announced = { name: null, size: null, link: null }

async function readBytes(reader: ByteReader, size: number, maxBytes: number): Promise<Buffer> {
  if (size > maxBytes) throw new Error('the archive has a name that is too long')
  return (await reader.exactly(size)) ?? Buffer.alloc(0)
}

/** Reads a header that announces the next one; null for a header of another type. */
async function readAnnouncement(
  reader: ByteReader,
  type: string,
  size: number,
  before: Announced,
): Promise<Announced | null> {
  if (type === 'L')
    return { ...before, name: textOf(await readBytes(reader, size, MAX_LONG_NAME_BYTES)) }
  if (type === 'K')
    return { ...before, link: textOf(await readBytes(reader, size, MAX_LONG_NAME_BYTES)) }
  if (type !== 'x') return null
  const records = paxRecords(await readBytes(reader, size, MAX_PAX_BYTES))
  const length = records.get('size')
  return {
    name: records.get('path') ?? before.name,
    link: records.get('linkpath') ?? before.link,
    size: length === undefined ? before.size : Number(length),
  }
}

async function skipBytes(reader: ByteReader, size: number): Promise<void> {
  for await (const _ of dataOf(reader, size));
}

export type TarReading = {
  readonly skipsOthers?: boolean
  /** Called for a symbolic link, before later files. */
  readonly onLink?: (path: string, target: string) => void
}

/**
 * Reads regular files. Throws for paths that lead out of the archive, and for anything that is no
 * file, unless `skipsOthers`: then folders, links and comments are passed over.
 */
export async function* readTar(
  source: AsyncIterable<Uint8Array>,
  { skipsOthers = false, onLink }: TarReading = {},
): AsyncGenerator<ArchivedFile> {
  const reader = new ByteReader(source)
  let announced = NOTHING
  for (;;) {
    const header = await reader.exactly(BLOCK)
    if (header === null || header.every((byte) => byte === 0)) break
    const type = String.fromCharCode(header[156] ?? 0)
    const size = announced.size ?? numberOf(header.subarray(124, 136))
    if (!Number.isSafeInteger(size) || size < 0) throw new Error('the archive has a broken size')
    const next = await readAnnouncement(reader, type, size, announced)
    if (next !== null) announced = next
    else if (isRegular(type)) {
      const path = pathFrom(header, announced)
      announced = NOTHING
      const isExecutable = (numberOf(header.subarray(100, 108)) & EXECUTABLE_BITS) !== 0
      yield { path, isExecutable, size, data: dataOf(reader, size) }
    } else if (type === SYMBOLIC_LINK && onLink) {
      onLink(pathFrom(header, announced), announced.link ?? textOf(header.subarray(157, 257)))
      announced = NOTHING
      await skipBytes(reader, size)
    } else if (skipsOthers) {
      announced = NOTHING
      await skipBytes(reader, size)
    } else throw new Error('the archive has something that is no file')
    if (paddingOf(size) > 0) await reader.exactly(paddingOf(size))
  }
  await reader.drain()
}

function headerOf(name: Buffer, type: string, mode: number, size: number): Buffer {
  const header = Buffer.alloc(BLOCK)
  const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0')
  name.copy(header, 0, 0, 100)
  header.write(octal(mode, 7), 100, 'latin1')
  header.write(octal(0, 7), 108, 'latin1')
  header.write(octal(0, 7), 116, 'latin1')
  if (size <= MAX_OCTAL_SIZE) header.write(octal(size, 11), 124, 'latin1')
  else {
    header[124] = 0x80
    header.writeBigUInt64BE(BigInt(size), 128)
  }
  header.write(octal(0, 11), 136, 'latin1')
  header.fill(0x20, 148, 156)
  header.write(type, 156, 'latin1')
  header.write('ustar  \0', 257, 'latin1')
  let sum = 0
  for (const byte of header) sum += byte
  header.write(`${octal(sum, 6)}\0 `, 148, 'latin1')
  return header
}

/** Writes files as a tar stream. Throws when a file is not as long as it says. */
export async function* writeTar(files: AsyncIterable<ArchivedFile>): AsyncGenerator<Uint8Array> {
  for await (const { path, isExecutable, size, data } of files) {
    requireSafePath(path)
    const name = Buffer.from(path)
    if (name.length > 100) {
      const long = Buffer.concat([name, Buffer.alloc(1)])
      yield headerOf(Buffer.from(LONG_NAME), 'L', 0o644, long.length)
      yield Buffer.concat([long, Buffer.alloc(paddingOf(long.length))])
    }
    yield headerOf(name, '0', isExecutable ? 0o755 : 0o644, size)
    let written = 0
    for await (const part of data) {
      written += part.length
      if (written > size) throw new Error(`${path} is longer than the archive says`)
      yield part
    }
    if (written !== size) throw new Error(`${path} is shorter than the archive says`)
    yield new Uint8Array(paddingOf(size))
  }
  yield new Uint8Array(2 * BLOCK)
}
