/**
 * Access that a transfer removes. Features that store grants and invitations delete theirs in a
 * reaction to `repo.transferred` and record each one here, in the same transaction. The transfer
 * writes them all into its audit entry.
 */
import type { Role } from '#core/caller.ts'
import { service } from '#core/service.ts'
import type { Tx } from '#core/write.ts'

export type DroppedAccess = {
  readonly kind: 'team' | 'collaborator' | 'invitation'
  /** A team's slug, a username, or the invited email address. */
  readonly name: string
  readonly role: Role
}

/** The records of transactions that are running; a finished transaction is garbage-collected. */
const droppedByTransaction = service('dropped access', () => new WeakMap<Tx, DroppedAccess[]>())

export function recordDroppedAccess(tx: Tx, dropped: DroppedAccess): void {
  const byTransaction = droppedByTransaction(tx.hearth)
  const list = byTransaction.get(tx)
  if (list) list.push(dropped)
  else byTransaction.set(tx, [dropped])
}

export const listDroppedAccess = (tx: Tx): readonly DroppedAccess[] =>
  droppedByTransaction(tx.hearth).get(tx) ?? []
