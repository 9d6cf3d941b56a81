/**
 * Changes to how an account is reached ask for its password again: a browser left open is not
 * enough for them.
 */
import type { Hearth } from '#core/hearth.ts'
import { conflict, Refusal } from '#lib/errors.ts'
import { verifyPassword } from '#lib/password.ts'
import { guardOf } from './password-guard.ts'
import { findUserById, type UserRow } from './store.ts'

/**
 * The person of an id that a caller has; it can only be missing when the account went away during
 * the call.
 */
export function requireUserRow(db: Hearth['db'], id: string): UserRow {
  const user = findUserById(db, id)
  if (!user) throw new Refusal('unauthenticated', 'this account is gone')
  return user
}

/**
 * Checks the password of a signed-in person. Gives 403 `role` with the field `password` when it is
 * wrong, each wrong one making the next answer slower, and 409 `not_available` for an account that
 * has none.
 */
export async function requirePassword(
  hearth: Hearth,
  user_id: string,
  password: string | undefined,
): Promise<UserRow> {
  const user = requireUserRow(hearth.db, user_id)
  if (user.password_hash === null) {
    throw conflict(
      'not_available',
      'this account has no password; have a link to set one mailed from the website, under Security in your settings',
    )
  }
  const right = await guardOf(hearth).attempt(
    user.id,
    async () => (await verifyPassword(password ?? '', user.password_hash)).matches,
  )
  if (!right)
    throw new Refusal('forbidden', 'the password is wrong', { reason: 'role', field: 'password' })
  return user
}
