/**
 * Resolves the deltas of a received pack whose bases are in the pack. The deltas of a large pack
 * are divided among threads.
 */
import { GitError } from '../ports.ts'
import type { MemoryBudget } from '../tasks/memory-budget.ts'
import type { DelegatedTask, TaskHelpers, Task } from '../tasks/task.ts'
import type { PackReceiver } from './pack-receiver.ts'
import { DeltaResolver, type ResolveLimits } from './delta-resolver.ts'
import { runResolver, type ShareRequest, type ShareResult } from './resolve-share.ts'
import { MIN_SHARED_OBJECTS, type EntryTable } from './entry-table.ts'

/**
 * Returns the resolver, which still has the deltas on objects outside the pack. The caller closes
 * it.
 */
export function* resolveDeltas(
  receiver: PackReceiver,
  packEnd: number,
  limits: ResolveLimits,
  helpers: TaskHelpers | null,
  shareFrom = MIN_SHARED_OBJECTS,
  memory: MemoryBudget | null = null,
): Task<DeltaResolver> {
  const { path, entries, bases, links } = receiver
  const others = helpers === null ? 0 : Math.min(3, helpers.otherThreads)
  // The base of a REF_DELTA may be in any share, so such packs are resolved on one thread.
  const shared = others > 0 && bases.size === 0 && entries.count >= shareFrom
  const shares = shared ? divideRoots(entries, others + 1) : null
  const delegated: DelegatedTask<ShareResult>[] = []
  for (const roots of shares?.slice(1) ?? []) {
    const request: ShareRequest = {
      path,
      entries: entries.columns,
      packEnd,
      limits,
      roots,
      imported: links.imported,
    }
    delegated.push(helpers!.delegate<ShareResult>('resolve', request))
  }
  const resolver = new DeltaResolver(
    path,
    entries,
    bases,
    links,
    packEnd,
    limits,
    shares?.[0] ?? null,
    memory,
  )
  try {
    yield* runResolver(resolver)
    for (const task of delegated) {
      while (!task.settled) yield 'wait'
      if (task.error !== null) throw task.error
      mergeShare(task.value!, receiver, resolver)
      task.value = null
      yield 'pause'
    }
    return resolver
  } catch (error) {
    resolver.close()
    throw error
  }
}

/** Memory of a resolver for the objects that it resolves, besides the bases. */
const WORKING_BYTES = 24 << 20

/** The memory to reserve for resolving a received pack, on all threads together. */
export function resolverMemoryBytes(
  { entries, inflatedBytes }: PackReceiver,
  { memoryBytes }: ResolveLimits,
  helpers: TaskHelpers | null,
): number {
  const isShared = entries.count >= MIN_SHARED_OBJECTS
  const threads = 1 + (isShared && helpers !== null ? Math.min(3, helpers.otherThreads) : 0)
  // Buffers are up to twice as large as their content.
  return Math.min(2 * inflatedBytes + 64 * 1024, threads * (memoryBytes + WORKING_BYTES))
}

/** Merges another thread's results into the tables of the pack. */
function mergeShare(
  part: ShareResult,
  { entries, links }: PackReceiver,
  resolver: DeltaResolver,
): void {
  links.merge(part.links)
  part.rows.forEach((row, i) => {
    if (entries.ids[row]! >= 0) throw new GitError('corrupt', 'a delta was resolved twice')
    entries.types[row] = part.types[i]!
    entries.ids[row] = links.addOwned(part.oids, i * 20)
  })
  resolver.resolved += part.rows.length
}

/** Divides the whole objects that have deltas into groups with about equal work. */
function divideRoots(entries: EntryTable, groups: number): Int32Array[] {
  const weights = new Float64Array(entries.count)
  for (let row = entries.count - 1; row >= 0; row--) {
    const base = entries.links[row]!
    // The cost of a delta is inflating and hashing the object. The delta's own size and a constant
    // approximate it.
    if (base >= 0) weights[base]! += weights[row]! + entries.sizes[row]! + 2000
  }
  const roots: number[] = []
  for (let row = 0; row < entries.count; row++)
    if (entries.links[row]! < 0 && weights[row]! > 0) roots.push(row)
  const lists: number[][] = Array.from({ length: groups }, () => [])
  const sums = new Float64Array(groups)
  for (const root of roots.sort((a, b) => weights[b]! - weights[a]!)) {
    let least = 0
    for (let i = 1; i < groups; i++) if (sums[i]! < sums[least]!) least = i
    lists[least]!.push(root)
    sums[least]! += weights[root]!
  }
  // Sorted by row, the file is read forwards.
  return lists.map((list) => Int32Array.from(list).sort())
}
