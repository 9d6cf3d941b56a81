/**
 * All kinds of entries of tar streams, as they stand in the archive: paths and links are those of its
 * author. Read are the formats ustar, GNU and pax; written is GNU's (`tar --format=gnu`).
 */
import { ByteReader } from './byte-reader.ts'

const BLOCK = 512
const CHUNK_BYTES = 256 * 1024
const MAX_LONG_NAME_BYTES = 8_192
const MAX_PAX_BYTES = 1024 ** 2
const MAX_NAME_FIELD_BYTES = 100
const LONG_NAME = '././@LongLink'
/** A field of `digits` octal digits cannot have more. */
const maxOctal = (digits: number): number => 8 ** digits - 1

export type TarEntryKind = 'file' | 'folder' | 'symbolic' | 'hard' | 'other'

/** `data` has to be read to its end before the next entry. Only files have any. */
export type TarEntry = {
  readonly kind: TarEntryKind
  readonly path: string
  /** What a link leads to. */
  readonly link: string
  readonly mode: number
  readonly uid: number
  readonly gid: number
  /** Seconds since 1970. */
  readonly modified: number
  readonly size: number
  readonly data: AsyncIterable<Uint8Array>
}

const KINDS: Readonly<Record<string, TarEntryKind>> = {
  '0': 'file',
  '\0': 'file',
  '7': 'file',
  '1': 'hard',
  '2': 'symbolic',
  '5': 'folder',
}
const TYPES: Readonly<Record<TarEntryKind, string>> = {
  file: '0',
  hard: '1',
  symbolic: '2',
  folder: '5',
  other: '',
}

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

/** The path in a header. In ustar archives its first part may stand in a field of its own. */
function pathOf(header: Buffer): string {
  const name = textOf(header.subarray(0, 100))
  const isUstar = header.toString('latin1', 257, 263) === 'ustar\0'
  const prefix = isUstar ? textOf(header.subarray(345, 500)) : ''
  return prefix === '' ? name : `${prefix}/${name}`
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

/** What a header says of the entry after it, by the names of pax. */
type Announced = ReadonlyMap<string, string>

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
  if (type === 'L' || type === 'K') {
    const name = textOf(await readBytes(reader, size, MAX_LONG_NAME_BYTES))
    return new Map([...before, [type === 'L' ? 'path' : 'linkpath', name]])
  }
  if (type !== 'x') return null
  return new Map([...before, ...paxRecords(await readBytes(reader, size, MAX_PAX_BYTES))])
}

function entryOf(header: Buffer, announced: Announced): Omit<TarEntry, 'data'> {
  const number = (key: string, begin: number, end: number): number =>
    Number(announced.get(key) ?? numberOf(header.subarray(begin, end)))
  const type = String.fromCharCode(header[156] ?? 0)
  return {
    kind: KINDS[type] ?? 'other',
    path: announced.get('path') ?? pathOf(header),
    link: announced.get('linkpath') ?? textOf(header.subarray(157, 257)),
    mode: numberOf(header.subarray(100, 108)),
    uid: number('uid', 108, 116),
    gid: number('gid', 116, 124),
    modified: number('mtime', 136, 148),
    size: number('size', 124, 136),
  }
}

const requireSize = (size: number): number => {
  if (!Number.isSafeInteger(size) || size < 0) throw new Error('the archive has a broken size')
  return size
}

/** Reads all entries, those of kinds that are not known here too. */
export async function* readTarEntries(source: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const reader = new ByteReader(source)
  let announced: Announced = new Map()
  for (;;) {
    const header = await reader.exactly(BLOCK)
    if (header === null || header.every((byte) => byte === 0)) break
    const type = String.fromCharCode(header[156] ?? 0)
    const announcing = requireSize(numberOf(header.subarray(124, 136)))
    const next = await readAnnouncement(reader, type, announcing, announced)
    if (next !== null) {
      announced = next
      if (paddingOf(announcing) > 0) await reader.exactly(paddingOf(announcing))
      continue
    }
    const entry = entryOf(header, announced)
    announced = new Map()
    const size = requireSize(entry.size)
    const data = dataOf(reader, size)
    yield { ...entry, data }
    // Whoever read no data is past it all the same.
    for await (const _ of data);
    if (paddingOf(size) > 0) await reader.exactly(paddingOf(size))
  }
  await reader.drain()
}

function writeNumber(header: Buffer, value: number, at: number, digits: number): void {
  if (value <= maxOctal(digits)) {
    header.write(value.toString(8).padStart(digits, '0'), at, 'latin1')
    return
  }
  header[at] = 0x80
  header.writeUIntBE(value, at + digits - 5, 6)
}

type Header = Omit<TarEntry, 'kind' | 'data' | 'path' | 'link'> & {
  readonly type: string
  readonly name: Buffer
  readonly target: Buffer
}

function headerOf({ name, target, type, mode, uid, gid, size, modified }: Header): Buffer {
  const header = Buffer.alloc(BLOCK)
  name.copy(header, 0, 0, MAX_NAME_FIELD_BYTES)
  writeNumber(header, mode & 0o7777, 100, 7)
  writeNumber(header, uid, 108, 7)
  writeNumber(header, gid, 116, 7)
  writeNumber(header, size, 124, 11)
  writeNumber(header, Math.max(0, Math.floor(modified)), 136, 11)
  header.fill(0x20, 148, 156)
  header.write(type, 156, 'latin1')
  target.copy(header, 157, 0, MAX_NAME_FIELD_BYTES)
  header.write('ustar  \0', 257, 'latin1')
  let sum = 0
  for (const byte of header) sum += byte
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return header
}

/** An entry before another one, with a name that has no place there. */
function longName(type: 'L' | 'K', name: Buffer): Buffer[] {
  if (name.length <= MAX_NAME_FIELD_BYTES) return []
  const long = Buffer.concat([name, Buffer.alloc(1)])
  const numbers = { mode: 0o644, uid: 0, gid: 0, modified: 0, size: long.length }
  const header = { type, name: Buffer.from(LONG_NAME), target: Buffer.alloc(0), ...numbers }
  return [headerOf(header), long, Buffer.alloc(paddingOf(long.length))]
}

/** Writes entries as a tar stream. Throws when a file is not as long as it says. */
export async function* writeTarEntries(
  entries: AsyncIterable<TarEntry>,
): AsyncGenerator<Uint8Array> {
  for await (const entry of entries) {
    const { kind, path, link, data } = entry
    const name = Buffer.from(kind === 'folder' && !path.endsWith('/') ? `${path}/` : path)
    const target = Buffer.from(link)
    const size = kind === 'file' ? entry.size : 0
    for (const part of [...longName('K', target), ...longName('L', name)]) yield part
    yield headerOf({ ...entry, type: TYPES[kind], name, target, size })
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
