/**
 * Completes a thin pack: appends the bases that the sender left out, as `git index-pack --fix-thin`
 * does.
 */
import { oidsToBytes } from '../object.ts'
import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import zlib from 'node:zlib'
import { BLOB, packHeader, writeEntryHeader } from './entry-header.ts'
import { GitError } from '../ports.ts'
import { copyBytes } from '../store/copy-bytes.ts'
import { deflatePieces } from '../store/deflate-pieces.ts'
import { MAX_MEMORY_CONTENT_BYTES, type FileContent } from '../store/large-content.ts'
import { readLargeObject } from '../store/large-object.ts'
import { blocksOfFile } from '../store/object-blocks.ts'
import type { OpenStore } from '../tasks/open-store.ts'
import type { Task } from '../tasks/task.ts'
import type { PackReceiver } from './pack-receiver.ts'
import type { DeltaResolver } from './delta-resolver.ts'

/**
 * Resolves the deltas whose bases are in the store, and appends those bases. Returns the checksum
 * of the completed pack. Each base must be visible to the namespace, because a delta on a hidden
 * object would reveal its content.
 */
export function* completeThinPack(
  store: OpenStore,
  receiver: PackReceiver,
  resolver: DeltaResolver,
  tips: Uint8Array,
  limits: { maxObjectBytes: number },
): Task<Uint8Array> {
  const { bases, entries, links } = receiver
  const missingBases = resolver.basesWaitedFor()
  const checksum = receiver.checksum
  if (checksum === null) throw new GitError('corrupt', 'the pack is cut off')
  if (missingBases.length === 0) return checksum
  yield* requireVisible(
    store,
    tips,
    missingBases.map((base) => bases.hex(base)),
  )
  const fd = openSync(receiver.path, 'r+')
  try {
    let end = receiver.size - 20
    const reader = store.objects.reader
    for (const base of missingBases) {
      const oid = bases.bytes.subarray(base * 20, base * 20 + 20)
      const missing = () => new GitError('missing', `object ${bases.hex(base)} is missing`)
      if (!store.objects.locate(oid, 0)) throw missing()
      const { pack, offset } = store.objects
      const { type, size } = reader.headerAt(pack, offset)
      if (size > limits.maxObjectBytes)
        throw new GitError('too_large', `object ${bases.hex(base)} is too large`)
      const append = new EntryAppender(fd, end, type, size)
      if (type === BLOB && size > MAX_MEMORY_CONTENT_BYTES) {
        const content = yield* readLargeObject(reader, pack, offset, receiver.path)
        resolver.keepFile(content)
        yield* append.deflateFile(content)
        for (const _ of resolver.runFromFile(base, type, content)) yield 'pause'
      } else {
        reader.load(pack, offset)
        const data = copyBytes(reader.bytes, reader.from, reader.to)
        append.deflate(data)
        for (const _ of resolver.runFromBase(base, type, data)) yield 'pause'
      }
      const row = entries.add(type, end, size, append.headerBytes, -1)
      entries.crcs[row] = append.crc
      entries.ids[row] = links.addOwned(oid, 0)
      end = append.end
    }
    return rewriteHeaderAndTrailer(fd, entries.count, end)
  } finally {
    closeSync(fd)
  }
}

/** Appends one whole object to a pack. */
class EntryAppender {
  readonly headerBytes: number
  crc = 0
  end: number

  constructor(
    private readonly fd: number,
    offset: number,
    type: number,
    size: number,
  ) {
    this.end = offset
    const header = new Uint8Array(16)
    this.headerBytes = writeEntryHeader(header, 0, type, size)
    this.append(header.subarray(0, this.headerBytes))
  }

  deflate(data: Uint8Array): void {
    this.append(zlib.deflateSync(data))
  }

  *deflateFile(content: FileContent): Generator<'pause', void, unknown> {
    for (const piece of deflatePieces(blocksOfFile(content))) {
      this.append(piece)
      yield 'pause'
    }
  }

  private append(bytes: Uint8Array): void {
    writeAt(this.fd, bytes, this.end)
    this.crc = zlib.crc32(bytes, this.crc)
    this.end += bytes.length
  }
}

/** Throws GitError `missing` for the first id that is not visible. */
function* requireVisible(store: OpenStore, tips: Uint8Array, oids: readonly string[]): Task<void> {
  const reach = store.reach(tips)
  const others: string[] = []
  for (const oid of oids) {
    const header = store.objects.header(oid)
    if (header === null) throw new GitError('missing', `the base ${oid} of a delta is missing`)
    if (
      header.type === 'commit' ? reach.has(store.commits.numberOf(oid), true) : reach.isNamed(oid)
    )
      continue
    if (header.type === 'commit' || header.type === 'tag')
      throw new GitError('missing', `the base ${oid} of a delta is missing`)
    others.push(oid)
  }
  if (others.length === 0) return
  const hidden = yield* store.visible(tips).firstHidden(oidsToBytes(others))
  if (hidden !== null) throw new GitError('missing', `the base ${hidden} of a delta is missing`)
}

/** Writes the new object count into the header and the new checksum at the end. */
function rewriteHeaderAndTrailer(fd: number, count: number, end: number): Uint8Array {
  writeAt(fd, packHeader(count), 0)
  const hasher = new Bun.CryptoHasher('sha1')
  const buffer = new Uint8Array(1 << 18)
  for (let at = 0; at < end; ) {
    const got = readSync(fd, buffer, 0, Math.min(buffer.length, end - at), at)
    if (got === 0) throw new GitError('corrupt', 'the temporary pack is cut off')
    hasher.update(buffer.subarray(0, got))
    at += got
  }
  const sum = new Uint8Array(hasher.digest() as Uint8Array)
  writeAt(fd, sum, end)
  return sum
}

function writeAt(fd: number, bytes: Uint8Array, position: number): void {
  for (let at = 0; at < bytes.length; )
    at += writeSync(fd, bytes, at, bytes.length - at, position + at)
}
