/**
 * Updates of the tables `users` and `emails` by users and administrators. `users.ts` creates
 * accounts.
 */
import type { Db, WritableDb } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { Theme, UserState } from '../schema.ts'
import type { UserRow } from './users.ts'

export const setTwoFactorEnabled = (tx: Tx, id: string, enabled: boolean): void =>
  void tx.db.run(
    'UPDATE users SET two_factor_enabled = ?, updated_at = ? WHERE id = ?',
    enabled ? 1 : 0,
    tx.now,
    id,
  )

export type Profile = {
  bio: string | null
  company: string | null
  location: string | null
  website: string | null
  pronouns: string | null
  time_zone: string | null
  language: string | null
  theme: Theme | null
  locale: string | null
}

export const setProfile = (tx: Tx, id: string, profile: Profile): void =>
  void tx.db.run(
    `UPDATE users SET bio = ?, company = ?, location = ?, website = ?, pronouns = ?,
     time_zone = ?, language = ?, theme = ?, locale = ?, updated_at = ? WHERE id = ?`,
    profile.bio,
    profile.company,
    profile.location,
    profile.website,
    profile.pronouns,
    profile.time_zone,
    profile.language,
    profile.theme,
    profile.locale,
    tx.now,
    id,
  )

/** Chooses the language of the website, and of mail. */
export const setLocale = (tx: Tx, id: string, locale: string): void =>
  void tx.db.run('UPDATE users SET locale = ?, updated_at = ? WHERE id = ?', locale, tx.now, id)

/** The language of the website that the account of an address has chosen. */
export const findLocaleOfAddress = (db: Db, address: string): string | null =>
  db.one<{ locale: string | null }>(
    `SELECT users.locale FROM emails JOIN users ON users.id = emails.user_id
     WHERE emails.email = ? ORDER BY emails.verified_at IS NULL LIMIT 1`,
    address.toLowerCase(),
  )?.locale ?? null

/** Suspends an account with an optional reason, or lifts its suspension. */
export const setSuspended = (tx: Tx, id: string, suspended: boolean, reason: string | null): void =>
  void tx.db.run(
    'UPDATE users SET suspended_at = ?, suspended_reason = ?, updated_at = ? WHERE id = ?',
    suspended ? tx.now : null,
    suspended ? reason : null,
    tx.now,
    id,
  )

/** Site administrators who are not suspended. */
export const countAdmins = (db: Db): number =>
  db.one<{ count: number }>(
    'SELECT count(*) AS count FROM users WHERE site_admin = 1 AND suspended_at IS NULL',
  )?.count ?? 0

export type SiteUserRow = UserRow & { suspended_reason: string | null }

const STATE_CONDITIONS: Record<UserState, string> = {
  active: 'u.suspended_at IS NULL AND e.verified_at IS NOT NULL',
  suspended: 'u.suspended_at IS NOT NULL',
  unconfirmed: 'u.suspended_at IS NULL AND e.verified_at IS NULL',
}

const FROM_USERS = `FROM users u JOIN actors a ON a.id = u.id JOIN emails e ON e.user_id = u.id
  AND e.is_primary = 1`

export type UserFilter = { q?: string; state?: UserState }

function userConditions({ q, state }: UserFilter): { sql: string; params: string[] } {
  const where = ['1']
  const params: string[] = []
  if (state) where.push(STATE_CONDITIONS[state])
  if (q) {
    const pattern = `%${q.toLowerCase().replace(/[\\%_]/g, (letter) => `\\${letter}`)}%`
    where.push(
      `(a.username LIKE ? ESCAPE '\\' OR lower(a.name) LIKE ? ESCAPE '\\'
       OR u.id IN (SELECT user_id FROM emails WHERE email LIKE ? ESCAPE '\\'))`,
    )
    params.push(pattern, pattern, pattern)
  }
  return { sql: where.join(' AND '), params }
}

/** Newest account first. */
export function listUserRows(
  db: Db,
  filter: UserFilter,
  window: { limit: number; offset: number },
): SiteUserRow[] {
  const { sql, params } = userConditions(filter)
  return db.all<SiteUserRow>(
    `SELECT u.*, a.username, a.name, e.email, e.verified_at ${FROM_USERS} WHERE ${sql}
     ORDER BY u.id DESC LIMIT ? OFFSET ?`,
    ...params,
    window.limit,
    window.offset,
  )
}

export function countUserRows(db: Db, filter: UserFilter): number {
  const { sql, params } = userConditions(filter)
  return (
    db.one<{ count: number }>(`SELECT count(*) AS count ${FROM_USERS} WHERE ${sql}`, ...params)
      ?.count ?? 0
  )
}

export const findSiteUser = (db: Db, username: string): SiteUserRow | null =>
  db.one<SiteUserRow>(
    `SELECT u.*, a.username, a.name, e.email, e.verified_at ${FROM_USERS} WHERE a.username = ?
     AND a.kind = 'user'`,
    username.toLowerCase(),
  )

export const insertEmail = (
  db: WritableDb,
  row: { user_id: string; email: string; now: string; verified?: boolean },
): void =>
  void db.run(
    `INSERT INTO emails (user_id, email, is_primary, created_at, verified_at)
     VALUES (?, ?, 0, ?, ?)`,
    row.user_id,
    row.email,
    row.now,
    row.verified ? row.now : null,
  )

export const removeOtherEmails = (db: WritableDb, user_id: string, email: string): void =>
  void db.run('DELETE FROM emails WHERE user_id = ? AND email <> ?', user_id, email)

export const removeEmailRow = (db: WritableDb, user_id: string, email: string): void =>
  void db.run('DELETE FROM emails WHERE user_id = ? AND email = ?', user_id, email)

/** Both updates run in one transaction, so readers always see exactly one primary address. */
export function setPrimaryEmail(db: WritableDb, user_id: string, email: string): void {
  db.run('UPDATE emails SET is_primary = 0 WHERE user_id = ? AND is_primary = 1', user_id)
  db.run(
    'UPDATE emails SET is_primary = 1, is_backup = 0 WHERE user_id = ? AND email = ?',
    user_id,
    email,
  )
}

/** Sets the one backup address; null for none. */
export function setBackupEmail(db: WritableDb, user_id: string, email: string | null): void {
  db.run('UPDATE emails SET is_backup = (email = ?2) WHERE user_id = ?1', user_id, email ?? '')
}

export const setEmailPrivacy = (
  tx: Tx,
  id: string,
  change: { private_email?: boolean; block_private_pushes?: boolean },
): void =>
  void tx.db.run(
    `UPDATE users SET private_email = coalesce(?, private_email),
     block_private_pushes = coalesce(?, block_private_pushes), updated_at = ? WHERE id = ?`,
    change.private_email === undefined ? null : Number(change.private_email),
    change.block_private_pushes === undefined ? null : Number(change.block_private_pushes),
    tx.now,
    id,
  )
