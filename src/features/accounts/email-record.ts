/** Addresses of an account, as their owner sees them. */
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { conflict, notFound } from '#lib/errors.ts'
import { privateAddress } from './identity.ts'
import type { Email } from './schema.ts'
import type { EmailSettings } from './schema-people.ts'
import { findEmail, listEmailRows, type EmailRow, type UserRow } from './store.ts'

export const emailRecord = (row: EmailRow): Email => ({
  email: row.email,
  primary: row.is_primary === 1,
  backup: row.is_backup === 1,
  verified: row.verified_at !== null,
  created_at: row.created_at,
  verified_at: row.verified_at,
})

/** Gives 404 for an address that is none of the person's. */
export function requireEmail(db: Db, user_id: string, email: string): EmailRow {
  const row = findEmail(db, user_id, email)
  if (!row) throw notFound(`the address ${email}`)
  return row
}

/**
 * An address that can be the primary or backup one. Gives 404, and 409 `not_available` while it is
 * not confirmed.
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
 * The real addresses of a person that no pushed commit may show; null when the person does not
 * mind.
 */
export function hiddenAddresses(db: Db, user: UserRow): ReadonlySet<string> | null {
  return user.block_private_pushes === 1
    ? new Set(listEmailRows(db, user.id).map((row) => row.email))
    : null
}
