/** Tar archives like `git archive --format=tar`: POSIX ustar, with pax headers for long names. */
import type { ArchiveEntry, ArchiveWriter } from './archive.ts'

const BLOCK = 512
/** Gives other work of the thread a turn. */
const nothing = new Uint8Array(0)
const RECORD = 20 * BLOCK

/** Permissions like git's: a umask of 002 on 666 and 777. */
const PERMISSIONS = { file: 0o664, executable: 0o775, dir: 0o775, symlink: 0o777 } as const
const TYPE = { file: '0', executable: '0', dir: '5', symlink: '2' } as const

export class TarWriter implements ArchiveWriter {
  private written = 0

  constructor(
    private readonly commit: string,
    private readonly time: number,
  ) {}

  *begin(): Generator<Uint8Array, void> {
    if (this.commit)
      yield* this.block(
        'g',
        'pax_global_header',
        paxRecord('comment', Buffer.from(this.commit)),
        0o666,
      )
  }

  *entry(entry: ArchiveEntry): Generator<Uint8Array, void> {
    const link = entry.kind === 'symlink' ? Buffer.from(entry.data) : Buffer.alloc(0)
    const name = Buffer.from(entry.path, 'latin1')
    const split = splitName(name)
    const records: Buffer[] = []
    if (!split) records.push(paxRecord('path', name))
    if (link.length > 100) records.push(paxRecord('linkpath', link))
    const length = entry.large?.size ?? entry.data.length
    const size = entry.kind === 'symlink' ? 0 : length
    if (size >= 0o77777777777) records.push(paxRecord('size', Buffer.from(String(size))))
    if (records.length > 0)
      yield* this.block('x', `${entry.oid}.paxheader`, Buffer.concat(records), 0o666)
    const { prefix, rest } = split ?? {
      prefix: Buffer.alloc(0),
      rest: Buffer.from(`${entry.oid}.data`),
    }
    const shownLink = link.length > 100 ? Buffer.from('see pax header') : link
    const header = tarHeader(
      TYPE[entry.kind],
      rest,
      prefix,
      shownLink,
      PERMISSIONS[entry.kind],
      size,
      this.time,
    )
    const content = entry.large?.pieces() ?? [entry.data]
    yield* this.padded(header, size > 0 ? content : [], size)
  }

  *end(): Generator<Uint8Array, void> {
    const closing = 2 * BLOCK
    const total = Math.ceil((this.written + closing) / RECORD) * RECORD
    yield new Uint8Array(total - this.written)
  }

  private *block(
    type: string,
    name: string,
    data: Uint8Array,
    mode: number,
  ): Generator<Uint8Array, void> {
    yield* this.padded(
      tarHeader(
        type,
        Buffer.from(name),
        Buffer.alloc(0),
        Buffer.alloc(0),
        mode,
        data.length,
        this.time,
      ),
      [data],
      data.length,
    )
  }

  /** A header and what follows it: `size` bytes in all. */
  private *padded(
    header: Uint8Array,
    data: Iterable<Uint8Array | null>,
    size: number,
  ): Generator<Uint8Array, void> {
    yield header
    this.written += header.length
    if (size === 0) return
    for (const piece of data) yield piece ?? nothing
    const padding = (BLOCK - (size % BLOCK)) % BLOCK
    if (padding > 0) yield new Uint8Array(padding)
    this.written += size + padding
  }
}

/**
 * Splits a name into a prefix of at most 155 bytes and a rest of at most 100, at a slash. Null when
 * it does not fit.
 */
function splitName(name: Buffer): { prefix: Buffer; rest: Buffer } | null {
  if (name.length <= 100) return { prefix: Buffer.alloc(0), rest: name }
  const cut = name.subarray(0, Math.min(156, name.length - 1)).lastIndexOf(0x2f)
  const rest = name.subarray(cut + 1)
  return cut > 0 && rest.length > 0 && rest.length <= 100
    ? { prefix: name.subarray(0, cut), rest }
    : null
}

function tarHeader(
  type: string,
  name: Buffer,
  prefix: Buffer,
  link: Buffer,
  mode: number,
  size: number,
  time: number,
): Uint8Array {
  const header = Buffer.alloc(BLOCK)
  name.copy(header, 0, 0, 100)
  header.write(octal(mode, 7), 100, 'latin1')
  header.write(octal(0, 7), 108, 'latin1')
  header.write(octal(0, 7), 116, 'latin1')
  header.write(octal(size >= 0o77777777777 ? 0 : size, 11), 124, 'latin1')
  header.write(octal(Math.min(Math.max(time, 0), 0o77777777777), 11), 136, 'latin1')
  header.fill(0x20, 148, 156)
  header.write(type, 156, 'latin1')
  link.copy(header, 157, 0, 100)
  header.write('ustar\x0000', 257, 'latin1')
  header.write('root', 265, 'latin1')
  header.write('root', 297, 'latin1')
  header.write(octal(0, 7), 329, 'latin1')
  header.write(octal(0, 7), 337, 'latin1')
  prefix.copy(header, 345, 0, 155)
  let sum = 0
  for (const byte of header) sum += byte
  header.write(`${octal(sum, 7)}\0`, 148, 'latin1')
  return header
}

const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0')

/** `<length> key=value\n`; the length includes its own digits. */
function paxRecord(key: string, value: Uint8Array): Buffer {
  const rest = value.length + key.length + 3
  let length = rest + String(rest).length
  length = rest + String(length).length
  return Buffer.concat([Buffer.from(`${length} ${key}=`), value, Buffer.from('\n')])
}
