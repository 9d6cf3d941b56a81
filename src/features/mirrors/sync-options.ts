/** What syncs and hand-backs share. */
import type { Hearth } from '#core/hearth.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { service } from '#core/service.ts'
import type { Oid, RemoteRefs } from '#git'
import {
  branchRef,
  moveRefs,
  refsOf,
  requireRepo,
  type PreparedUpdate,
} from '#features/repos/index.ts'
import { MINUTE } from '#lib/time.ts'
import { keepRef } from './store-refs.ts'
import { findMirror, type MirrorRow } from './store.ts'

/** Branches and tags; everything else belongs to the server that it is on. */
export const PREFIXES = ['refs/heads/', 'refs/tags/']

/** How long after one sync the next begins by itself. */
export const SYNC_INTERVAL_MS = 5 * MINUTE

/** The link changed since the work began, so the work must change nothing more. */
export class LinkChanged extends Error {}

/** A transaction that changes nothing unless the link is as it was when the work began. */
export const writeForLink = <T>(
  hearth: Hearth,
  { id, epoch, repo_id }: MirrorRow,
  run: (tx: Tx, row: MirrorRow) => T,
): Promise<T> =>
  writeAs(hearth, null, ((tx: Tx) => {
    const row = findMirror(tx.db, id)
    if (row?.epoch !== epoch || requireRepo(tx.db, repo_id).deleted_at !== null)
      throw new LinkChanged('the mirror changed meanwhile')
    return run(tx, row)
  }) as never)

/** The transactions in which a mirror itself moves refs, which its guard lets through. */
export const ownMoves = service('moves by mirrors', () => new WeakSet<Tx>())

/** Moves refs to those of the remote. Tips that would be lost are kept for 90 days. */
export function moveToRemote(tx: Tx, row: MirrorRow, updates: readonly PreparedUpdate[]): void {
  for (const { name, old, new: to, forced } of updates)
    if (old !== null && (to === null || forced))
      keepRef(tx, {
        repo_id: row.repo_id,
        oid: old,
        name,
        mirror_id: row.id,
        side: 'service',
      })
  ownMoves(tx.hearth).add(tx)
  moveRefs(tx, { id: row.repo_id }, updates, { as: { actor_id: null } })
}

/** Branches and tags that everyone sees, by name. */
export const visibleRefs = (hearth: Hearth, repo_id: string): Map<string, Oid> =>
  new Map(
    refsOf(hearth, repo_id)
      .refs.filter(({ name }) => PREFIXES.some((prefix) => name.startsWith(prefix)))
      .map(({ name, oid }) => [name, oid]),
  )

export const defaultRefOf = (hearth: Hearth, repo_id: string): string =>
  branchRef(requireRepo(hearth.db, repo_id).default_branch)

/**
 * Says why a remote must not be followed: it had refs and has none, or its default branch is gone.
 * An emptied remote must not empty this side. Null when it can be followed.
 */
export function findLoss(
  had: ReadonlyMap<string, Oid>,
  has: ReadonlyMap<string, Oid>,
  defaultRef: string,
): string | null {
  if (had.size > 0 && has.size === 0)
    return 'the remote has no branches and tags any more. Nothing was deleted here'
  if (had.has(defaultRef) && !has.has(defaultRef))
    return `the remote has no ${defaultRef} any more. Nothing was deleted here`
  return null
}

export const oidsOf = (remote: Pick<RemoteRefs, 'refs'>): Map<string, Oid> =>
  new Map(remote.refs.map(({ name, oid }) => [name, oid]))
