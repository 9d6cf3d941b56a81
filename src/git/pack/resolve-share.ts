/** Resolves one thread's share of a pack's deltas. */
import { OidMap } from '../store/oid-map.ts'
import type { Task } from '../tasks/task.ts'
import { LinkTable, type LinkExport } from './link-table.ts'
import { DeltaResolver, type ResolveLimits } from './delta-resolver.ts'
import type { MemoryBudget } from '../tasks/memory-budget.ts'
import { EntryTable, type EntryColumns } from './entry-table.ts'

export type ShareRequest = {
  readonly path: string
  readonly entries: EntryColumns
  readonly packEnd: number
  readonly limits: ResolveLimits
  /** Rows of the whole objects whose delta chains belong to this share. */
  readonly roots: Int32Array
  readonly imported: boolean
}

export type ShareResult = {
  /** Rows of the resolved deltas, with their types and raw ids. */
  readonly rows: Int32Array
  readonly types: Uint8Array
  readonly oids: Uint8Array
  readonly links: LinkExport
}

/**
 * Number of deltas between forced garbage collections. The collector alone would let more garbage
 * accumulate than the memory budget allows.
 */
const GC_EVERY_DELTAS = 1 << 16

export function* resolveShare(
  request: ShareRequest,
  memory: MemoryBudget | null = null,
): Task<ShareResult> {
  const rows = EntryTable.fromColumns(request.entries)
  const links = new LinkTable(rows.count >>> 1, request.imported)
  const resolver = new DeltaResolver(
    request.path,
    rows,
    new OidMap(0),
    links,
    request.packEnd,
    request.limits,
    request.roots,
    memory,
  )
  try {
    yield* runResolver(resolver)
    const resolved: number[] = []
    for (let row = 0; row < rows.count; row++) if (rows.ids[row]! >= 0) resolved.push(row)
    const oids = new Uint8Array(resolved.length * 20)
    resolved.forEach((row, i) =>
      oids.set(links.ids.bytes.subarray(rows.ids[row]! * 20, rows.ids[row]! * 20 + 20), i * 20),
    )
    return {
      rows: Int32Array.from(resolved),
      types: Uint8Array.from(resolved, (row) => rows.types[row]!),
      oids,
      links: links.export(),
    }
  } finally {
    resolver.close()
  }
}

/** Runs a resolver over its share of the pack. */
export function* runResolver(resolver: DeltaResolver): Task<void> {
  let collected = 0
  for (const _ of resolver.run()) {
    if (resolver.resolved - collected >= GC_EVERY_DELTAS) {
      collected = resolver.resolved
      Bun.gc(true)
    }
    yield 'pause'
  }
}
