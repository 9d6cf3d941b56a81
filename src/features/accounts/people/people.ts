/** Users as other features look them up, and as callers. */
import type { UserCaller, TokenFacts } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import { notFound } from '#lib/errors.ts'
import {
  findUserRowByEmail,
  findUserById,
  findUserRow,
  listEmailRows,
  type UserRow,
} from '../store/users.ts'

export type Person = {
  readonly id: string
  readonly username: string
  readonly name: string | null
}

const person = (row: UserRow | null): Person | null =>
  row && { id: row.id, username: row.username, name: row.name }

/** The user of a username, compared without case. */
export const findUser = (db: Db, username: string): Person | null =>
  person(findUserRow(db, username.toLowerCase()))

/** The user who has confirmed an address. */
export const findUserByEmail = (db: Db, email: string): Person | null =>
  person(findUserRowByEmail(db, email))

/** The confirmed addresses of a user. */
export const confirmedAddresses = (db: Db, id: string): string[] =>
  listEmailRows(db, id).flatMap(({ email, verified_at }) => (verified_at === null ? [] : [email]))

/** Throws 404 for an unknown username. */
export function requireUser(db: Db, username: string): Person {
  const user = findUser(db, username)
  if (!user) throw notFound(`the person ${username}`)
  return user
}

export const userCallerOf = (
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

/** The user as a caller. For commands, which run without a sign-in. */
export function userCaller(db: Db, id: string): UserCaller | null {
  const row = findUserById(db, id)
  return row && userCallerOf(row, { token: null, sign_in: null })
}
