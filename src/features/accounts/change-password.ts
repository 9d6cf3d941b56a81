/** What a new password brings with it, wherever it is set. */
import type { Tx } from '#core/write.ts'
import { tell } from './notices.ts'
import { removePendingSignInsOf } from './store-pending-sign-ins.ts'
import { removeProofs } from './store-proofs.ts'
import { removeSignInsOf } from './store-sign-ins.ts'
import { setPassword, type UserRow } from './store.ts'

/**
 * Sets it, ends links to set another, and signs out every browser but `keep`. Gives how many that
 * were.
 */
export function changePassword(
  tx: Tx,
  user: UserRow,
  password_hash: string,
  keep: string | null,
): number {
  setPassword(tx, user.id, password_hash)
  removeProofs(tx.db, 'reset', user.id, null)
  removePendingSignInsOf(tx.db, user.id)
  const ended = removeSignInsOf(tx.db, user.id, keep)
  tx.audit({
    action: 'user.password_changed',
    target: { kind: 'user', id: user.id, name: user.username },
    data: { sign_ins_ended: ended },
  })
  tell(tx, user, 'Your password was changed')
  return ended
}
