/**
 * Collects the objects of commits. Trees are compared with the trees of the parents, so a small
 * change costs no more than the directories that it touches.
 */
import type { PackMarks } from '../bitmap/pack-marks.ts'
import { BLOB, COMMIT, TAG, TREE } from '../pack/entry-header.ts'
import { GitError } from '../ports.ts'
import { copyBytes } from '../store/copy-bytes.ts'
import type { ObjectStore } from '../store/object-store.ts'
import { OidMap } from '../store/oid-map.ts'
import type { PackFile } from '../store/pack-file.ts'
import { NO_FILTER, type ObjectFilter } from './object-filter.ts'
import { RecentOids, entryNameEnd } from './recent-oids.ts'

const MAX_DEPTH = 2048

/**
 * Trees up to this many bytes and this depth are copied into buffers that all walks of a thread
 * share.
 */
const SHARED_BUFFER_BYTES = 1 << 14
const MAX_SHARED_DEPTH = 32

/** A tree to compare with. `isKnown` says that the other side has it and everything below it. */
export type BaseTree = {
  readonly bytes: Uint8Array
  readonly at: number
  readonly isKnown: boolean
}

export class ObjectCollector {
  /** Collected objects, except those that are marked. */
  readonly chosen: OidMap
  /**
   * Objects that the other side has, as far as the walk found them. They can be bases in thin
   * packs.
   */
  readonly known = new OidMap(64)
  private readonly scannedTrees = new OidMap(64)
  private readonly filteredOut = new OidMap(64)
  /** With a depth filter: the minimum depth at which a collected tree was walked. */
  private readonly depths = new Map<number, number>()
  private readonly buffers: Buffer[] = []
  private readonly previousVersions = new Map<number, Uint8Array>()
  private readonly byDepth: boolean
  private readonly recent = new RecentOids(1 << 13, 1 << 9)
  /** The id that was looked up last in the pack, and its index position there, or -1. */
  private readonly lastOid = new Uint8Array(20)
  private lastIndexPos = -1

  constructor(
    private readonly store: ObjectStore,
    private readonly filter: ObjectFilter = NO_FILTER,
    /** Marks the collected objects of one pack, which then take no room in `chosen`. */
    private readonly marks: PackMarks | null = null,
    /** Whether to record which object each new object replaces (`previousVersionOf`). */
    private readonly findsPrevious = false,
  ) {
    this.byDepth = filter.treeDepth !== Infinity
    this.chosen = new OidMap(256, store.tables)
  }

  /** Whether an object has been collected. */
  has(oid: Uint8Array, at: number): boolean {
    if (this.marks !== null) {
      const indexPos = this.findInPack(this.marks.pack, oid, at)
      if (indexPos >= 0) return this.marks.has(indexPos)
    }
    return this.chosen.get(oid, at) >= 0
  }

  /** Number of collected objects. */
  get size(): number {
    return (this.marks?.count ?? 0) + this.chosen.size
  }

  /**
   * Returns the collected objects that are not marked, without those that turned out to be known
   * later.
   */
  chosenAndUnknown(): OidMap {
    if (this.known.size === 0) return this.chosen
    const left = new OidMap(this.chosen.size)
    const oids = this.chosen.bytes
    for (let i = 0; i < this.chosen.size; i++)
      if (!this.isKnown(oids, i * 20)) left.add(oids, i * 20)
    return left
  }

  /** Returns the known object that this object replaces, or null. */
  previousVersionOf(oid: Uint8Array, at: number): Uint8Array | null {
    return this.previousVersions.get(this.chosen.get(oid, at)) ?? null
  }

  /** Collects an object. Returns false when it was collected before. */
  choose(oid: Uint8Array, at: number): boolean {
    if (this.marks !== null) {
      const indexPos = this.findInPack(this.marks.pack, oid, at)
      if (indexPos >= 0) return this.marks.add(indexPos)
    }
    this.chosen.add(oid, at)
    return this.chosen.added
  }

  chooseHex(oid: string): boolean {
    return this.choose(Buffer.from(oid, 'hex'), 0)
  }

  /** Collects an object that the client named, whatever the filter says of its type. */
  addNamed(oid: string, type: number): void {
    const raw = Buffer.from(oid, 'hex')
    if (type === TREE) this.walkTree(raw, 0, [], 0, true)
    else this.choose(raw, 0)
  }

  addTag(oid: string): void {
    if (this.filter.type === null || this.filter.type === TAG) this.chooseHex(oid)
  }

  addCommit(oids: Uint8Array, at: number): void {
    if (this.filter.type === null || this.filter.type === COMMIT) this.choose(oids, at)
  }

  /**
   * Collects a root tree and everything below it, except what is known or collected through the
   * trees in `bases`.
   */
  addTree(oids: Uint8Array, at: number, bases: readonly BaseTree[]): void {
    if (this.filter.type === COMMIT || this.filter.type === TAG || this.filter.treeDepth === 0)
      return
    this.walkTree(oids, at, bases, 0, false)
  }

  /**
   * Returns the index position of an id in the pack, or -1. A tree is looked up three times in a
   * row: whether it is collected, to collect it, and to read it.
   */
  private findInPack(pack: PackFile, oid: Uint8Array, at: number): number {
    const { lastOid } = this
    let same = 0
    while (same < 20 && lastOid[same] === oid[at + same]) same++
    if (same < 20) {
      for (let i = same; i < 20; i++) lastOid[i] = oid[at + i]!
      this.lastIndexPos = pack.index.find(oid, at)
    }
    return this.lastIndexPos
  }

  /** Loads an object into the reader's view. Returns false when it is missing. */
  private load(oid: Uint8Array, at: number): boolean {
    const { store } = this
    const pack = this.marks?.pack ?? null
    const indexPos = pack === null ? -1 : this.findInPack(pack, oid, at)
    if (pack === null || indexPos < 0) return store.load(oid, at)
    store.reader.budget?.countStep()
    store.reader.load(pack, pack.index.offset(indexPos))
    return true
  }

  private isKnown(oid: Uint8Array, at: number): boolean {
    return this.known.size > 0 && this.known.get(oid, at) >= 0
  }

  /** Marks a tree and its direct entries as known to the other side. */
  private markTreeKnown(oids: Uint8Array, at: number): void {
    this.known.add(oids, at)
    this.scannedTrees.add(oids, at)
    if (!this.scannedTrees.added || !this.store.load(oids, at)) return
    const { bytes, to, budget } = this.store.reader
    budget?.spendBytes(to - this.store.reader.from)
    let from = this.store.reader.from
    while (from < to) {
      const mode = modeAt(bytes, from)
      const isSubmodule = bytes[mode] === 0x31 && bytes[mode + 1] === 0x36
      while (from < to && bytes[from] !== 0) from++
      from++
      if (from + 20 > to) return
      if (!isSubmodule) this.known.add(bytes, from)
      from += 20
    }
  }

  private walkTree(
    oids: Uint8Array,
    at: number,
    bases: readonly BaseTree[],
    depth: number,
    isNamed: boolean,
  ): void {
    if (depth > MAX_DEPTH) throw new GitError('corrupt', 'a tree is nested too deep')
    if (this.isKnown(oids, at)) return
    for (const base of bases) if (base.isKnown) this.markTreeKnown(base.bytes, base.at)
    if (bases.length > 0 && this.isKnown(oids, at)) return
    if (!this.chooseTree(oids, at, depth, isNamed)) return
    if (this.findsPrevious) this.recordPrevious(oids, at, bases)
    const size = this.copyTree(oids, at, depth)
    const bytes = this.buffers[depth]!
    if (this.byDepth) {
      // An entry nearer to the root may add more below it, so no entry is skipped.
      for (let from = 0; from < size; ) {
        const end = entryNameEnd(bytes, from, size)
        this.visitEntry(bytes, from, end, bases, depth)
        from = end + 21
      }
      return
    }
    for (let from = 0; ; ) {
      const end = this.recent.nextUnseen(bytes, from, size)
      if (end < 0) return
      this.visitEntry(bytes, this.recent.entryStart, end, bases, depth)
      from = end + 21
    }
  }

  /** Processes the entry that starts at `start` and whose name ends at `end`. */
  private visitEntry(
    bytes: Uint8Array,
    start: number,
    end: number,
    bases: readonly BaseTree[],
    depth: number,
  ): void {
    const mode = modeAt(bytes, start)
    if (bytes[mode] === 0x34) {
      if (depth + 1 >= this.filter.treeDepth || this.isDone(bytes, end + 1)) return
      const below = bases.length > 0 ? this.childBases(bases, bytes, start, end) : bases
      this.walkTree(bytes, end + 1, below, depth + 1, false)
    } else if (bytes[mode + 1] !== 0x36) {
      const before = this.chosen.size
      this.addBlob(bytes, end + 1, depth + 1)
      if (this.findsPrevious && this.chosen.size > before)
        this.recordPrevious(bytes, end + 1, this.childBases(bases, bytes, start, end, false))
    }
  }

  /** Collects a tree. Returns false when its entries need no walk. */
  private chooseTree(oids: Uint8Array, at: number, depth: number, isNamed: boolean): boolean {
    if (this.filter.type !== null && this.filter.type !== TREE && !isNamed) {
      this.filteredOut.add(oids, at)
      return this.filteredOut.added
    }
    const isNew = this.choose(oids, at)
    if (!this.byDepth) return isNew
    // A tree at a smaller depth than before has more below it that passes the filter.
    const number = this.chosen.get(oids, at)
    if (!isNew && (this.depths.get(number) ?? Infinity) <= depth) return false
    this.depths.set(number, depth)
    return true
  }

  private isDone(bytes: Uint8Array, at: number): boolean {
    return !this.byDepth && (this.isKnown(bytes, at) || this.has(bytes, at))
  }

  private addBlob(bytes: Uint8Array, at: number, depth: number): void {
    const { blobLimit, treeDepth, type } = this.filter
    if (blobLimit === 0 || depth >= treeDepth || (type !== null && type !== BLOB)) return
    if (this.isKnown(bytes, at)) return
    if (blobLimit !== Infinity) {
      if (this.has(bytes, at) || this.filteredOut.get(bytes, at) >= 0) return
      if (!this.store.locate(bytes, at)) throw missingObject(bytes, at)
      if (this.store.reader.headerAt(this.store.pack, this.store.offset).size >= blobLimit) {
        this.filteredOut.add(bytes, at)
        return
      }
    }
    this.choose(bytes, at)
  }

  /**
   * Records what an object replaces: a known object, or the one that a new object replaced in turn.
   */
  private recordPrevious(oid: Uint8Array, at: number, bases: readonly BaseTree[]): void {
    const number = this.chosen.get(oid, at)
    if (number < 0 || this.previousVersions.has(number)) return
    for (const base of bases) {
      const origin = this.isKnown(base.bytes, base.at)
        ? copyBytes(base.bytes, base.at, base.at + 20)
        : this.previousVersionOf(base.bytes, base.at)
      if (origin === null) continue
      this.previousVersions.set(number, origin)
      return
    }
  }

  /** Returns the entries of the bases with the same name as the entry at `bytes[start]`. */
  private childBases(
    bases: readonly BaseTree[],
    bytes: Uint8Array,
    start: number,
    end: number,
    trees = true,
  ): BaseTree[] {
    const found: BaseTree[] = []
    let name = start
    while (name < end && bytes[name] !== 0x20) name++
    for (const base of bases) {
      if (!this.store.load(base.bytes, base.at)) continue
      const { bytes: tree, from, to, budget } = this.store.reader
      budget?.spendBytes(to - from)
      const at = findEntry(tree, from, to, bytes, name + 1, end, trees)
      if (at < 0) continue
      const oid = copyBytes(tree, at, at + 20)
      found.push({ bytes: oid, at: 0, isKnown: base.isKnown || this.isKnown(oid, 0) })
    }
    return found
  }

  /**
   * Copies a tree into the buffer of its depth, because reading its children overwrites the
   * reader's view.
   */
  private copyTree(oids: Uint8Array, at: number, depth: number): number {
    if (!this.load(oids, at)) throw missingObject(oids, at)
    const { bytes, from, to, type, budget } = this.store.reader
    budget?.spendBytes(to - from)
    if (type !== TREE)
      throw new GitError(
        'corrupt',
        `${Buffer.from(oids.subarray(at, at + 20)).toString('hex')} is not a tree`,
      )
    let buffer = this.buffers[depth]
    if (buffer === undefined || buffer.length < to - from) {
      // Walks of one thread alternate between trees, never within one, so they can share the
      // buffers.
      const common = to - from <= SHARED_BUFFER_BYTES && depth < MAX_SHARED_DEPTH
      buffer = common
        ? (this.store.reader.treeBuffers[depth] ??= Buffer.allocUnsafeSlow(SHARED_BUFFER_BYTES))
        : Buffer.allocUnsafeSlow((to - from) * 2)
      this.buffers[depth] = buffer
    }
    buffer.set(bytes.subarray(from, to), 0)
    return to - from
  }
}

const missingObject = (bytes: Uint8Array, at: number) =>
  new GitError(
    'missing',
    `object ${Buffer.from(bytes.subarray(at, at + 20)).toString('hex')} is missing`,
  )

/**
 * Returns the position of the id of the tree (or file) named `name[nameFrom, nameTo)` in a tree, or
 * -1.
 */
function findEntry(
  tree: Uint8Array,
  from: number,
  to: number,
  name: Uint8Array,
  nameFrom: number,
  nameTo: number,
  trees: boolean,
): number {
  const length = nameTo - nameFrom
  while (from < to) {
    const isTree = tree[modeAt(tree, from)] === 0x34
    while (from < to && tree[from] !== 0x20) from++
    const start = ++from
    while (from < to && tree[from] !== 0) from++
    if (isTree === trees && from - start === length) {
      let i = 0
      while (i < length && tree[start + i] === name[nameFrom + i]) i++
      if (i === length) return from + 1
    }
    from += 21
  }
  return -1
}

/**
 * Returns the position of a mode's first significant digit: some old tools padded modes with zeros.
 */
function modeAt(bytes: Uint8Array, at: number): number {
  while (bytes[at] === 0x30) at++
  return at
}
