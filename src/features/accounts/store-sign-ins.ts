/** The table `sign_ins`. */
import type { Db, WritableDb } from '#core/db.ts'
import type { Timestamp } from '#lib/time.ts'

export type SignInRow = {
  id: string
  user_id: string
  user_agent: string | null
  created_at: string
  last_used_at: string
  expires_at: string
}

export const findSignIn = (db: Db, secret_hash: string): SignInRow | null =>
  db.one<SignInRow>('SELECT id, user_id, user_agent, created_at, last_used_at, expires_at FROM sign_ins WHERE secret_hash = ?', secret_hash)

export const insertSignIn = (db: WritableDb, row: SignInRow, secret_hash: string): void =>
  void db.run(
    'INSERT INTO sign_ins (id, secret_hash, user_id, user_agent, created_at, last_used_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
    row.id, secret_hash, row.user_id, row.user_agent, row.created_at, row.last_used_at, row.expires_at,
  )

export const setSignInUsed = (db: WritableDb, id: string, now: Timestamp, expires_at: Timestamp): void =>
  void db.run('UPDATE sign_ins SET last_used_at = ?, expires_at = ? WHERE id = ?', now, expires_at, id)

export const removeSignIn = (db: WritableDb, id: string): void => void db.run('DELETE FROM sign_ins WHERE id = ?', id)

export const removeSignInsOf = (db: WritableDb, user_id: string): void => void db.run('DELETE FROM sign_ins WHERE user_id = ?', user_id)

export const removeEndedSignIns = (db: WritableDb, now: Timestamp): void => void db.run('DELETE FROM sign_ins WHERE expires_at <= ?', now)
