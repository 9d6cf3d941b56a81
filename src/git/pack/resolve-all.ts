/**
 * All deltas of a received pack that rest on its own objects: a large pack is shared out among the
 * threads.
 */
import { GitError } from '../ports.ts'
import type { Asked, Help, Task } from '../tasks/task.ts'
import type { PackReceiver } from './receive.ts'
import { DeltaResolver, type ResolveLimits } from './resolve.ts'
import { resolveAll, type PartRequest, type PartResult } from './resolve-part.ts'
import { SHARE_FROM, type Rows } from './rows.ts'

/**
 * The resolver for what is left: deltas on objects that are not in the pack. The caller closes it.
 */
export function* resolveDeltas(
  receiver: PackReceiver,
  packEnd: number,
  limits: ResolveLimits,
  help: Help | null,
  shareFrom = SHARE_FROM,
): Task<DeltaResolver> {
  const { path, rows, bases, links } = receiver
  const others = help === null ? 0 : Math.min(3, help.others)
  // A base that is named by its id may be in any share: such packs are resolved in one piece.
  const shared = others > 0 && bases.size === 0 && rows.count >= shareFrom
  const shares = shared ? share(rows, others + 1) : null
  const asked: Asked<PartResult>[] = []
  for (const roots of shares?.slice(1) ?? []) {
    const request: PartRequest = {
      path,
      rows: rows.columns,
      packEnd,
      limits,
      roots,
      imported: links.imported,
    }
    asked.push(help!.ask<PartResult>('resolve', request))
  }
  const resolver = new DeltaResolver(path, rows, bases, links, packEnd, limits, shares?.[0] ?? null)
  try {
    yield* resolveAll(resolver)
    for (const one of asked) {
      while (!one.settled) yield 'wait'
      if (one.error !== null) throw one.error
      take(one.value!, receiver, resolver)
      one.value = null
      yield 'pause'
    }
    return resolver
  } catch (error) {
    resolver.close()
    throw error
  }
}

/** Puts what another thread found into the pack's own tables. */
function take(part: PartResult, { rows, links }: PackReceiver, resolver: DeltaResolver): void {
  links.join(part.links)
  part.rows.forEach((row, i) => {
    if (rows.ids[row]! >= 0) throw new GitError('corrupt', 'a delta was resolved twice')
    rows.types[row] = part.types[i]!
    rows.ids[row] = links.own(part.oids, i * 20)
  })
  resolver.resolved += part.rows.length
}

/** The whole objects with deltas, in groups whose deltas are about equally many bytes. */
function share(rows: Rows, groups: number): Int32Array[] {
  const weights = new Float64Array(rows.count)
  for (let row = rows.count - 1; row >= 0; row--) {
    const base = rows.links[row]!
    // An object costs what it inflates to, and what hashing it takes; a delta's own size stands for
    // that.
    if (base >= 0) weights[base]! += weights[row]! + rows.sizes[row]! + 2000
  }
  const roots: number[] = []
  for (let row = 0; row < rows.count; row++)
    if (rows.links[row]! < 0 && weights[row]! > 0) roots.push(row)
  const lists: number[][] = Array.from({ length: groups }, () => [])
  const sums = new Float64Array(groups)
  for (const root of roots.sort((a, b) => weights[b]! - weights[a]!)) {
    let least = 0
    for (let i = 1; i < groups; i++) if (sums[i]! < sums[least]!) least = i
    lists[least]!.push(root)
    sums[least]! += weights[root]!
  }
  // In the order of the pack the file is read forwards.
  return lists.map((list) => Int32Array.from(list).sort())
}
