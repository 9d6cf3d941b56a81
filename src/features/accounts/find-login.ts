/** Who is meant at the sign-in form, and whether a password is a way in for them. */
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { findConfirmed, findUserRow, listClaims, type UserRow } from './store.ts'

/**
 * The account that a name or address stands for. An address that nobody confirmed counts while just
 * one account claims it; after that only usernames tell the claims apart.
 */
export function findLogin(db: Db, login: string): UserRow | null {
  if (!login.includes('@')) return findUserRow(db, login)
  const confirmed = findConfirmed(db, login)
  if (confirmed) return confirmed
  const [claim, another] = listClaims(db, login, 2)
  return claim && !another ? claim : null
}

/**
 * The stored password that counts at the form; null when there is none, or when the installation
 * leaves passwords to its administrators, who are the way in when a provider is out of order.
 */
export const usablePassword = (
  { settings }: Pick<Hearth, 'settings'>,
  user: UserRow | null,
): string | null =>
  user === null || (settings.sso.passwords === 'administrators' && user.site_admin === 0)
    ? null
    : user.password_hash
