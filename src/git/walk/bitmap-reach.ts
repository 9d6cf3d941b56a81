/**
 * Computes what commits reach with a pack's bitmaps: their sets are joined, and only commits
 * without a bitmap are walked.
 */
import { andInto, andNotInto, countBits, getBit, orInto, setBit } from '../bitmap/bits.ts'
import { BLOB, COMMIT, TAG } from '../pack/entry-header.ts'
import type { ObjectStore } from '../store/object-store.ts'
import { OidMap } from '../store/oid-map.ts'
import type { PackFile } from '../store/pack-file.ts'
import { ObjectCollector } from './object-collector.ts'
import type { CommitTable } from './commit-table.ts'
import { NO_FILTER, type ObjectFilter } from './object-filter.ts'
import { CommitMarks } from './commit-marks.ts'

/** Returns the largest pack of a store that has a bitmap, or null. */
export function bitmapPack(store: ObjectStore): PackFile | null {
  let best: PackFile | null = null
  for (const pack of store.packs) {
    if (pack.isPending() || pack.bitmap === null) continue
    if (best === null || pack.index.count > best.index.count) best = pack
  }
  return best
}

/** Whether bitmaps can apply a filter: without one, without blobs, or without trees and blobs. */
export const isBitmapFilter = (filter: ObjectFilter): boolean =>
  (filter.blobLimit === Infinity || filter.blobLimit === 0) &&
  (filter.treeDepth === Infinity || filter.treeDepth === 0) &&
  filter.type === null

export class BitmapReach {
  private readonly collector: ObjectCollector
  /** Commits that were walked, in no order. */
  private readonly walked: number[] = []
  private readonly seen = new CommitMarks()

  constructor(
    store: ObjectStore,
    private readonly table: CommitTable,
    private readonly pack: PackFile,
    private readonly filter: ObjectFilter = NO_FILTER,
  ) {
    this.collector = new ObjectCollector(store, filter, pack)
  }

  /**
   * Joins the sets of the commits and their ancestors. Walks at most `limit` commits without a
   * bitmap.
   */
  addCommits(commits: readonly number[], limit = Infinity): void {
    const { table, pack } = this
    const bitmap = pack.bitmap!
    const bits = this.collector.bits!
    const stack = [...commits].reverse()
    while (stack.length > 0 && this.walked.length < limit) {
      const commit = stack.pop()!
      const indexPos = pack.index.find(table.oids, commit * 20)
      if (indexPos >= 0) {
        const packPos = pack.reverseIndex.packPosOf(indexPos)
        if (getBit(bits, packPos)) continue
        const reached = bitmap.reachable(indexPos)
        if (reached !== null) {
          orInto(bits, reached)
          continue
        }
        setBit(bits, packPos)
      } else {
        if (!this.seen.add(commit, 1)) continue
        this.collector.choose(table.oids, commit * 20)
      }
      table.load(commit)
      this.walked.push(commit)
      for (let i = 0; i < table.parentCount(commit); i++) stack.push(table.parent(commit, i))
    }
  }

  addObject(oid: string): void {
    this.collector.choose(Buffer.from(oid, 'hex'), 0)
  }

  /** Adds the trees of the walked commits and everything below them. */
  *addTrees(): Generator<'pause', void, unknown> {
    const { table } = this
    const oldest = this.walked.sort((a, b) => table.time(a) - table.time(b))
    let steps = 0
    for (const commit of oldest) {
      this.collector.addTree(table.treeOids, commit * 20, [])
      if (++steps % 32 === 0) yield 'pause'
    }
  }

  /** Removes the objects that the filter excludes. Objects added later stay. */
  applyFilter(): void {
    const bits = this.collector.bits!
    const bitmap = this.pack.bitmap!
    if (this.filter.treeDepth === 0) {
      const commitsAndTags = bitmap.ofType(COMMIT).slice()
      orInto(commitsAndTags, bitmap.ofType(TAG))
      andInto(bits, commitsAndTags)
    } else if (this.filter.blobLimit === 0) andNotInto(bits, bitmap.ofType(BLOB))
  }

  has(oid: Uint8Array, at: number): boolean {
    return this.collector.has(oid, at)
  }

  get bits(): Uint32Array {
    return this.collector.bits!
  }

  /** Reached objects that are not in the pack. */
  get others(): OidMap {
    return this.collector.chosen
  }

  get size(): number {
    return countBits(this.bits) + this.others.size
  }

  /** Returns the objects of this set without those of the other. */
  subtract(other: BitmapReach): { bits: Uint32Array; others: OidMap } {
    const bits = this.bits.slice()
    andNotInto(bits, other.bits)
    if (other.others.size === 0) return { bits, others: this.others }
    const others = new OidMap(this.others.size)
    const oids = this.others.bytes
    for (let i = 0; i < this.others.size; i++)
      if (other.others.get(oids, i * 20) < 0) others.add(oids, i * 20)
    return { bits, others }
  }
}
