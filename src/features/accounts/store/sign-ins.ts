/** The table `sign_ins`. */
import type { Db, WritableDb } from '#core/db.ts'
import { memo } from '#core/read-scope.ts'
import type { Timestamp } from '#lib/time.ts'
import type { SignInMethod } from '../schema.ts'

export type SignInRow = {
  id: string
  user_id: string
  method: SignInMethod
  ip: string | null
  user_agent: string | null
  created_at: string
  last_used_at: string
  expires_at: string
}

const COLUMNS = 'id, user_id, method, ip, user_agent, created_at, last_used_at, expires_at'

export const findSignIn = (db: Db, secret_hash: string): SignInRow | null =>
  memo(db, 'sign-in', secret_hash, () =>
    db.one<SignInRow>(`SELECT ${COLUMNS} FROM sign_ins WHERE secret_hash = ?`, secret_hash),
  )

export const findSignInById = (db: Db, id: string): SignInRow | null =>
  db.one<SignInRow>(`SELECT ${COLUMNS} FROM sign_ins WHERE id = ?`, id)

/** Active sign-ins, the last used first. */
export const listSignInRows = (db: Db, user_id: string, now: Timestamp): SignInRow[] =>
  db.all<SignInRow>(
    `SELECT ${COLUMNS} FROM sign_ins WHERE user_id = ? AND expires_at > ?
     ORDER BY last_used_at DESC, id DESC`,
    user_id,
    now,
  )

/** The addresses of active sign-ins. */
export const listSignInAddresses = (db: Db, user_id: string, now: Timestamp): string[] =>
  db
    .all<{ ip: string }>(
      `SELECT DISTINCT ip FROM sign_ins WHERE user_id = ? AND expires_at > ? AND ip IS NOT NULL`,
      user_id,
      now,
    )
    .map(({ ip }) => ip)

export const insertSignIn = (db: WritableDb, row: SignInRow, secret_hash: string): void =>
  void db.run(
    `INSERT INTO sign_ins (${COLUMNS}, secret_hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    row.user_id,
    row.method,
    row.ip,
    row.user_agent,
    row.created_at,
    row.last_used_at,
    row.expires_at,
    secret_hash,
  )

export const setSignInUsed = (
  db: WritableDb,
  id: string,
  now: Timestamp,
  expires_at: Timestamp,
): void =>
  void db.run(
    'UPDATE sign_ins SET last_used_at = ?, expires_at = ? WHERE id = ?',
    now,
    expires_at,
    id,
  )

export const removeSignIn = (db: WritableDb, id: string): void =>
  void db.run('DELETE FROM sign_ins WHERE id = ?', id)

/** Ends all sign-ins of a user except one, if given. Returns how many. */
export const removeSignInsOf = (
  db: WritableDb,
  user_id: string,
  except: string | null = null,
): number => db.run('DELETE FROM sign_ins WHERE user_id = ? AND id IS NOT ?', user_id, except)

export const removeEndedSignIns = (db: WritableDb, now: Timestamp): void =>
  void db.run('DELETE FROM sign_ins WHERE expires_at <= ?', now)
