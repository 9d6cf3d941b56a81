/**
 * What commits reach, with the help of the bitmaps of a pack: sets are joined, and only what is
 * younger is walked.
 */
import { andInto, andNotInto, countBits, getBit, orInto, setBit } from '../bitmap/bits.ts'
import { BLOB, COMMIT, TAG } from '../pack/entry.ts'
import type { ObjectStore } from '../store/object-store.ts'
import { OidMap } from '../store/oid-map.ts'
import type { PackFile } from '../store/pack-file.ts'
import { Collector } from './collect.ts'
import type { CommitTable } from './commit-table.ts'
import { NO_FILTER, type Filter } from './filter.ts'
import { Marks } from './marks.ts'

/** The largest pack of a store that has bitmaps, or null. */
export function bitmapPack(store: ObjectStore): PackFile | null {
  let best: PackFile | null = null
  for (const pack of store.packs) {
    if (pack.isPending() || pack.bitmap === null) continue
    if (best === null || pack.index.count > best.index.count) best = pack
  }
  return best
}

/** Filters that bitmaps can answer: those that go by type or leave out all blobs. */
export const fitsBitmaps = (filter: Filter): boolean =>
  (filter.blobLimit === Infinity || filter.blobLimit === 0) &&
  (filter.treeDepth === Infinity || filter.treeDepth === 0) &&
  filter.type === null

export class BitmapReach {
  private readonly collector: Collector
  /** Commits that had to be walked, in no order. */
  private readonly walked: number[] = []
  private readonly seen = new Marks()

  constructor(
    store: ObjectStore,
    private readonly table: CommitTable,
    private readonly pack: PackFile,
    private readonly filter: Filter = NO_FILTER,
  ) {
    this.collector = new Collector(store, filter, pack)
  }

  /**
   * Joins the sets of the commits and of their ancestors; walks at most `limit` commits that have
   * none.
   */
  addCommits(commits: readonly number[], limit = Infinity): void {
    const { table, pack } = this
    const bitmap = pack.bitmap!
    const bits = this.collector.bits!
    const stack = [...commits].reverse()
    while (stack.length > 0 && this.walked.length < limit) {
      const commit = stack.pop()!
      const place = pack.index.find(table.oids, commit * 20)
      if (place >= 0) {
        const rank = pack.order.rankOf(place)
        if (getBit(bits, rank)) continue
        const have = bitmap.reach(place)
        if (have !== null) {
          orInto(bits, have)
          continue
        }
        setBit(bits, rank)
      } else {
        if (!this.seen.add(commit, 1)) continue
        this.collector.take(table.oids, commit * 20)
      }
      table.load(commit)
      this.walked.push(commit)
      for (let i = 0; i < table.parentCount(commit); i++) stack.push(table.parent(commit, i))
    }
  }

  addObject(oid: string): void {
    this.collector.take(Buffer.from(oid, 'hex'), 0)
  }

  /** Adds the trees of the commits that had to be walked, and what is below them. */
  *addTrees(): Generator<'pause', void, unknown> {
    const { table } = this
    const oldest = this.walked.sort((a, b) => table.time(a) - table.time(b))
    let steps = 0
    for (const commit of oldest) {
      this.collector.addTree(table.treeOids, commit * 20, [])
      if (++steps % 32 === 0) yield 'pause'
    }
  }

  /** Takes away what the filter leaves out; what is named afterwards stays. */
  applyFilter(): void {
    const bits = this.collector.bits!
    const bitmap = this.pack.bitmap!
    if (this.filter.treeDepth === 0) {
      const kept = bitmap.ofType(COMMIT).slice()
      orInto(kept, bitmap.ofType(TAG))
      andInto(bits, kept)
    } else if (this.filter.blobLimit === 0) andNotInto(bits, bitmap.ofType(BLOB))
  }

  has(oid: Uint8Array, at: number): boolean {
    return this.collector.has(oid, at)
  }

  get bits(): Uint32Array {
    return this.collector.bits!
  }

  /** Objects that are not in the pack. */
  get others(): OidMap {
    return this.collector.chosen
  }

  get size(): number {
    return countBits(this.bits) + this.others.size
  }

  /** This less the other. */
  minus(other: BitmapReach): { bits: Uint32Array; others: OidMap } {
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
