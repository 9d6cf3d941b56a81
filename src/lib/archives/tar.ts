/**
 * Tar streams in the GNU format (`tar --format=gnu`), with regular files alone. The sandbox packs
 * and unpacks them, so no link in an archive leads the server anywhere.
 */
import { requireSafePath, type ArchivedFile } from './archived-file.ts'
import { ByteReader } from './byte-reader.ts'

const BLOCK = 512
const CHUNK_BYTES = 256 * 1024
const MAX_LONG_NAME_BYTES = 8_192
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

/** Reads regular files. Throws for anything else, and for paths that lead out of the archive. */
export async function* readTar(source: AsyncIterable<Uint8Array>): AsyncGenerator<ArchivedFile> {
  const reader = new ByteReader(source)
  let longName: string | null = null
  for (;;) {
    const header = await reader.exactly(BLOCK)
    if (header === null || header.every((byte) => byte === 0)) break
    const size = numberOf(header.subarray(124, 136))
    if (!Number.isSafeInteger(size) || size < 0) throw new Error('the archive has a broken size')
    const type = String.fromCharCode(header[156] ?? 0)
    if (type === 'L') {
      if (size > MAX_LONG_NAME_BYTES) throw new Error('the archive has a name that is too long')
      longName = textOf((await reader.exactly(size)) ?? Buffer.alloc(0))
    } else if (type === '0' || type === '\0') {
      const path = (longName ?? textOf(header.subarray(0, 100))).replace(/^(?:\.\/)+/, '')
      longName = null
      requireSafePath(path)
      const isExecutable = (numberOf(header.subarray(100, 108)) & EXECUTABLE_BITS) !== 0
      yield { path, isExecutable, size, data: dataOf(reader, size) }
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
