/** Pending sign-ins: a first factor was shown, the second is awaited. */
import type { Db } from '#core/db.ts'
import { invalid } from '#lib/errors.ts'
import { sha256 } from '#lib/hash.ts'
import type { Timestamp } from '#lib/time.ts'
import { findPendingSignIn, type PendingSignInRow } from './store-pending-sign-ins.ts'
import { findUserById, type UserRow } from './store.ts'

/** The field is no field of the form: the browser has to begin again. */
export const ended = () =>
  invalid('pending', 'this took too long or was tried too often; sign in again')

/** Gives 422 with the field `pending` for one that has ended. */
export function requirePending(
  db: Db,
  secret: string,
  now: Timestamp,
): { row: PendingSignInRow; user: UserRow } {
  const row = findPendingSignIn(db, sha256(secret), now)
  const user = row && findUserById(db, row.user_id)
  if (!row || !user) throw ended()
  return { row, user }
}
