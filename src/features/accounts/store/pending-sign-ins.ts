/**
 * The table `pending_sign_ins`: sign-ins whose first factor was verified and whose second was not.
 */
import type { Db, WritableDb } from '#core/db.ts'
import type { SignInMethod } from '../schema.ts'
import type { Timestamp } from '#lib/time.ts'

export type PendingSignInRow = {
  secret_hash: string
  user_id: string
  method: SignInMethod
  tries_left: number
  expires_at: string
}

export const findPendingSignIn = (
  db: Db,
  secret_hash: string,
  now: Timestamp,
): PendingSignInRow | null =>
  db.one<PendingSignInRow>(
    'SELECT * FROM pending_sign_ins WHERE secret_hash = ? AND expires_at > ? AND tries_left > 0',
    secret_hash,
    now,
  )

export const insertPendingSignIn = (db: WritableDb, row: PendingSignInRow): void =>
  void db.run(
    `INSERT INTO pending_sign_ins (secret_hash, user_id, method, tries_left, expires_at)
     VALUES (?, ?, ?, ?, ?)`,
    row.secret_hash,
    row.user_id,
    row.method,
    row.tries_left,
    row.expires_at,
  )

/** Counts one attempt. Returns the attempts left, or null when the row is gone. */
export function consumeAttempt(db: WritableDb, secret_hash: string): number | null {
  db.run(
    'UPDATE pending_sign_ins SET tries_left = tries_left - 1 WHERE secret_hash = ?',
    secret_hash,
  )
  return (
    db.one<{ tries_left: number }>(
      'SELECT tries_left FROM pending_sign_ins WHERE secret_hash = ?',
      secret_hash,
    )?.tries_left ?? null
  )
}

export const removePendingSignIn = (db: WritableDb, secret_hash: string): void =>
  void db.run('DELETE FROM pending_sign_ins WHERE secret_hash = ?', secret_hash)

export const removePendingSignInsOf = (db: WritableDb, user_id: string): void =>
  void db.run('DELETE FROM pending_sign_ins WHERE user_id = ?', user_id)

export const removeEndedPendingSignIns = (db: WritableDb, now: Timestamp): void =>
  void db.run('DELETE FROM pending_sign_ins WHERE expires_at <= ?', now)
