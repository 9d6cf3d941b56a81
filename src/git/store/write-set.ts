/**
 * New objects on top of a store. They are readable at once, and are written as one synced pack or
 * discarded.
 */
import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import zlib from 'node:zlib'
import type { CommitSource } from '../history/commit-source.ts'
import type { CommitGraph, CommitNode } from '../history/index.ts'
import { hashObject, parseTree } from '../object.ts'
import { packHeader, typeCode, writeEntryHeader } from '../pack/entry-header.ts'
import { sortRows, writeIndex } from '../pack/index-writer.ts'
import {
  GitError,
  type GitObject,
  type ObjectDatabase,
  type ObjectReader,
  type ObjectType,
  type Oid,
} from '../ports.ts'
import { copyBytes } from './copy-bytes.ts'
import { writeAll } from './hashing-writer.ts'
import { installPack, randomName, writeDurably } from './store-files.ts'

const MAX_UNRESERVED_BYTES = 1 << 20

export class WriteSet implements ObjectDatabase {
  private readonly objects = new Map<Oid, GitObject>()
  private heldBytes = 0
  private readonly releases: (() => void)[] = []
  /** Commits of the store, from the table of parsed commits. */
  readonly commitGraph: CommitGraph | null
  /** The commits that walks have parsed (`history/commit-source.ts`). */
  commitSource: CommitSource | null = null

  /** `maxBytes` bounds the objects in memory. `commit` returns the store's commits. */
  constructor(
    private readonly base: ObjectReader,
    private readonly maxBytes: number,
    commit: ((oid: Oid) => CommitNode) | null = null,
  ) {
    this.commitGraph = commit && { find: (oid) => (this.objects.has(oid) ? null : commit(oid)) }
  }

  get shallowRoots(): ObjectReader['shallowRoots'] {
    return this.base.shallowRoots
  }

  get size(): number {
    return this.objects.size
  }

  read(oid: Oid): GitObject | null {
    return this.objects.get(oid) ?? this.base.read(oid)
  }

  header(oid: Oid): { type: ObjectType; size: number } | null {
    const object = this.objects.get(oid)
    return object ? { type: object.type, size: object.data.length } : this.base.header(oid)
  }

  has(oid: Oid): boolean {
    return this.objects.has(oid) || this.base.has(oid)
  }

  /** Throws GitError `too_large` when the set exceeds its limit. */
  write(type: ObjectType, data: Uint8Array): Oid {
    const oid = hashObject(type, data)
    if (this.objects.has(oid)) return oid
    this.heldBytes += data.length + 200
    if (this.heldBytes > this.maxBytes)
      throw new GitError(
        'too_large',
        `the change has more than ${this.maxBytes} bytes of new objects`,
      )
    if (data.length > MAX_UNRESERVED_BYTES) this.releases.push(this.hold(data.length))
    this.objects.set(oid, { type, data: copyBytes(data) })
    return oid
  }

  /** Releases what large new objects reserve. They must not be used afterwards. */
  releaseMemory(): void {
    for (const release of this.releases.splice(0)) release()
  }

  hold(bytes: number): () => void {
    return this.base.hold?.(bytes) ?? (() => {})
  }

  readStart(oid: Oid, maxBytes: number): (GitObject & { readonly size: number }) | null {
    const object = this.objects.get(oid)
    if (object === undefined) return this.base.readStart?.(oid, maxBytes) ?? null
    const { type, data } = object
    return { type, size: data.length, data: data.subarray(0, maxBytes) }
  }

  /** Removes every object that `roots` do not reach, such as the intermediate trees of a merge. */
  keepReachable(roots: readonly Oid[]): void {
    const reachable = new Map<Oid, GitObject>()
    const stack = [...roots]
    while (stack.length > 0) {
      const oid = stack.pop()!
      const object = this.objects.get(oid)
      if (object === undefined || reachable.has(oid)) continue
      reachable.set(oid, object)
      if (object.type === 'tree') for (const entry of parseTree(object.data)) stack.push(entry.oid)
      else if (object.type === 'commit' || object.type === 'tag')
        stack.push(...headerOids(object.data))
    }
    this.objects.clear()
    for (const [oid, object] of reachable) this.objects.set(oid, object)
  }

  /**
   * Writes the set as one synced pack; an empty set writes nothing. Objects that the store has
   * already are written as well, because they may be in a pending pack that a refused push removes.
   */
  persist(directory: string, tmp: string): void {
    if (this.objects.size === 0) return
    const path = join(tmp, `written-${randomName()}`)
    try {
      this.writePack(path)
      installPack(directory, `${path}.pack`, `${path}.idx`, false)
    } finally {
      rmSync(`${path}.pack`, { force: true })
      rmSync(`${path}.idx`, { force: true })
    }
  }

  private writePack(path: string): void {
    const count = this.objects.size
    const rows = {
      count,
      oids: new Uint8Array(count * 20),
      ids: null,
      crcs: new Uint32Array(count),
      offsets: new Float64Array(count),
    }
    const hasher = new Bun.CryptoHasher('sha1')
    const fd = openSync(`${path}.pack`, 'wx', 0o444)
    try {
      let at = 0
      const put = (bytes: Uint8Array) => {
        hasher.update(bytes)
        writeAll(fd, bytes)
        at += bytes.length
      }
      put(packHeader(count))
      let row = 0
      for (const [oid, { type, data }] of this.objects) {
        const head = new Uint8Array(16)
        const length = writeEntryHeader(head, 0, typeCode(type), data.length)
        const entry = Buffer.concat([head.subarray(0, length), zlib.deflateSync(data)])
        rows.oids.set(Buffer.from(oid, 'hex'), row * 20)
        rows.crcs[row] = zlib.crc32(entry)
        rows.offsets[row++] = at
        put(entry)
      }
      const checksum = new Uint8Array(hasher.digest() as Uint8Array)
      writeAll(fd, checksum)
      fsyncSync(fd)
      writeDurably(`${path}.idx`, (idx) => writeIndex(idx, rows, sortRows(rows), checksum))
    } finally {
      closeSync(fd)
    }
  }
}

/** Returns the ids in the header of a commit or tag. */
function headerOids(data: Uint8Array): Oid[] {
  const text = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('latin1')
  const head = text.slice(0, Math.max(0, text.indexOf('\n\n')))
  return [...head.matchAll(/^(?:tree|parent|object) ([0-9a-f]{40})$/gm)].map((match) => match[1]!)
}
