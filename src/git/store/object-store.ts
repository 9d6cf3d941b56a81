/**
 * Reads the objects of one store on one thread. After a miss it lists the directory again, which
 * finds the packs of other threads.
 */
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { EMPTY_TREE } from '../object.ts'
import { typeName } from '../pack/entry-header.ts'
import { GitError, type GitObject, type ObjectReader, type ObjectType, type Oid } from '../ports.ts'
import type { CommitSource } from '../history/commit-source.ts'
import { CommitGraph } from './commit-graph.ts'
import { copyBytes } from './copy-bytes.ts'
import type { EntryReader } from './entry-reader.ts'
import { listPacks, packDirectory } from './store-files.ts'
import type { WholeEntry } from './inflate-entry.ts'
import { MAX_MEMORY_CONTENT_BYTES } from './large-content.ts'
import { PackFile } from './pack-file.ts'
import { HEAP_TABLES, type Tables } from './tables.ts'
import { readShallowRoots, type ShallowRoots } from './shallow-roots.ts'

const EMPTY_TREE_OID = Buffer.from(EMPTY_TREE, 'hex')

export class ObjectStore implements ObjectReader {
  /** The commits that walks have parsed (`history/commit-source.ts`). */
  commitSource: CommitSource | null = null

  /** Location of the object that the last successful `locate` found. */
  pack!: PackFile
  offset = 0
  indexPos = 0

  private knownPacks: PackFile[] = []
  private lastHit: PackFile | null = null
  private directoryMtimeUs = -1
  /** Packs removed from the directory. They are closed when no task pins the store. */
  private retired: PackFile[] = []
  private graph: CommitGraph | null | undefined = undefined
  private roots: ShallowRoots | null = null
  private pins = 0
  private closing = false
  private readonly key = Buffer.alloc(20)

  constructor(
    readonly directory: string,
    readonly reader: EntryReader,
    /** For tables that grow with the store. */
    readonly tables: Tables = HEAP_TABLES,
  ) {
    this.refresh()
  }

  /** The commit-graph of the store, or null. History walks read commits from it. */
  get commitGraph(): CommitGraph | null {
    if (this.graph === undefined) this.graph = CommitGraph.open(this.directory)
    return this.graph
  }

  /** Commits at which history ends although they name parents; null without any. */
  get shallowRoots(): ShallowRoots | null {
    return this.roots
  }

  /**
   * Reads the present shallow roots, without listing the packs. Throws GitError `missing` when there
   * is no such store.
   */
  readShallowRoots(): ShallowRoots | null {
    const roots = readShallowRoots(this.directory)
    if (roots === null && !existsSync(packDirectory(this.directory)))
      throw new GitError('missing', 'there is no such store')
    return roots
  }

  /** The packs of the last directory listing. */
  get packs(): readonly PackFile[] {
    return this.knownPacks
  }

  /**
   * Lists the directory again when its modification time changed. Returns whether the packs
   * changed.
   */
  refresh(): boolean {
    const path = packDirectory(this.directory)
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
    if (!stat) throw new GitError('missing', 'there is no such store')
    const stamp = Number(stat.mtimeNs / 1000n)
    if (stamp === this.directoryMtimeUs) return false
    // File times are coarse: a directory may change again within the same time stamp. So a stamp
    // younger than 50 ms is not trusted.
    const age = (performance.timeOrigin + performance.now()) * 1000 - stamp
    const known = new Map(this.knownPacks.map((pack) => [pack.name, pack]))
    const next: PackFile[] = []
    let changed = false
    for (const name of listPacks(this.directory)) {
      const existing = known.get(name)
      if (existing) known.delete(name)
      else changed = true
      next.push(existing ?? new PackFile(join(path, name), this.tables))
    }
    for (const removed of known.values()) this.retired.push(removed)
    changed ||= known.size > 0
    this.knownPacks = next
    // Written before the pack of such a commit is installed.
    if (changed) this.roots = readShallowRoots(this.directory)
    if (this.lastHit && !next.includes(this.lastHit)) this.lastHit = null
    this.directoryMtimeUs = age > 50_000 ? stamp : -1
    this.closeRetired()
    return changed
  }

  /** Lists the directory again, whatever its modification time is. */
  forceRefresh(): void {
    this.directoryMtimeUs = -1
    this.refresh()
  }

  /** Keeps packs open for a task, even when maintenance removes them. */
  pin(): void {
    this.pins++
  }

  unpin(): void {
    this.pins--
    if (this.closing && this.pins === 0) this.close()
    else this.closeRetired()
  }

  /** Closes the files now, or when the last task unpins the store. */
  closeWhenUnpinned(): void {
    this.closing = true
    if (this.pins === 0) this.close()
  }

  get isPinned(): boolean {
    return this.pins > 0
  }

  close(): void {
    for (const pack of this.knownPacks) pack.close()
    for (const pack of this.retired) pack.close()
    this.retired = []
    this.knownPacks = []
    this.lastHit = null
    this.directoryMtimeUs = -1
    this.graph = undefined
  }

  /** Finds an object by its raw id in the known packs and sets `pack`, `offset` and `indexPos`. */
  locateKnown(oid: Uint8Array, at: number): boolean {
    this.reader.budget?.countStep()
    if (this.lastHit !== null && this.locateIn(this.lastHit, oid, at)) return true
    for (const pack of this.knownPacks) {
      if (pack === this.lastHit) continue
      if (this.locateIn(pack, oid, at)) {
        this.lastHit = pack
        return true
      }
    }
    return false
  }

  /** As `locateKnown`, and lists the directory again after a miss. */
  locate(oid: Uint8Array, at: number): boolean {
    return this.locateKnown(oid, at) || (this.refresh() && this.locateKnown(oid, at))
  }

  /**
   * Loads an object into the reader's view (`reader.bytes`, `from`, `to`, `type`). Returns false
   * when it is missing.
   */
  load(oid: Uint8Array, at: number): boolean {
    if (!this.locate(oid, at)) return this.loadEmptyTree(oid, at)
    this.reader.load(this.pack, this.offset)
    return true
  }

  has(oid: Oid): boolean {
    this.setKey(oid)
    return this.locate(this.key, 0)
  }

  /** Whether a pack that is not pending has the object. */
  hasSettled(oid: Oid): boolean {
    this.setKey(oid)
    return this.readablePacks().some(
      (pack) => !pack.isPending() && pack.index.find(this.key, 0) >= 0,
    )
  }

  header(oid: Oid): { type: ObjectType; size: number } | null {
    this.setKey(oid)
    if (!this.locate(this.key, 0)) return oid === EMPTY_TREE ? { type: 'tree', size: 0 } : null
    const { type, size } = this.reader.headerAt(this.pack, this.offset)
    return { type: typeName(type), size }
  }

  /** Where an object is that is not stored as a delta; null for deltas and missing objects. */
  wholeEntry(oid: Oid): WholeEntry | null {
    this.setKey(oid)
    if (!this.locate(this.key, 0)) return null
    const { pack, offset } = this
    const { size, base, headerBytes } = this.reader.entryAt(pack, offset)
    return base >= 0 ? null : { pack, dataAt: offset + headerBytes, size }
  }

  read(oid: Oid): GitObject | null {
    this.setKey(oid)
    if (!this.load(this.key, 0)) return null
    const type = typeName(this.reader.type)
    return { type, data: this.reader.takeView() }
  }

  readStart(oid: Oid, maxBytes: number): (GitObject & { readonly size: number }) | null {
    this.setKey(oid)
    if (!this.locate(this.key, 0))
      return oid === EMPTY_TREE ? { type: 'tree', size: 0, data: new Uint8Array() } : null
    const { pack, offset, reader } = this
    const { type, size } = reader.headerAt(pack, offset)
    const of = (data: Uint8Array) => ({ type: typeName(type), size, data })
    if (maxBytes <= 0) return of(new Uint8Array())
    if (size > MAX_MEMORY_CONTENT_BYTES && size > maxBytes)
      return of(reader.startAt(pack, offset, maxBytes))
    reader.load(pack, offset)
    const data = reader.takeView()
    return of(size > maxBytes ? copyBytes(data, 0, maxBytes) : data)
  }

  blocks(oid: Oid): Generator<Uint8Array | null, void> {
    this.setKey(oid)
    if (!this.locate(this.key, 0)) throw new GitError('missing', `object ${oid} is missing`)
    return this.reader.blocksAt(this.pack, this.offset)
  }

  hold(bytes: number): () => void {
    return this.reader.hold(bytes)
  }

  view(oid: Oid): GitObject | null {
    this.setKey(oid)
    if (!this.load(this.key, 0)) return null
    const { bytes, from, to, type } = this.reader
    return { type: typeName(type), data: bytes.subarray(from, to) }
  }

  viewBoth(first: Oid, second: Oid): readonly [GitObject, GitObject] | null {
    const early = this.view(first)
    if (early === null) return null
    const { pack, offset, reader } = this
    const isLasting = reader.isInArena(pack, offset, early.data)
    const kept = isLasting ? early : { ...early, data: reader.takeView() }
    const late = this.view(second)
    if (late === null) return null
    // Reading the second may have taken the place of the first.
    if (!isLasting || reader.isInArena(pack, offset, early.data)) return [kept, late]
    const again = this.read(first)
    return again && [again, this.view(second) ?? late]
  }

  /** Returns the ids that begin with a prefix, at most `limit`. */
  expand(prefix: string, limit: number): Oid[] {
    this.refresh()
    const found = new Set<Oid>()
    for (const { index } of this.readablePacks()) {
      const [from, to] = index.range(prefix)
      for (let indexPos = from; indexPos < to && found.size < limit; indexPos++)
        found.add(index.oid(indexPos))
    }
    return [...found]
  }

  /** The number of objects, as git counts them for abbreviations. */
  approximateCount(): number {
    return this.readablePacks().reduce((sum, { index }) => sum + index.count, 0)
  }

  private loadEmptyTree(oid: Uint8Array, at: number): boolean {
    for (let i = 0; i < 20; i++) if (oid[at + i] !== EMPTY_TREE_OID[i]) return false
    this.reader.setEmptyTree()
    return true
  }

  private locateIn(pack: PackFile, oid: Uint8Array, at: number): boolean {
    const index = pack.indexOrNull
    if (index === null) {
      this.directoryMtimeUs = -1
      return false
    }
    const indexPos = index.find(oid, at)
    if (indexPos < 0) return false
    this.pack = pack
    this.indexPos = indexPos
    this.offset = index.offset(indexPos)
    return true
  }

  private setKey(oid: Oid): void {
    if (oid.length !== 40 || this.key.write(oid, 'hex') !== 20) {
      throw new GitError('invalid', `"${oid.slice(0, 60)}" is not an object id`)
    }
  }

  /**
   * Returns the packs whose index can be opened. When maintenance has removed one, the directory is
   * listed again first.
   */
  private readablePacks(): readonly PackFile[] {
    if (this.knownPacks.some((pack) => pack.indexOrNull === null)) this.forceRefresh()
    return this.knownPacks.filter((pack) => pack.indexOrNull !== null)
  }

  private closeRetired(): void {
    if (this.pins > 0) return
    for (const pack of this.retired) pack.close()
    this.retired = []
  }
}
