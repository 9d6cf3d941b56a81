/**
 * Which trees and blobs a namespace may see. Whoever names one by its id (a partial clone that
 * lacks a blob, a push that builds on old content) gets it only when a tip reaches it: the store
 * also holds what other forks sent.
 */
import type { ObjectStore } from '../store/object-store.ts'
import { BLOB, TREE } from '../pack/entry.ts'
import { Collector } from './collect.ts'
import type { CommitTable } from './commit-table.ts'
import { Marks } from './marks.ts'
import { TimeQueue } from './queue.ts'
import type { Reach } from './reach.ts'

export class VisibleObjects {
  private readonly collector: Collector
  private readonly marks = new Marks()
  private readonly queue = new TimeQueue()

  constructor(
    store: ObjectStore,
    private readonly table: CommitTable,
    reach: Reach,
  ) {
    this.collector = new Collector(store)
    for (const { oid, type } of reach.looseTips)
      if (type === TREE || type === BLOB) this.collector.addNamed(oid, type)
    for (const commit of reach.commits) this.push(commit)
  }

  /**
   * Gives the first of the ids (raw, 20 bytes each) that is no visible tree or blob, or null. Walks
   * from the tips back only as far as needed; pauses between commits.
   */
  *firstHidden(oids: Uint8Array): Generator<'pause', string | null, unknown> {
    const { chosen } = this.collector
    let left: number[] = []
    for (let at = 0; at < oids.length; at += 20) if (chosen.get(oids, at) < 0) left.push(at)
    let steps = 0
    while (left.length > 0 && this.queue.size > 0) {
      const before = chosen.size
      this.advance()
      // Asking for each after every commit would be quadratic: ask when enough is new.
      if (chosen.size !== before) left = this.filter(oids, left)
      if (++steps % 16 === 0) yield 'pause'
    }
    return left.length > 0
      ? Buffer.from(oids.subarray(left[0], left[0]! + 20)).toString('hex')
      : null
  }

  /** How many objects it holds. */
  get size(): number {
    return this.collector.chosen.size
  }

  private filter(oids: Uint8Array, left: number[]): number[] {
    const { chosen } = this.collector
    // The last one stands for all while it is hidden: nothing is finished before it is found.
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
