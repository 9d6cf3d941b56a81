/**
 * Finds the shallow roots among the commits of a received pack. A remote may name any commit as
 * shallow, but only a commit that is new here and whose parents are in neither place becomes one.
 * So no remote can cut history that a store already has.
 */
import { parseCommitNode } from '../history/commit-source.ts'
import { GitError, type Oid } from '../ports.ts'
import type { ObjectStore } from '../store/object-store.ts'
import type { OverlayStore } from '../store/overlay-store.ts'
import { COMMIT } from './entry-header.ts'
import type { EntryTable } from './entry-table.ts'
import type { LinkTable } from './link-table.ts'

export type ReceivedRoots = {
  readonly roots: ReadonlySet<Oid>
  /** Parents of the roots that are not here. */
  readonly absent: ReadonlySet<Oid>
}

const NONE: ReceivedRoots = { roots: new Set(), absent: new Set() }

/**
 * `named` are the commits that the remote names; `overlay` adds the pack to the store. Throws
 * GitError `missing` when another commit of the pack has a parent that only a root may lack.
 */
export function* findReceivedRoots(
  store: ObjectStore,
  overlay: OverlayStore,
  entries: EntryTable,
  links: LinkTable,
  named: readonly Oid[],
): Generator<'pause', ReceivedRoots, unknown> {
  const roots = new Set<Oid>()
  const absent = new Set<Oid>()
  for (const [i, oid] of named.entries()) {
    if (i % 1024 === 1023) yield 'pause'
    if (!overlay.isAdded(Buffer.from(oid, 'hex')) || store.has(oid)) continue
    const lacking = parentsOf(overlay, oid).filter((parent) => !overlay.has(parent))
    if (lacking.length > 0) roots.add(oid)
    for (const parent of lacking) absent.add(parent)
  }
  if (absent.size === 0) return NONE
  for (let row = 0; row < entries.count; row++) {
    if (row % 1024 === 1023) yield 'pause'
    if (entries.types[row] !== COMMIT) continue
    const oid = links.ids.hex(entries.ids[row]!)
    const lacking = roots.has(oid) ? undefined : parentsOf(overlay, oid).find((p) => absent.has(p))
    if (lacking !== undefined) throw new GitError('missing', `object ${lacking} is missing`)
  }
  return { roots, absent }
}

function parentsOf(overlay: OverlayStore, oid: Oid): readonly Oid[] {
  const object = overlay.view(oid)
  return object?.type === 'commit' ? parseCommitNode(oid, object.data).parents : []
}
