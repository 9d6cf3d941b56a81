/**
 * A store that a thread keeps open: its objects, its commit table, and caches of what namespaces
 * may see.
 */
import { ReachableCommits } from '../walk/reachable-commits.ts'
import { CommitTable } from '../walk/commit-table.ts'
import { VisibleObjects } from '../walk/visible-objects.ts'
import { PeelCache, peelRaw, type PeeledObject } from '../walk/peel.ts'
import type { EntryReader } from '../store/entry-reader.ts'
import { ObjectStore } from '../store/object-store.ts'
import { HEAP_TABLES, type Tables } from '../store/tables.ts'

const MAX_CACHED_REACHES = 16

export class OpenStore {
  readonly objects: ObjectStore
  commits: CommitTable
  private readonly reachCache = new Map<string, ReachableCommits>()
  private peelCache = new PeelCache()
  private readonly visibleCache = new Map<string, VisibleObjects>()

  constructor(directory: string, reader: EntryReader, tables: Tables = HEAP_TABLES) {
    this.objects = new ObjectStore(directory, reader, tables)
    this.commits = new CommitTable(this.objects)
  }

  /** Returns the commits that these tips reach, from a cache of recent tips. */
  reach(tips: Uint8Array): ReachableCommits {
    return getCached(
      this.reachCache,
      cacheKey(tips),
      () => new ReachableCommits(this.objects, this.commits, tips, this.peelCache),
    )
  }

  /** Peels a raw id. Tags are cached. Commits that were parsed are not peeled again by callers. */
  peel(ids: Uint8Array, at: number): PeeledObject | null {
    return this.peelCache.known(ids, at) ?? peelRaw(this.objects, ids, at)
  }

  /** Returns the trees and blobs that these tips reach, from a cache of recent tips. */
  visible(tips: Uint8Array): VisibleObjects {
    return getCached(
      this.visibleCache,
      cacheKey(tips),
      () => new VisibleObjects(this.objects, this.commits, this.reach(tips)),
      4,
    )
  }

  /** Approximate memory in bytes. Commits count twice: as numbers and as nodes of `history`. */
  get heldBytes(): number {
    let heldBytes = this.commits.size * 400 + this.peelCache.size * 250
    for (const pack of this.objects.packs) heldBytes += pack.heldBytes
    for (const visible of this.visibleCache.values()) heldBytes += visible.size * 30
    return heldBytes
  }

  /** Clears all caches, for stores that hold too much memory and after objects were removed. */
  clearCaches(): void {
    this.reachCache.clear()
    this.peelCache = new PeelCache()
    this.visibleCache.clear()
    this.commits = new CommitTable(this.objects)
  }

  /** Closes the files when no task reads from them. */
  close(): void {
    this.objects.closeWhenUnpinned()
  }
}

const cacheKey = (tips: Uint8Array): string =>
  Buffer.from(Bun.SHA1.hash(tips) as Uint8Array).toString('latin1')

function getCached<T>(
  map: Map<string, T>,
  key: string,
  make: () => T,
  limit = MAX_CACHED_REACHES,
): T {
  const cached = map.get(key)
  const value = cached ?? make()
  map.delete(key)
  map.set(key, value)
  if (map.size > limit) map.delete(map.keys().next().value!)
  return value
}
