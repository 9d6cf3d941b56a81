/** Email addresses of an account, as its owner sees them. */
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { conflict, notFound } from '#lib/errors.ts'
import { privateAddress } from '../people/commit-identity.ts'
import type { Email, EmailSettings } from '../schema.ts'
import { findEmail, listEmailRows, type EmailRow, type UserRow } from '../store/users.ts'

export const emailRecord = (row: EmailRow): Email => ({
  email: row.email,
  primary: row.is_primary === 1,
  backup: row.is_backup === 1,
  verified: row.verified_at !== null,
  created_at: row.created_at,
  verified_at: row.verified_at,
})

/** Throws 404 for an address that the user does not have. */
export function requireEmail(db: Db, user_id: string, email: string): EmailRow {
  const row = findEmail(db, user_id, email)
  if (!row) throw notFound(`the address ${email}`)
  return row
}

/**
 * An address that may become the primary or backup one. Throws 404, and 409 `not_available` while
 * it is unconfirmed.
 */
export function requireConfirmedEmail(db: Db, user_id: string, email: string): EmailRow {
  const row = requireEmail(db, user_id, email)
  if (row.verified_at === null)
    throw conflict(
      'not_available',
      `confirm ${row.email} first: open the link that was mailed to it`,
    )
  return row
}

export const emailSettings = (hearth: Hearth, user: UserRow): EmailSettings => ({
  primary: user.email,
  backup: listEmailRows(hearth.db, user.id).find((row) => row.is_backup === 1)?.email ?? null,
  private_email: user.private_email === 1,
  block_private_pushes: user.block_private_pushes === 1,
  private_address: privateAddress(hearth, user.id, user.username),
})

/**
 * The addresses that pushed commits of this user must not contain. Null when the user has not
 * enabled the check.
 */
export function hiddenAddresses(db: Db, user: UserRow): ReadonlySet<string> | null {
  return user.block_private_pushes === 1
    ? new Set(listEmailRows(db, user.id).map((row) => row.email))
    : null
}
