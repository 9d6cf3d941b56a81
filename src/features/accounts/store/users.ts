/** The tables `users` and `emails`. */
import type { Db, WritableDb } from '#core/db.ts'
import { preload, memo } from '#core/read-scope.ts'
import type { Timestamp } from '#lib/time.ts'
import type { Tx } from '#core/write.ts'
import type { Theme } from '../schema.ts'
import { recordActor } from '../people/actors.ts'

export type UserRow = {
  id: string
  username: string
  name: string | null
  password_hash: string | null
  bio: string | null
  company: string | null
  location: string | null
  website: string | null
  pronouns: string | null
  time_zone: string | null
  language: string | null
  /** What the person has chosen for the website; null for nothing. */
  theme: Theme | null
  locale: string | null
  private_email: number
  block_private_pushes: number
  two_factor_enabled: number
  site_admin: number
  suspended_at: string | null
  created_at: string
  updated_at: string
  /** The primary address, and the time of its confirmation. */
  email: string
  verified_at: string | null
}

const SELECT = `SELECT u.*, a.username, a.name, e.email, e.verified_at
  FROM users u JOIN actors a ON a.id = u.id JOIN emails e ON e.user_id = u.id AND e.is_primary = 1`

export const findUserById = (db: Db, id: string): UserRow | null =>
  memo(db, 'user', id, () => db.one<UserRow>(`${SELECT} WHERE u.id = ?`, id))

/** Preloads users into the current read scope. */
export const preloadUsers = (db: Db, ids: readonly string[]): void =>
  preload(
    db,
    'user',
    ids,
    () =>
      new Map(
        db
          .all<UserRow>(
            `${SELECT} WHERE u.id IN (SELECT value FROM json_each(?))`,
            JSON.stringify(ids),
          )
          .map((row) => [row.id, row]),
      ),
    () => null,
  )

export const findUserRow = (db: Db, username: string): UserRow | null =>
  db.one<UserRow>(`${SELECT} WHERE a.username = ? AND a.kind = 'user'`, username)

/** The account that has confirmed this address. Addresses are compared in lower case. */
export const findUserRowByEmail = (db: Db, email: string): UserRow | null =>
  db.one<UserRow>(
    `${SELECT} WHERE u.id = (SELECT user_id FROM emails WHERE email = ?
     AND verified_at IS NOT NULL)`,
    email.toLowerCase(),
  )

/** Accounts whose unconfirmed primary address this is, newest first. */
export const listUnconfirmedClaims = (db: Db, email: string, limit: number): UserRow[] =>
  db.all<UserRow>(
    `${SELECT} WHERE e.email = ? AND e.verified_at IS NULL ORDER BY u.id DESC LIMIT ?`,
    email.toLowerCase(),
    limit,
  )

export const isWithoutAccounts = (db: Db): boolean => db.one('SELECT 1 FROM users LIMIT 1') === null

export type NewUser = {
  id: string
  username: string
  email: string
  name: string | null
  password_hash: string | null
  /** Whether the address counts as confirmed from the start. */
  verified: boolean
  site_admin: boolean
}

/**
 * Inserts a user with its actor and primary address. Throws 422 and 409 for the username as
 * `recordActor` does.
 */
export function insertUser(tx: Tx, user: NewUser): void {
  recordActor(tx, { id: user.id, kind: 'user', username: user.username, name: user.name })
  tx.db.run(
    `INSERT INTO users (id, password_hash, site_admin, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?)`,
    user.id,
    user.password_hash,
    user.site_admin ? 1 : 0,
    tx.now,
    tx.now,
  )
  tx.db.run(
    `INSERT INTO emails (user_id, email, is_primary, created_at, verified_at)
     VALUES (?, ?, 1, ?, ?)`,
    user.id,
    user.email.toLowerCase(),
    tx.now,
    user.verified ? tx.now : null,
  )
}

export const setPasswordHash = (tx: Tx, id: string, password_hash: string): void =>
  void tx.db.run(
    'UPDATE users SET password_hash = ?, updated_at = ? WHERE id = ?',
    password_hash,
    tx.now,
    id,
  )

export type EmailRow = {
  user_id: string
  email: string
  is_primary: number
  is_backup: number
  created_at: string
  verified_at: string | null
}

/** The primary address first, then the oldest. */
export const listEmailRows = (db: Db, user_id: string): EmailRow[] =>
  db.all<EmailRow>(
    'SELECT * FROM emails WHERE user_id = ? ORDER BY is_primary DESC, created_at, email',
    user_id,
  )

export const findEmail = (db: Db, user_id: string, email: string): EmailRow | null =>
  db.one<EmailRow>(
    'SELECT * FROM emails WHERE user_id = ? AND email = ?',
    user_id,
    email.toLowerCase(),
  )

export const setEmailConfirmed = (
  db: WritableDb,
  user_id: string,
  email: string,
  now: Timestamp,
): void =>
  void db.run(
    'UPDATE emails SET verified_at = ? WHERE user_id = ? AND email = ? AND verified_at IS NULL',
    now,
    user_id,
    email,
  )
