/**
 * The trees and blobs that a namespace may see. A client that names one by its id gets it only when
 * a tip reaches it, because the store also has objects of other forks. Partial clones and pushes of
 * old content name such ids.
 */
import type { ObjectStore } from '../store/object-store.ts'
import { BLOB, TREE } from '../pack/entry-header.ts'
import { ObjectCollector } from './object-collector.ts'
import type { CommitTable } from './commit-table.ts'
import { CommitMarks } from './commit-marks.ts'
import { CommitTimeQueue } from './time-queue.ts'
import type { ReachableCommits } from './reachable-commits.ts'

export class VisibleObjects {
  private readonly collector: ObjectCollector
  private readonly marks = new CommitMarks()
  private readonly queue = new CommitTimeQueue()

  constructor(
    store: ObjectStore,
    private readonly table: CommitTable,
    reach: ReachableCommits,
  ) {
    this.collector = new ObjectCollector(store)
    for (const { oid, type } of reach.looseTips)
      if (type === TREE || type === BLOB) this.collector.addNamed(oid, type)
    for (const commit of reach.commits) this.push(commit)
  }

  /**
   * Returns the first of the ids (raw, 20 bytes each) that is no visible tree or blob, or null.
   * Walks back from the tips only as far as needed, and pauses between commits.
   */
  *firstHidden(oids: Uint8Array): Generator<'pause', string | null, unknown> {
    const { chosen } = this.collector
    let left: number[] = []
    for (let at = 0; at < oids.length; at += 20) if (chosen.get(oids, at) < 0) left.push(at)
    let steps = 0
    while (left.length > 0 && this.queue.size > 0) {
      const before = chosen.size
      this.advance()
      // Testing all ids after every commit would be quadratic, so they are tested when new objects
      // were found.
      if (chosen.size !== before) left = this.dropFound(oids, left)
      if (++steps % 16 === 0) yield 'pause'
    }
    return left.length > 0
      ? Buffer.from(oids.subarray(left[0], left[0]! + 20)).toString('hex')
      : null
  }

  /** Number of objects in memory. */
  get size(): number {
    return this.collector.chosen.size
  }

  private dropFound(oids: Uint8Array, left: number[]): number[] {
    const { chosen } = this.collector
    // While the last id is hidden the list cannot be finished, so only that id is tested.
    if (left.length > 64 && chosen.get(oids, left[left.length - 1]!) < 0) return left
    return left.filter((at) => chosen.get(oids, at) < 0)
  }

  private push(commit: number): void {
    if (!this.marks.add(commit, 1)) return
    this.table.load(commit)
    this.queue.push(commit, this.table.time(commit))
  }

  private advance(): void {
    const commit = this.queue.pop()
    this.collector.addTree(this.table.treeOids, commit * 20, [])
    for (let i = 0; i < this.table.parentCount(commit); i++) this.push(this.table.parent(commit, i))
  }
}
