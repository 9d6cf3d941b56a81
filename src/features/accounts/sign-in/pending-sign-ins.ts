/** Pending sign-ins: the first factor was verified, the second is still required. */
import type { Db } from '#core/db.ts'
import { invalid } from '#lib/errors.ts'
import { sha256 } from '#lib/hash.ts'
import type { Timestamp } from '#lib/time.ts'
import { findPendingSignIn, type PendingSignInRow } from '../store/pending-sign-ins.ts'
import { findUserById, type UserRow } from '../store/users.ts'

/** The fie */
export const pendingSignInEnded = () =>
  invalid('pending', 'this took too long or was tried too often; sign in again')

/** Throws 422 with the field `pending` for an expired or used up sign-in. */
export function requirePendingSignIn(
  db: Db,
  secret: string,
  now: Timestamp,
): { row: PendingSignInRow; user: UserRow } {
  const row = findPendingSignIn(db, sha256(secret), now)
  const user = row && findUserById(db, row.user_id)
  if (!row || !user) throw pendingSignInEnded()
  return { row, user }
}
