/**
 * Resolves the login that was typed into the sign-in form, and decides whether that account may use
 * a password.
 */
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import {
  findUserRowByEmail,
  findUserRow,
  listUnconfirmedClaims,
  type UserRow,
} from '../store/users.ts'

/**
 * The account of a username or address. An unconfirmed address counts only while exactly one
 * account claims it; after that users must sign in by username.
 */
export function findLogin(db: Db, login: string): UserRow | null {
  if (!login.includes('@')) return findUserRow(db, login)
  const confirmed = findUserRowByEmail(db, login)
  if (confirmed) return confirmed
  const [claim, another] = listUnconfirmedClaims(db, login, 2)
  return claim && !another ? claim : null
}

/**
 * The password hash that the sign-in form checks. Null when the account has none, or when the
 * setting `sso.passwords` allows passwords for administrators only. Administrators keep passwords
 * so that they get in while a provider is down.
 */
export const usablePasswordHash = (
  { settings }: Pick<Hearth, 'settings'>,
  user: UserRow | null,
): string | null =>
  user === null || (settings.sso.passwords === 'administrators' && user.site_admin === 0)
    ? null
    : user.password_hash
