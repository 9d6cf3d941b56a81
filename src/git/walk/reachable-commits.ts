/**
 * The commits that a namespace may see: those reachable from its tips. The walk goes only as far
 * back as queries need and continues with the next query. So a client with recent commits costs
 * almost nothing.
 */
import { COMMIT, TAG } from '../pack/entry-header.ts'
import type { ObjectStore } from '../store/object-store.ts'
import type { CommitTable } from './commit-table.ts'
import { CommitMarks } from './commit-marks.ts'
import { PeelCache, type PeeledObject } from './peel.ts'
import { CommitTimeQueue } from './time-queue.ts'

const SEEN = 1

export class ReachableCommits {
  private readonly marks = new CommitMarks()
  private readonly queue = new CommitTimeQueue()
  /**
   * Tips at which the walk has not begun. Usually few tips are younger than the queried commit, and
   * only those enter the queue.
   */
  private waiting: number[] = []
  /** Latest time of the waiting tips; -1 without any. */
  private latestWaitingTime = -1
  /** Peeled tips that had to be read, among them all that are no commits. */
  private readonly peeledTips: PeeledObject[] = []
  private tagOids: Set<string> | null = null
  /** Trees and blobs that refs or tags name directly. */
  readonly looseTips: { oid: string; type: number }[] = []
  /** Commits at the tips. */
  readonly commits: number[] = []

  /** `tips` are raw ids of 20 bytes each. Ids that are not in the store are ignored. */
  constructor(
    store: ObjectStore,
    private readonly table: CommitTable,
    tips: Uint8Array,
    /** Peeled tags, remembered from one snapshot of the refs to the next. */
    peels: PeelCache = new PeelCache(),
  ) {
    for (let at = 0; at + 20 <= tips.length; at += 20) {
      const parsed = table.parsedNumber(tips, at)
      if (parsed >= 0) {
        this.addTip(parsed)
        continue
      }
      const chain = peels.get(store, tips, at)
      if (chain === null) continue
      this.peeledTips.push(chain)
      if (chain.type === COMMIT) {
        const number = table.numberOfRaw(chain.raw, 0)
        table.load(number)
        this.addTip(number)
      } else if (chain.type !== TAG) this.looseTips.push({ oid: chain.oid, type: chain.type })
    }
  }

  /** Whether the id is a tip that is no commit, or a tag or object on the way from a tip. */
  isNamed(oid: string): boolean {
    this.tagOids ??= new Set(
      this.peeledTips.flatMap(({ tags, oid, type }) => (type === COMMIT ? tags : [...tags, oid])),
    )
    return this.tagOids.has(oid)
  }

  /**
   * Whether a commit, which must be in the store, is reachable. Without `exact` the walk stops at
   * commits a day older than the queried one. A wrong clock can then hide a commit, which costs the
   * client some bytes but never reveals anything.
   */
  has(commit: number, exact: boolean): boolean {
    if (this.marks.get(commit) & SEEN) return true
    this.table.load(commit)
    const oldest = exact ? -1 : this.table.time(commit) - 86_400
    this.startTips(oldest)
    while (this.queue.size > 0 && this.queue.peekTime() >= oldest) {
      this.advance()
      if (this.marks.get(commit) & SEEN) return true
    }
    return false
  }

  /** Walks to the end and calls `each` for every reachable commit. */
  forEach(each: (commit: number) => void): void {
    this.startTips(-1)
    while (this.queue.size > 0) this.advance()
    for (let i = 0; i < this.table.size; i++) if (this.marks.get(i) & SEEN) each(i)
  }

  private addTip(commit: number): void {
    if (!this.marks.add(commit, SEEN)) return
    this.commits.push(commit)
    this.waiting.push(commit)
    this.latestWaitingTime = Math.max(this.latestWaitingTime, this.table.time(commit))
  }

  /** Adds the waiting tips that are not older than `oldest` to the queue. */
  private startTips(oldest: number): void {
    if (this.latestWaitingTime < oldest || this.waiting.length === 0) return
    const { table, waiting } = this
    const left: number[] = []
    this.latestWaitingTime = -1
    for (const commit of waiting) {
      const time = table.time(commit)
      if (time >= oldest) this.queue.push(commit, time)
      else {
        left.push(commit)
        if (time > this.latestWaitingTime) this.latestWaitingTime = time
      }
    }
    this.waiting = left
  }

  private advance(): void {
    const at = this.queue.peek()
    const count = this.table.parentCount(at)
    // All parents are loaded first: when one cannot be read, the commit stays in the queue and the
    // walk stays complete.
    for (let i = 0; i < count; i++) this.table.load(this.table.parent(at, i))
    this.queue.pop()
    for (let i = 0; i < count; i++) {
      const parent = this.table.parent(at, i)
      if (this.marks.add(parent, SEEN)) this.queue.push(parent, this.table.time(parent))
    }
  }
}
