/**
 * Which commits a namespace may see: everything reachable from its tips. The walk goes only as far
 * back as questions need and is kept for the next one, so that a client with recent commits costs
 * next to nothing.
 */
import { COMMIT, TAG } from '../pack/entry.ts'
import type { ObjectStore } from '../store/object-store.ts'
import type { CommitTable } from './commit-table.ts'
import { Marks } from './marks.ts'
import { Peels, type Peeled } from './peel.ts'
import { TimeQueue } from './queue.ts'

const SEEN = 1

export class Reach {
  private readonly marks = new Marks()
  private readonly queue = new TimeQueue()
  /**
   * Tips that no walk has begun at. Few are younger than what is asked about, and only those need
   * to stand in line.
   */
  private waiting: number[] = []
  /** The latest time among them. */
  private latest = -1
  /** What the tips lead to that are no commits themselves. */
  private readonly chains: Peeled[] = []
  private named: Set<string> | null = null
  /** Trees and blobs that refs or tags name directly. */
  readonly looseTips: { oid: string; type: number }[] = []
  /** Commits at the tips. */
  readonly commits: number[] = []

  /** `tips` are raw ids, 20 bytes each; those that are not in the store are passed over. */
  constructor(
    store: ObjectStore,
    private readonly table: CommitTable,
    tips: Uint8Array,
    /** What tags lead to, remembered from one snapshot of refs to the next. */
    peels: Peels = new Peels(),
  ) {
    for (let at = 0; at + 20 <= tips.length; at += 20) {
      const parsed = table.parsed(tips, at)
      if (parsed >= 0) {
        this.start(parsed)
        continue
      }
      const chain = peels.get(store, tips, at)
      if (chain === null) continue
      this.chains.push(chain)
      if (chain.type === COMMIT) {
        const number = table.number(chain.raw, 0)
        table.load(number)
        this.start(number)
      } else if (chain.type !== TAG) this.looseTips.push({ oid: chain.oid, type: chain.type })
    }
  }

  /** Whether the id is a tip that is no commit, or a tag or object on the way from one. */
  isNamed(oid: string): boolean {
    this.named ??= new Set(
      this.chains.flatMap(({ tags, oid, type }) => (type === COMMIT ? tags : [...tags, oid])),
    )
    return this.named.has(oid)
  }

  /**
   * Whether a commit, which must be in the store, is reachable. With `exact` false the walk stops
   * at commits that are a day older than it: a wrong clock can then hide it, which costs a client
   * some bytes but never shows anything.
   */
  has(commit: number, exact: boolean): boolean {
    if (this.marks.get(commit) & SEEN) return true
    this.table.load(commit)
    const oldest = exact ? -1 : this.table.time(commit) - 86_400
    this.lineUp(oldest)
    while (this.queue.size > 0 && this.queue.peekTime() >= oldest) {
      this.advance()
      if (this.marks.get(commit) & SEEN) return true
    }
    return false
  }

  /** Walks to the end and calls `each` for every reachable commit. */
  all(each: (commit: number) => void): void {
    this.lineUp(-1)
    while (this.queue.size > 0) this.advance()
    for (let i = 0; i < this.table.size; i++) if (this.marks.get(i) & SEEN) each(i)
  }

  private start(commit: number): void {
    if (!this.marks.add(commit, SEEN)) return
    this.commits.push(commit)
    this.waiting.push(commit)
    this.latest = Math.max(this.latest, this.table.time(commit))
  }

  /** Lets the tips begin that are not older than this. */
  private lineUp(oldest: number): void {
    if (this.latest < oldest || this.waiting.length === 0) return
    const { table, waiting } = this
    const left: number[] = []
    this.latest = -1
    for (const commit of waiting) {
      const time = table.time(commit)
      if (time >= oldest) this.queue.push(commit, time)
      else {
        left.push(commit)
        if (time > this.latest) this.latest = time
      }
    }
    this.waiting = left
  }

  private advance(): void {
    const at = this.queue.peek()
    const count = this.table.parentCount(at)
    // What cannot be read, or not now, must not leave a walk behind that has lost a part of its
    // way.
    for (let i = 0; i < count; i++) this.table.load(this.table.parent(at, i))
    this.queue.pop()
    for (let i = 0; i < count; i++) {
      const parent = this.table.parent(at, i)
      if (this.marks.add(parent, SEEN)) this.queue.push(parent, this.table.time(parent))
    }
  }
}
