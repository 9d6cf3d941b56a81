/** Reads all data of a store and reports damage (git-fsck and git-verify-pack together). */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import zlib from 'node:zlib'
import { HASH_PREFIX_BYTES, hashObjectInto } from '../pack/object-hash.ts'
import { checkObject, type LinkVisitor } from '../pack/fsck.ts'
import { BLOB, COMMIT } from '../pack/entry-header.ts'
import { bytesToOid, parseCommit } from '../object.ts'
import { GitError, type Oid } from '../ports.ts'
import { CommitGraph } from '../store/commit-graph.ts'
import { MAX_MEMORY_CONTENT_BYTES } from '../store/large-content.ts'
import type { ObjectStore } from '../store/object-store.ts'
import { readMtimes } from '../store/mtimes.ts'
import { OidMap } from '../store/oid-map.ts'
import type { PackFile } from '../store/pack-file.ts'
import { PackIndex } from '../store/pack-index.ts'
import { isReverseIndexDamaged } from '../store/reverse-index.ts'
import type { OpenStore } from './open-store.ts'
import type { Task } from './task.ts'

const GRAPH_DAMAGED = 'the commit-graph is damaged'
const MAX_LINES = 1000
const BUFFER_BYTES = 1 << 20

export function* verifyTask(store: OpenStore, tips: readonly Oid[]): Task<string[]> {
  const { objects } = store
  const faults: string[] = []
  const report = (line: string) => {
    if (faults.length < MAX_LINES) faults.push(line)
  }
  const linked = new OidMap(1024)
  // The store does not record which objects were imported, so the relaxed rules apply.
  const links: LinkVisitor = {
    imported: true,
    link: (bytes, at) => void linked.add(bytes, at),
    settings: () => {},
  }
  objects.pin()
  try {
    objects.refresh()
    let hasDamagedIndex = false
    for (const pack of objects.packs) {
      try {
        if (!isIndexSound(pack)) throw new GitError('corrupt', 'the index is damaged')
        if (pack.bitmap === null && existsSync(`${pack.base}.bitmap`))
          report(`${pack.name}: the bitmap is damaged`)
        if (isReverseIndexDamaged(pack.base, pack.index))
          report(`${pack.name}: the order is damaged`)
        if (existsSync(`${pack.base}.mtimes`) && readMtimes(pack.base, pack.index) === null)
          report(`${pack.name}: the times are damaged`)
        yield* verifyChecksum(pack, report)
        yield* verifyEntries(store, pack, links, report)
      } catch (error) {
        if (!(error instanceof GitError)) throw error
        hasDamagedIndex = true
        report(`${pack.name}: ${error.message.replace(`${pack.name}: `, '')}`)
      }
    }
    // The objects of a pack with a damaged index are unknown, so checks across packs would report
    // false errors.
    if (hasDamagedIndex) return faults
    yield* verifyGraph(store, report)
    const oids = linked.bytes
    for (let i = 0; i < linked.size; i++) {
      if (i % 4096 === 4095) yield 'pause'
      if (!objects.has(linked.hex(i)))
        report(
          `object ${Buffer.from(oids.subarray(i * 20, i * 20 + 20)).toString('hex')} is missing`,
        )
    }
    for (const tip of tips)
      if (!objects.has(tip)) report(`object ${tip} is missing, a ref points at it`)
  } finally {
    objects.unpin()
  }
  return faults
}

/** The store lacks the parents of a shallow root. */
const withoutParents = (links: LinkVisitor): LinkVisitor => ({
  imported: links.imported,
  link: (bytes, at, type) => void (type !== COMMIT && links.link(bytes, at, type)),
  settings: () => {},
})

/** Whether the index can be parsed and matches its checksum. */
function isIndexSound(pack: PackFile): boolean {
  try {
    PackIndex.open(`${pack.base}.idx`)
  } catch (error) {
    if (error instanceof GitError) return false
    throw error
  }
  const { raw } = pack.index
  return (
    Buffer.compare(
      Bun.SHA1.hash(raw.subarray(0, raw.length - 20)) as Uint8Array,
      raw.subarray(raw.length - 20),
    ) === 0
  )
}

/** The CRC of bytes of a pack, read in blocks. */
function* entryCrc(pack: PackFile, from: number, to: number, buffer: Buffer): Task<number> {
  let crc = 0
  for (let at = from; at < to; ) {
    const got = pack.read(buffer, 0, Math.min(buffer.length, to - at), at)
    if (got === 0) break
    crc = zlib.crc32(buffer.subarray(0, got), crc)
    at += got
    if (at < to) yield 'pause'
  }
  return crc
}

/** The id that the content of a blob gives, which is read in blocks. */
function* largeBlobId(objects: ObjectStore, pack: PackFile, offset: number): Task<string> {
  const { size } = objects.reader.headerAt(pack, offset)
  const hasher = new Bun.CryptoHasher('sha1').update(`blob ${size}\0`)
  for (const block of objects.reader.blocksAt(pack, offset)) {
    if (block !== null) hasher.update(block)
    yield 'pause'
  }
  return hasher.digest('hex')
}

/**
 * Compares the commit-graph with its checksum and with the commits (git-commit-graph, "verify").
 */
function* verifyGraph({ objects }: OpenStore, report: (line: string) => void): Task<void> {
  const graph = CommitGraph.open(objects.directory)
  if (graph === null) {
    if (existsSync(join(objects.directory, 'objects', 'info', 'commit-graph')))
      report(GRAPH_DAMAGED)
    return
  }
  for (let position = 0; position < graph.count; position++) {
    if (position % 256 === 255) yield 'pause'
    const oid = bytesToOid(graph.raw, graph.oidAt(position))
    try {
      const node = graph.find(oid)
      const object = objects.read(oid)
      const commit = object === null ? null : parseCommit(oid, object.data)
      if (
        commit !== null &&
        node?.tree === commit.tree &&
        (node.parents.join() === commit.parents.join() || objects.shallowRoots?.has(oid))
      )
        continue
    } catch (error) {
      if (!(error instanceof GitError)) throw error
    }
    return report(GRAPH_DAMAGED)
  }
}

/** Compares the pack with its checksum. */
function* verifyChecksum(pack: PackFile, report: (line: string) => void): Task<void> {
  const hasher = new Bun.CryptoHasher('sha1')
  const buffer = new Uint8Array(BUFFER_BYTES)
  const end = pack.size - 20
  for (let at = 0; at < end; ) {
    const got = pack.read(buffer, 0, Math.min(BUFFER_BYTES, end - at), at)
    if (got === 0) break
    hasher.update(buffer.subarray(0, got))
    at += got
    yield 'pause'
  }
  if (Buffer.compare(hasher.digest() as Uint8Array, pack.index.packChecksum) !== 0)
    report(`${pack.name}: the pack does not match its checksum`)
}

function* verifyEntries(
  store: OpenStore,
  pack: PackFile,
  links: LinkVisitor,
  report: (line: string) => void,
): Task<void> {
  const { index } = pack
  const { reader } = store.objects
  const { indexPositions, offsets } = pack.reverseIndex.all
  let scratch = new Uint8Array(1 << 16)
  const buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES)
  const otherContent = (name: string): string =>
    `${pack.name}: object ${name} has other content than its id says`
  const oid = new Uint8Array(20)
  for (let i = 0; i < indexPositions.length; i++) {
    if (i % 256 === 255) yield 'pause'
    const indexPos = indexPositions[i]!
    const offset = offsets[i]!
    const end = offsets[i + 1]!
    const name = index.oid(indexPos)
    try {
      if ((yield* entryCrc(pack, offset, end, buffer)) !== index.crc(indexPos))
        report(`${pack.name}: the entry of object ${name} is damaged`)
      const { type, size } = reader.headerAt(pack, offset)
      if (type === BLOB && size > MAX_MEMORY_CONTENT_BYTES) {
        if ((yield* largeBlobId(store.objects, pack, offset)) !== name) report(otherContent(name))
        continue
      }
      reader.load(pack, offset)
      if (scratch.length < size + HASH_PREFIX_BYTES)
        scratch = new Uint8Array((size + HASH_PREFIX_BYTES) * 2)
      scratch.set(reader.bytes.subarray(reader.from, reader.to), HASH_PREFIX_BYTES)
      hashObjectInto(reader.type, scratch, HASH_PREFIX_BYTES, size, oid)
      if (Buffer.from(oid).toString('hex') !== name) report(otherContent(name))
      else if (reader.type !== BLOB) {
        const isRoot = store.objects.shallowRoots?.has(name) ?? false
        const visitor = isRoot ? withoutParents(links) : links
        checkObject(reader.type, scratch, HASH_PREFIX_BYTES, HASH_PREFIX_BYTES + size, visitor)
      }
    } catch (error) {
      if (!(error instanceof GitError)) throw error
      report(`object ${name}: ${error.message}`)
    }
  }
}
