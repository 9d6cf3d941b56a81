/**
 * One store as a thread keeps it open: its objects, its commits as numbers, and what namespaces may
 * see.
 */
import { Reach } from '../walk/reach.ts'
import { CommitTable } from '../walk/commit-table.ts'
import { VisibleObjects } from '../walk/visible.ts'
import { COMMIT } from '../pack/entry.ts'
import { Peels, peelRaw, type Peeled } from '../walk/peel.ts'
import type { EntryReader } from '../store/entry-reader.ts'
import { ObjectStore } from '../store/object-store.ts'

const KEPT = 16

export class OpenStore {
  readonly objects: ObjectStore
  commits: CommitTable
  private readonly reaches = new Map<string, Reach>()
  private peels = new Peels()
  private readonly visibles = new Map<string, VisibleObjects>()
  private readonly key = Buffer.alloc(20)

  constructor(directory: string, reader: EntryReader) {
    this.objects = new ObjectStore(directory, reader)
    this.commits = new CommitTable(this.objects)
  }

  /** What these tips reach; kept for as long as others do not push it out. */
  reach(tips: Uint8Array): Reach {
    return kept(
      this.reaches,
      nameOf(tips),
      () => new Reach(this.objects, this.commits, tips, this.peels),
    )
  }

  /** The number of a commit that was parsed already, or -1. */
  knownCommit(oid: string): number {
    this.key.write(oid, 'hex')
    return this.commits.parsed(this.key, 0)
  }

  /**
   * What an id leads to; tags are remembered, and commits that were parsed already need no look at
   * the packs.
   */
  peel(oid: string): Peeled | null {
    const raw = Buffer.from(oid, 'hex')
    if (this.commits.parsed(raw, 0) >= 0) return { tags: [], oid, raw, type: COMMIT }
    return this.peels.known(raw, 0) ?? peelRaw(this.objects, raw, 0)
  }

  /** The objects, of every type, that these tips reach. */
  visible(tips: Uint8Array): VisibleObjects {
    return kept(
      this.visibles,
      nameOf(tips),
      () => new VisibleObjects(this.objects, this.commits, this.reach(tips)),
      4,
    )
  }

  /**
   * Roughly the bytes of memory that it holds: commits twice (as numbers and as history's nodes),
   * orders, sets.
   */
  get weight(): number {
    let weight = this.commits.size * 400 + this.peels.size * 250
    for (const pack of this.objects.packs) weight += pack.held
    for (const visible of this.visibles.values()) weight += visible.size * 30
    return weight
  }

  /** Forgets what was computed; for stores that hold too much, and after objects were removed. */
  forget(): void {
    this.reaches.clear()
    this.peels = new Peels()
    this.visibles.clear()
    this.commits = new CommitTable(this.objects)
  }

  /** Closes its files as soon as no long work reads them. */
  close(): void {
    this.objects.leave()
  }
}

const nameOf = (tips: Uint8Array): string =>
  Buffer.from(Bun.SHA1.hash(tips) as Uint8Array).toString('latin1')

function kept<T>(map: Map<string, T>, key: string, make: () => T, limit = KEPT): T {
  const have = map.get(key)
  const value = have ?? make()
  map.delete(key)
  map.set(key, value)
  if (map.size > limit) map.delete(map.keys().next().value!)
  return value
}
