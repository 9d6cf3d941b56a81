/** People as other features look them up, and as callers. */
import type { UserCaller, TokenFacts } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import { notFound } from '#lib/errors.ts'
import { findConfirmed, findUserById, findUserRow, listEmailRows, type UserRow } from './store.ts'

export type Person = {
  readonly id: string
  readonly username: string
  readonly name: string | null
}

const person = (row: UserRow | null): Person | null =>
  row && { id: row.id, username: row.username, name: row.name }

/** The person of a username, without regard to case. */
export const findUser = (db: Db, username: string): Person | null =>
  person(findUserRow(db, username.toLowerCase()))

/** The person who has confirmed an address. */
export const findUserByEmail = (db: Db, email: string): Person | null =>
  person(findConfirmed(db, email))

/** The addresses that a person has confirmed. */
export const confirmedAddresses = (db: Db, id: string): string[] =>
  listEmailRows(db, id).flatMap(({ email, verified_at }) => (verified_at === null ? [] : [email]))

/** Gives 404 for a name that nobody has. */
export function requireUser(db: Db, username: string): Person {
  const found = findUser(db, username)
  if (!found) throw notFound(`the person ${username}`)
  return found
}

export const asCaller = (
  row: UserRow,
  by: { token: TokenFacts | null; sign_in: string | null },
): UserCaller => ({
  kind: 'user',
  id: row.id,
  username: row.username,
  verified: row.verified_at !== null,
  suspended: row.suspended_at !== null,
  site_admin: row.site_admin === 1,
  ...by,
})

/** The person as a caller on the website; for commands, which act with no sign-in. */
export function userCaller(db: Db, id: string): UserCaller | null {
  const row = findUserById(db, id)
  return row && asCaller(row, { token: null, sign_in: null })
}
