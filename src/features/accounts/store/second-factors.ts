/** The tables `authenticators`, `recovery_codes` and `passkeys`. */
import type { Db, WritableDb } from '#core/db.ts'
import type { Timestamp } from '#lib/time.ts'

export type AuthenticatorRow = {
  user_id: string
  sealed_secret: string
  created_at: string
  confirmed_at: string | null
  last_step: number
}

export const findAuthenticator = (db: Db, user_id: string): AuthenticatorRow | null =>
  db.one<AuthenticatorRow>('SELECT * FROM authenticators WHERE user_id = ?', user_id)

/** Inserts an authenticator. Replaces one whose setup is not complete. */
export const insertAuthenticator = (
  db: WritableDb,
  row: { user_id: string; sealed_secret: string; now: Timestamp },
): void =>
  void db.run(
    `INSERT INTO authenticators (user_id, sealed_secret, created_at) VALUES (?, ?, ?)
     ON CONFLICT (user_id) DO UPDATE SET sealed_secret = excluded.sealed_secret,
     created_at = excluded.created_at, confirmed_at = NULL, last_step = 0`,
    row.user_id,
    row.sealed_secret,
    row.now,
  )

export const setAuthenticatorConfirmed = (db: WritableDb, user_id: string, now: Timestamp): void =>
  void db.run('UPDATE authenticators SET confirmed_at = ? WHERE user_id = ?', now, user_id)

/** Marks a time step as used. False when it or a later one was used before. */
export const consumeTimeStep = (db: WritableDb, user_id: string, step: number): boolean =>
  db.run(
    'UPDATE authenticators SET last_step = ?2 WHERE user_id = ?1 AND last_step < ?2',
    user_id,
    step,
  ) > 0

export const removeAuthenticator = (db: WritableDb, user_id: string): void =>
  void db.run('DELETE FROM authenticators WHERE user_id = ?', user_id)

export function replaceRecoveryCodes(
  db: WritableDb,
  user_id: string,
  hashes: readonly string[],
): void {
  db.run('DELETE FROM recovery_codes WHERE user_id = ?', user_id)
  for (const hash of hashes)
    db.run('INSERT INTO recovery_codes (user_id, code_hash) VALUES (?, ?)', user_id, hash)
}

export const countRecoveryCodes = (db: Db, user_id: string): number =>
  db.one<{ count: number }>(
    'SELECT count(*) AS count FROM recovery_codes WHERE user_id = ?',
    user_id,
  )?.count ?? 0

export const hasRecoveryCode = (db: Db, user_id: string, code_hash: string): boolean =>
  db.one('SELECT 1 FROM recovery_codes WHERE user_id = ? AND code_hash = ?', user_id, code_hash) !==
  null

/** Deletes a recovery code. False when there is no such code. */
export const consumeRecoveryCode = (db: WritableDb, user_id: string, code_hash: string): boolean =>
  db.run('DELETE FROM recovery_codes WHERE user_id = ? AND code_hash = ?', user_id, code_hash) > 0

export type PasskeyRow = {
  id: string
  user_id: string
  name: string
  public_key: string
  counter: number
  transports: string
  backed_up: number
  created_at: string
  last_used_at: string | null
}

export const findPasskey = (db: Db, id: string): PasskeyRow | null =>
  db.one<PasskeyRow>('SELECT * FROM passkeys WHERE id = ?', id)

/** The oldest first. */
export const listPasskeys = (db: Db, user_id: string): PasskeyRow[] =>
  db.all<PasskeyRow>('SELECT * FROM passkeys WHERE user_id = ? ORDER BY created_at, id', user_id)

export const insertPasskey = (db: WritableDb, row: Omit<PasskeyRow, 'last_used_at'>): void =>
  void db.run(
    `INSERT INTO passkeys (id, user_id, name, public_key, counter, transports, backed_up,
     created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    row.user_id,
    row.name,
    row.public_key,
    row.counter,
    row.transports,
    row.backed_up,
    row.created_at,
  )

export const setPasskeyUsed = (db: WritableDb, id: string, counter: number, now: Timestamp): void =>
  void db.run('UPDATE passkeys SET counter = ?, last_used_at = ? WHERE id = ?', counter, now, id)

export const removePasskeyRow = (db: WritableDb, id: string): void =>
  void db.run('DELETE FROM passkeys WHERE id = ?', id)

export const removePasskeysOf = (db: WritableDb, user_id: string): void =>
  void db.run('DELETE FROM passkeys WHERE user_id = ?', user_id)
