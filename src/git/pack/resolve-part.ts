/** A share of a pack's deltas, resolved by a thread of its own. */
import { OidMap } from '../store/oid-map.ts'
import type { Task } from '../tasks/task.ts'
import { LinkTable, type LinkExport } from './links.ts'
import { DeltaResolver, type ResolveLimits } from './resolve.ts'
import { Rows, type RowColumns } from './rows.ts'

export type PartRequest = {
  readonly path: string
  readonly rows: RowColumns
  readonly packEnd: number
  readonly limits: ResolveLimits
  /** Rows of the whole objects whose deltas, and theirs in turn, are this part's. */
  readonly roots: Int32Array
  readonly imported: boolean
}

export type PartResult = {
  /** Rows that were resolved, with their types and raw ids. */
  readonly rows: Int32Array
  readonly types: Uint8Array
  readonly oids: Uint8Array
  readonly links: LinkExport
}

/**
 * Deltas after which garbage is collected: the collector would wait for more of it than we may
 * hold.
 */
const COLLECT_EVERY = 1 << 16

export function* resolvePart(request: PartRequest): Task<PartResult> {
  const rows = Rows.of(request.rows)
  const links = new LinkTable(rows.count >>> 1, request.imported)
  const resolver = new DeltaResolver(
    request.path,
    rows,
    new OidMap(0),
    links,
    request.packEnd,
    request.limits,
    request.roots,
  )
  try {
    yield* resolveAll(resolver)
    const done: number[] = []
    for (let row = 0; row < rows.count; row++) if (rows.ids[row]! >= 0) done.push(row)
    const oids = new Uint8Array(done.length * 20)
    done.forEach((row, i) =>
      oids.set(links.ids.bytes.subarray(rows.ids[row]! * 20, rows.ids[row]! * 20 + 20), i * 20),
    )
    return {
      rows: Int32Array.from(done),
      types: Uint8Array.from(done, (row) => rows.types[row]!),
      oids,
      links: links.export(),
    }
  } finally {
    resolver.close()
  }
}

/** Runs a resolver over its own share. */
export function* resolveAll(resolver: DeltaResolver): Task<void> {
  let collected = 0
  for (const _ of resolver.run()) {
    if (resolver.resolved - collected >= COLLECT_EVERY) {
      collected = resolver.resolved
      Bun.gc(true)
    }
    yield 'pause'
  }
}
