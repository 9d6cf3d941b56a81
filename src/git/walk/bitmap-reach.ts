/**
 * Computes what commits reach. With marks in pack order the bitmaps of the pack are joined, and only
 * commits without a bitmap are walked. With others all are walked.
 */
import type { BitmapFile } from '../bitmap/bitmap-file.ts'
import { andInto, andNotInto, orInto } from '../bitmap/bits.ts'
import { PackMarks } from '../bitmap/pack-marks.ts'
import { BLOB, COMMIT, TAG, TREE } from '../pack/entry-header.ts'
import type { ObjectSelection } from '../pack/pack-plan.ts'
import type { ObjectStore } from '../store/object-store.ts'
import { OidMap } from '../store/oid-map.ts'
import { largestPack, type PackFile } from '../store/pack-file.ts'
import { ObjectCollector } from './object-collector.ts'
import type { CommitTable } from './commit-table.ts'
import { NO_FILTER, type ObjectFilter } from './object-filter.ts'
import { CommitMarks } from './commit-marks.ts'
import { NumberList } from './number-list.ts'
import { sortLatestFirst } from './sort-by-time.ts'

/** Marks for the largest pack of a store that has a bitmap; null without any. */
export const bitmapMarks = (store: ObjectStore): PackMarks | null =>
  marksOfLargest(store, 'pack', (pack) => pack.bitmap !== null)

/** Marks for the largest pack of a store, whose bitmaps are not used; null without any pack. */
export const walkMarks = (store: ObjectStore): PackMarks | null =>
  marksOfLargest(store, 'index', () => true)

function marksOfLargest(
  { packs }: ObjectStore,
  order: PackMarks['order'],
  isFit: (pack: PackFile) => boolean,
): PackMarks | null {
  const pack = largestPack(packs.filter((one) => !one.isPending() && isFit(one)))
  return pack && PackMarks.none(pack, order)
}

/** Whether bitmaps can apply a filter: without one, without blobs, or without trees and blobs. */
export const isBitmapFilter = (filter: ObjectFilter): boolean =>
  (filter.blobLimit === Infinity || filter.blobLimit === 0) &&
  (filter.treeDepth === Infinity || filter.treeDepth === 0) &&
  filter.type === null

export class BitmapReach {
  private readonly collector: ObjectCollector
  /** Commits that were walked, in no order. */
  private readonly walked: NumberList
  private readonly seen: CommitMarks
  private readonly bitmap: BitmapFile | null

  constructor(
    private readonly store: ObjectStore,
    private readonly table: CommitTable,
    /** Marks of one pack, of which none is set yet. They get its reached objects. */
    private readonly marks: PackMarks | null,
    private readonly filter: ObjectFilter = NO_FILTER,
  ) {
    this.walked = new NumberList(store.tables)
    this.seen = new CommitMarks(store.tables)
    this.bitmap = marks?.order === 'pack' ? marks.pack.bitmap : null
    this.collector = new ObjectCollector(store, filter, marks)
  }

  /** Adds the commits and everything that they reach, and pauses regularly. */
  *addCommitsAndTrees(commits: readonly number[]): Generator<'pause', void, unknown> {
    yield* this.addCommits(commits)
    yield* this.addTrees()
  }

  /**
   * Joins the sets of the commits and their ancestors. Walks at most `limit` commits without a
   * bitmap.
   */
  *addCommits(commits: readonly number[], limit = Infinity): Generator<'pause', void, unknown> {
    const { table } = this
    const stack = new NumberList(this.store.tables)
    for (let i = commits.length - 1; i >= 0; i--) stack.push(commits[i]!)
    while (stack.length > 0 && this.walked.length < limit) {
      const commit = stack.pop()
      if (!this.addCommit(commit)) continue
      table.load(commit)
      this.walked.push(commit)
      if (this.walked.length % 4096 === 0) yield 'pause'
      for (let i = 0; i < table.parentCount(commit); i++) stack.push(table.parent(commit, i))
    }
    stack.release()
  }

  /** Adds a commit. Returns whether its trees and parents must be walked. */
  private addCommit(commit: number): boolean {
    const { table, marks, bitmap } = this
    const indexPos = marks?.pack.index.find(table.oids, commit * 20) ?? -1
    if (marks === null || indexPos < 0) {
      this.collector.choose(table.oids, commit * 20)
      return this.seen.add(commit, 1)
    }
    if (!marks.add(indexPos)) return false
    const reached = bitmap?.reachable(indexPos) ?? null
    if (reached !== null) orInto(marks.bits, reached)
    return reached === null
  }

  addObject(oid: string): void {
    this.collector.chooseHex(oid)
  }

  /** Adds a tree and everything below it. */
  addTree(oid: string): void {
    this.collector.addNamed(oid, TREE)
  }

  /** Adds the trees of the walked commits and everything below them. */
  private *addTrees(): Generator<'pause', void, unknown> {
    const { table } = this
    const latestFirst = this.walked.view
    sortLatestFirst(latestFirst, (commit) => table.time(commit), this.store.tables)
    for (let i = latestFirst.length - 1; i >= 0; i--) {
      this.collector.addTree(table.treeOids, latestFirst[i]! * 20, [])
      if (i % 32 === 0) yield 'pause'
    }
  }

  /**
   * Removes the objects that the filter excludes and bitmaps have added: walks add none. Objects added
   * later stay.
   */
  applyFilter(): void {
    const { bitmap, marks } = this
    if (bitmap === null || marks === null) return
    const { bits } = marks
    if (this.filter.treeDepth === 0) {
      const commitsAndTags = bitmap.ofType(COMMIT).slice()
      orInto(commitsAndTags, bitmap.ofType(TAG))
      andInto(bits, commitsAndTags)
    } else if (this.filter.blobLimit === 0) andNotInto(bits, bitmap.ofType(BLOB))
  }

  has(oid: Uint8Array, at: number): boolean {
    return this.collector.has(oid, at)
  }

  /** The same for the object at an index position of any pack. */
  hasAt(pack: PackFile, indexPos: number): boolean {
    return pack === this.marks?.pack
      ? this.marks.has(indexPos)
      : this.collector.has(pack.index.raw, pack.index.oidAt(indexPos))
  }

  /** What was reached, to write it to a pack. */
  get selection(): ObjectSelection {
    return { marks: this.marks, others: this.others }
  }

  /** Reached objects that are not in the pack. */
  get others(): OidMap {
    return this.collector.chosen
  }

  get size(): number {
    return this.collector.size
  }

  /** Returns the objects of this set without those of another set of the same pack. */
  without(other: BitmapReach): ObjectSelection {
    const marks = this.marks?.copy() ?? null
    if (marks !== null && other.marks !== null) andNotInto(marks.bits, other.marks.bits)
    if (other.others.size === 0) return { marks, others: this.others }
    const others = new OidMap(this.others.size)
    const oids = this.others.bytes
    for (let i = 0; i < this.others.size; i++)
      if (other.others.get(oids, i * 20) < 0) others.add(oids, i * 20)
    return { marks, others }
  }
}
