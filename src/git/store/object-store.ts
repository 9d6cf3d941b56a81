/**
 * All objects of one store, read from its packs by one thread. Packs that other threads add are
 * found on a miss.
 */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { EMPTY_TREE } from '../object.ts'
import { typeName } from '../pack/entry.ts'
import { GitError, type GitObject, type ObjectReader, type ObjectType, type Oid } from '../ports.ts'
import { CommitGraph } from './commit-graph.ts'
import { copyBytes } from './copy-bytes.ts'
import type { EntryReader } from './entry-reader.ts'
import { listPacks, packDirectory } from './files.ts'
import { PackFile } from './pack-file.ts'

const emptyTree = Buffer.from(EMPTY_TREE, 'hex')

export class ObjectStore implements ObjectReader {
  /** Where the last successful `locate` found its object. */
  pack!: PackFile
  offset = 0
  place = 0

  private list: PackFile[] = []
  private last: PackFile | null = null
  private stamp = -1
  /** Packs that are gone from the directory, closed when no long work holds the store. */
  private retired: PackFile[] = []
  private graph: CommitGraph | null | undefined = undefined
  private pins = 0
  private leaving = false
  private readonly key = Buffer.alloc(20)

  constructor(
    readonly directory: string,
    readonly reader: EntryReader,
  ) {
    this.refresh()
  }

  /** The commit-graph of the store, or null; walks over history take commits from it. */
  get commitGraph(): CommitGraph | null {
    if (this.graph === undefined) this.graph = CommitGraph.open(this.directory)
    return this.graph
  }

  /** The packs known now. */
  get packs(): readonly PackFile[] {
    return this.list
  }

  /** Looks at the directory again, if it changed since the last look; says whether anything did. */
  refresh(): boolean {
    const path = packDirectory(this.directory)
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
    if (!stat) throw new GitError('missing', 'there is no such store')
    const stamp = Number(stat.mtimeNs / 1000n)
    if (stamp === this.stamp) return false
    // File times are coarse: a directory that changed just now may change again under the same
    // time.
    const age = (performance.timeOrigin + performance.now()) * 1000 - stamp
    const known = new Map(this.list.map((pack) => [pack.name, pack]))
    const next: PackFile[] = []
    let changed = false
    for (const name of listPacks(this.directory)) {
      const have = known.get(name)
      if (have) known.delete(name)
      else changed = true
      next.push(have ?? new PackFile(join(path, name)))
    }
    for (const gone of known.values()) this.retired.push(gone)
    changed ||= known.size > 0
    this.list = next
    if (this.last && !next.includes(this.last)) this.last = null
    this.stamp = age > 50_000 ? stamp : -1
    this.closeRetired()
    return changed
  }

  /** Looks at the directory again, whatever its time says. */
  lookAgain(): void {
    this.stamp = -1
    this.refresh()
  }

  /** Keeps packs open that long work reads from, even when maintenance removes them. */
  pin(): void {
    this.pins++
  }

  unpin(): void {
    this.pins--
    if (this.leaving && this.pins === 0) this.close()
    else this.closeRetired()
  }

  /** Closes the files now, or when the last long work is over. */
  leave(): void {
    this.leaving = true
    if (this.pins === 0) this.close()
  }

  get pinned(): boolean {
    return this.pins > 0
  }

  close(): void {
    for (const pack of this.list) pack.close()
    for (const pack of this.retired) pack.close()
    this.retired = []
    this.list = []
    this.last = null
    this.stamp = -1
    this.graph = undefined
  }

  /**
   * Finds an object by its raw id in the packs known now; `pack`, `offset` and `place` tell where.
   */
  locateKnown(oid: Uint8Array, at: number): boolean {
    this.reader.meter?.step()
    if (this.last !== null && this.locateIn(this.last, oid, at)) return true
    for (const pack of this.list) {
      if (pack === this.last) continue
      if (this.locateIn(pack, oid, at)) {
        this.last = pack
        return true
      }
    }
    return false
  }

  /** The same, looking at the directory again on a miss. */
  locate(oid: Uint8Array, at: number): boolean {
    return this.locateKnown(oid, at) || (this.refresh() && this.locateKnown(oid, at))
  }

  /**
   * Loads the object into the reader's view (`reader.bytes`, `from`, `to`, `type`); false when it
   * is not there.
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

  /** Whether a pack has it that is there to stay. */
  hasSettled(oid: Oid): boolean {
    this.setKey(oid)
    return this.present().some((pack) => !pack.isPending() && pack.index.find(this.key, 0) >= 0)
  }

  header(oid: Oid): { type: ObjectType; size: number } | null {
    this.setKey(oid)
    if (!this.locate(this.key, 0)) return oid === EMPTY_TREE ? { type: 'tree', size: 0 } : null
    const { type, size } = this.reader.headerAt(this.pack, this.offset)
    return { type: typeName(type), size }
  }

  read(oid: Oid): GitObject | null {
    this.setKey(oid)
    if (!this.load(this.key, 0)) return null
    const { bytes, from, to, type } = this.reader
    return { type: typeName(type), data: copyBytes(bytes, from, to) }
  }

  view(oid: Oid): GitObject | null {
    this.setKey(oid)
    if (!this.load(this.key, 0)) return null
    const { bytes, from, to, type } = this.reader
    return { type: typeName(type), data: bytes.subarray(from, to) }
  }

  /** The ids that begin with a prefix, at most `limit`. */
  expand(prefix: string, limit: number): Oid[] {
    this.refresh()
    const found = new Set<Oid>()
    for (const { index } of this.present()) {
      const [from, to] = index.range(prefix)
      for (let place = from; place < to && found.size < limit; place++) found.add(index.oid(place))
    }
    return [...found]
  }

  private loadEmptyTree(oid: Uint8Array, at: number): boolean {
    for (let i = 0; i < 20; i++) if (oid[at + i] !== emptyTree[i]) return false
    this.reader.setEmptyTree()
    return true
  }

  private locateIn(pack: PackFile, oid: Uint8Array, at: number): boolean {
    const index = pack.indexIfThere
    if (index === null) {
      this.stamp = -1
      return false
    }
    const place = index.find(oid, at)
    if (place < 0) return false
    this.pack = pack
    this.place = place
    this.offset = index.offset(place)
    return true
  }

  private setKey(oid: Oid): void {
    if (oid.length !== 40 || this.key.write(oid, 'hex') !== 20) {
      throw new GitError('invalid', `"${oid.slice(0, 60)}" is not an object id`)
    }
  }

  /**
   * The packs, each opened. The directory is looked at again when maintenance removed one before
   * that.
   */
  private present(): readonly PackFile[] {
    if (this.list.some((pack) => pack.indexIfThere === null)) this.lookAgain()
    return this.list.filter((pack) => pack.indexIfThere !== null)
  }

  private closeRetired(): void {
    if (this.pins > 0) return
    for (const pack of this.retired) pack.close()
    this.retired = []
  }
}
