/**
 * Gathers the objects of commits. Trees are compared with those of the commits' parents, so that a
 * small change costs no more than the directories that it touches.
 */
import { bitWords, getBit, setBit } from '../bitmap/bits.ts'
import { BLOB, COMMIT, TAG, TREE } from '../pack/entry.ts'
import { GitError } from '../ports.ts'
import { copyBytes } from '../store/copy-bytes.ts'
import type { ObjectStore } from '../store/object-store.ts'
import { OidMap } from '../store/oid-map.ts'
import type { PackFile } from '../store/pack-file.ts'
import { NO_FILTER, type Filter } from './filter.ts'
import { RecentOids, nameEnd } from './recent.ts'

const MAX_DEPTH = 2048

/**
 * Trees up to so many bytes, so deep at most, are looked at in memory that all walks of a thread
 * share.
 */
const COMMON = 1 << 14
const MOST_COMMON = 32
const commonBuffers: Buffer[] = []

/** A tree to compare with; `known` when the other side has it and everything below. */
export type Base = { readonly bytes: Uint8Array; readonly at: number; readonly known: boolean }

export class Collector {
  /** What is to be sent, less what `bits` has. */
  readonly chosen = new OidMap(256)
  /** With a pack that has bitmaps: its objects that are to be sent, by rank. */
  readonly bits: Uint32Array | null
  /**
   * What the other side is known to have, as far as the walk came upon it: bases for thin packs.
   */
  readonly known = new OidMap(64)
  private readonly scanned = new OidMap(64)
  private readonly refused = new OidMap(64)
  /** With a depth filter: the least depth at which a chosen tree was walked. */
  private readonly depths = new Map<number, number>()
  private readonly buffers: Buffer[] = []
  private readonly origins = new Map<number, Uint8Array>()
  private readonly byDepth: boolean
  private readonly recent = new RecentOids(1 << 13, 1 << 9)

  constructor(
    private readonly store: ObjectStore,
    private readonly filter: Filter = NO_FILTER,
    readonly pack: PackFile | null = null,
    /** Whether to note what each new object replaces (`originOf`). */
    private readonly traces = false,
  ) {
    this.byDepth = filter.treeDepth !== Infinity
    this.bits = pack === null ? null : new Uint32Array(bitWords(pack.index.count))
  }

  /** Whether an object is chosen already. */
  has(oid: Uint8Array, at: number): boolean {
    if (this.pack !== null) {
      const place = this.pack.index.find(oid, at)
      if (place >= 0) return getBit(this.bits!, this.pack.order.rankOf(place))
    }
    return this.chosen.get(oid, at) >= 0
  }

  /** What is chosen less what turned out to be known after it had been chosen. */
  unknown(): OidMap {
    if (this.known.size === 0) return this.chosen
    const left = new OidMap(this.chosen.size)
    const oids = this.chosen.bytes
    for (let i = 0; i < this.chosen.size; i++)
      if (!this.isKnown(oids, i * 20)) left.add(oids, i * 20)
    return left
  }

  /** A known object that stood where this one stands now, or null. */
  originOf(oid: Uint8Array, at: number): Uint8Array | null {
    return this.origins.get(this.chosen.get(oid, at)) ?? null
  }

  /** Chooses an object; false when it was chosen already. */
  take(oid: Uint8Array, at: number): boolean {
    if (this.pack !== null) {
      const place = this.pack.index.find(oid, at)
      if (place >= 0) {
        const rank = this.pack.order.rankOf(place)
        if (getBit(this.bits!, rank)) return false
        setBit(this.bits!, rank)
        return true
      }
    }
    this.chosen.add(oid, at)
    return this.chosen.added
  }

  /** Adds one object that the other side named, whatever the filter says of its kind. */
  addNamed(oid: string, type: number): void {
    const raw = Buffer.from(oid, 'hex')
    if (type === TREE) this.walkTree(raw, 0, [], 0, true)
    else this.take(raw, 0)
  }

  addTag(oid: string): void {
    if (this.filter.type === null || this.filter.type === TAG) this.take(Buffer.from(oid, 'hex'), 0)
  }

  addCommit(oids: Uint8Array, at: number): void {
    if (this.filter.type === null || this.filter.type === COMMIT) this.take(oids, at)
  }

  /**
   * Adds a root tree and what is below it, less what the trees in `bases` hold and is known or
   * chosen.
   */
  addTree(oids: Uint8Array, at: number, bases: readonly Base[]): void {
    if (this.filter.type === COMMIT || this.filter.type === TAG || this.filter.treeDepth === 0)
      return
    this.walkTree(oids, at, bases, 0, false)
  }

  private isKnown(oid: Uint8Array, at: number): boolean {
    return this.known.size > 0 && this.known.get(oid, at) >= 0
  }

  /** Marks a tree and the entries right below it as known to the other side. */
  private scan(oids: Uint8Array, at: number): void {
    this.known.add(oids, at)
    this.scanned.add(oids, at)
    if (!this.scanned.added || !this.store.load(oids, at)) return
    const { bytes, to, meter } = this.store.reader
    meter?.spend(to - this.store.reader.from)
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
    bases: readonly Base[],
    depth: number,
    named: boolean,
  ): void {
    if (depth > MAX_DEPTH) throw new GitError('corrupt', 'a tree is nested too deep')
    if (this.isKnown(oids, at)) return
    for (const base of bases) if (base.known) this.scan(base.bytes, base.at)
    if (bases.length > 0 && this.isKnown(oids, at)) return
    if (!this.enter(oids, at, depth, named)) return
    if (this.traces) this.trace(oids, at, bases)
    const size = this.copy(oids, at, depth)
    const bytes = this.buffers[depth]!
    if (this.byDepth) {
      // The same entry may matter again nearer to the root: none is passed over.
      for (let from = 0; from < size; ) {
        const end = nameEnd(bytes, from, size)
        this.enterEntry(bytes, from, end, bases, depth)
        from = end + 21
      }
      return
    }
    for (let from = 0; ; ) {
      const end = this.recent.next(bytes, from, size)
      if (end < 0) return
      this.enterEntry(bytes, this.recent.start, end, bases, depth)
      from = end + 21
    }
  }

  /** Deals with the entry that starts at `start` and whose name ends at `end`. */
  private enterEntry(
    bytes: Uint8Array,
    start: number,
    end: number,
    bases: readonly Base[],
    depth: number,
  ): void {
    const mode = modeAt(bytes, start)
    if (bytes[mode] === 0x34) {
      if (depth + 1 >= this.filter.treeDepth || this.skip(bytes, end + 1)) return
      const below = bases.length > 0 ? this.basesBelow(bases, bytes, start, end) : bases
      this.walkTree(bytes, end + 1, below, depth + 1, false)
    } else if (bytes[mode + 1] !== 0x36) {
      const before = this.chosen.size
      this.addBlob(bytes, end + 1, depth + 1)
      if (this.traces && this.chosen.size > before)
        this.trace(bytes, end + 1, this.basesBelow(bases, bytes, start, end, false))
    }
  }

  /** Chooses a tree; false when there is nothing to look for in it. */
  private enter(oids: Uint8Array, at: number, depth: number, named: boolean): boolean {
    if (this.filter.type !== null && this.filter.type !== TREE && !named) {
      this.refused.add(oids, at)
      return this.refused.added
    }
    const fresh = this.take(oids, at)
    if (!this.byDepth) return fresh
    // A tree that is met nearer to the root than before has more below it that may pass the filter.
    const number = this.chosen.get(oids, at)
    if (!fresh && (this.depths.get(number) ?? Infinity) <= depth) return false
    this.depths.set(number, depth)
    return true
  }

  private skip(bytes: Uint8Array, at: number): boolean {
    return !this.byDepth && (this.isKnown(bytes, at) || this.has(bytes, at))
  }

  private addBlob(bytes: Uint8Array, at: number, depth: number): void {
    const { blobLimit, treeDepth, type } = this.filter
    if (blobLimit === 0 || depth >= treeDepth || (type !== null && type !== BLOB)) return
    if (this.isKnown(bytes, at)) return
    if (blobLimit !== Infinity) {
      if (this.has(bytes, at) || this.refused.get(bytes, at) >= 0) return
      if (!this.store.locate(bytes, at)) throw missing(bytes, at)
      if (this.store.reader.headerAt(this.store.pack, this.store.offset).size >= blobLimit) {
        this.refused.add(bytes, at)
        return
      }
    }
    this.take(bytes, at)
  }

  /** Notes what an object replaces: a known one, or what that replaced which is new itself. */
  private trace(oid: Uint8Array, at: number, bases: readonly Base[]): void {
    const number = this.chosen.get(oid, at)
    if (number < 0 || this.origins.has(number)) return
    for (const base of bases) {
      const origin = this.isKnown(base.bytes, base.at)
        ? copyBytes(base.bytes, base.at, base.at + 20)
        : this.originOf(base.bytes, base.at)
      if (origin === null) continue
      this.origins.set(number, origin)
      return
    }
  }

  /**
   * The entries of the bases that have the same name as the entry at `bytes[start]`, as bases one
   * level below.
   */
  private basesBelow(
    bases: readonly Base[],
    bytes: Uint8Array,
    start: number,
    end: number,
    trees = true,
  ): Base[] {
    const found: Base[] = []
    let name = start
    while (name < end && bytes[name] !== 0x20) name++
    for (const base of bases) {
      if (!this.store.load(base.bytes, base.at)) continue
      const { bytes: tree, from, to, meter } = this.store.reader
      meter?.spend(to - from)
      const at = findEntry(tree, from, to, bytes, name + 1, end, trees)
      if (at < 0) continue
      const oid = copyBytes(tree, at, at + 20)
      found.push({ bytes: oid, at: 0, known: base.known || this.isKnown(oid, 0) })
    }
    return found
  }

  /**
   * Copies a tree's content into the buffer of its depth: reading its children would overwrite the
   * reader's view.
   */
  private copy(oids: Uint8Array, at: number, depth: number): number {
    if (!this.store.load(oids, at)) throw missing(oids, at)
    const { bytes, from, to, type, meter } = this.store.reader
    meter?.spend(to - from)
    if (type !== TREE)
      throw new GitError(
        'corrupt',
        `${Buffer.from(oids.subarray(at, at + 20)).toString('hex')} is not a tree`,
      )
    let buffer = this.buffers[depth]
    if (buffer === undefined || buffer.length < to - from) {
      // Walks of one thread take turns between trees, never within one: they share what is large
      // enough.
      const common = to - from <= COMMON && depth < MOST_COMMON
      buffer = common
        ? (commonBuffers[depth] ??= Buffer.allocUnsafeSlow(COMMON))
        : Buffer.allocUnsafeSlow((to - from) * 2)
      this.buffers[depth] = buffer
    }
    buffer.set(bytes.subarray(from, to), 0)
    return to - from
  }
}

const missing = (bytes: Uint8Array, at: number) =>
  new GitError(
    'missing',
    `object ${Buffer.from(bytes.subarray(at, at + 20)).toString('hex')} is missing`,
  )

/**
 * Where the id of the directory, or of the file, named `name[nameFrom, nameTo)` is in a tree, or
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
 * Where a mode's first digit is that counts: old versions of some tools have padded modes with
 * zeros.
 */
function modeAt(bytes: Uint8Array, at: number): number {
  while (bytes[at] === 0x30) at++
  return at
}
