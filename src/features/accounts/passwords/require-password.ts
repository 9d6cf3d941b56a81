/**
 * Operations that change how an account signs in require its password again. An unattended browser
 * is not enough.
 */
import type { Hearth } from '#core/hearth.ts'
import { conflict, Refusal } from '#lib/errors.ts'
import { passwords } from '#core/passwords.ts'
import { signInAttempts } from '../sign-in/attempt-limiter.ts'
import { SIGNED_IN_SOURCE } from '../sign-in/attempt-source.ts'
import { findUserById, type UserRow } from '../store/users.ts'

/** The user row of a caller. It is missing only when the account was removed during the call. */
export function requireUserRow(db: Hearth['db'], id: string): UserRow {
  const user = findUserById(db, id)
  if (!user) throw new Refusal('unauthenticated', 'this account is gone')
  return user
}

/**
 * Verifies the password of a signed-in user. Throws 403 `role` with the field `password` when it is
 * wrong; each wrong one delays the next attempt. Throws 409 `not_available` for an account without
 * a password.
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
  const right = await signInAttempts(hearth).attempt(
    user.id,
    async () => (await passwords(hearth).verify(password ?? '', user.password_hash)).matches,
    { source: SIGNED_IN_SOURCE },
  )
  if (!right)
    throw new Refusal('forbidden', 'the password is wrong', { reason: 'role', field: 'password' })
  return user
}
