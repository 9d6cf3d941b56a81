/**
 * What a transfer takes from people. Those who keep grants and invitations drop theirs in a
 * reaction to `repo.transferred` and note each one here, in the same transaction; the transfer
 * writes them all into its audit entry.
 */
import type { Role } from '#core/caller.ts'
import type { Tx } from '#core/write.ts'

export type DroppedAccess = {
  readonly kind: 'team' | 'collaborator' | 'invitation'
  /** A team's slug, a username, or the address that was invited. */
  readonly name: string
  readonly role: Role
}

const noted = new WeakMap<Tx, DroppedAccess[]>()

export function noteDroppedAccess(tx: Tx, dropped: DroppedAccess): void {
  const list = noted.get(tx)
  if (list) list.push(dropped)
  else noted.set(tx, [dropped])
}

export const droppedAccess = (tx: Tx): readonly DroppedAccess[] => noted.get(tx) ?? []
