/** Changes a password. Every operation that sets one goes through here. */
import type { Tx } from '#core/write.ts'
import { sendSecurityNotice } from '../mail/security-notices.ts'
import { removePendingSignInsOf } from '../store/pending-sign-ins.ts'
import { removeProofs } from '../store/proofs.ts'
import { removeSignInsOf } from '../store/sign-ins.ts'
import { setPasswordHash, type UserRow } from '../store/users.ts'

/**
 * Stores the hash, deletes password reset links and pending sign-ins, and ends every sign-in except
 * `keep`. Returns the number of sign-ins that were ended.
 */
export function changePassword(
  tx: Tx,
  user: UserRow,
  password_hash: string,
  keep: string | null,
): number {
  setPasswordHash(tx, user.id, password_hash)
  removeProofs(tx.db, 'reset', user.id, null)
  removePendingSignInsOf(tx.db, user.id)
  const ended = removeSignInsOf(tx.db, user.id, keep)
  tx.audit({
    action: 'user.password_changed',
    target: { kind: 'user', id: user.id, name: user.username },
    data: { sign_ins_ended: ended },
  })
  sendSecurityNotice(tx, user, 'Your password was changed')
  return ended
}
