/** The table `oauth_refresh_tokens`. */
import type { Db, WritableDb } from '#core/db.ts'
import type { Timestamp } from '#lib/time.ts'

export type RefreshTokenRow = {
  secret_hash: string
  /** The approval that started the chain. */
  code_hash: string
  token_id: string | null
  created_at: string
  expires_at: string
  used_at: string | null
}

export const findRefreshToken = (db: Db, secret_hash: string): RefreshTokenRow | null =>
  db.one<RefreshTokenRow>('SELECT * FROM oauth_refresh_tokens WHERE secret_hash = ?', secret_hash)

/** All refresh tokens of a chain, the newest last. */
export const listTokenChain = (db: Db, code_hash: string): RefreshTokenRow[] =>
  db.all<RefreshTokenRow>(
    'SELECT * FROM oauth_refresh_tokens WHERE code_hash = ? ORDER BY created_at',
    code_hash,
  )

export const insertRefreshToken = (db: WritableDb, row: RefreshTokenRow): void =>
  void db.run(
    `INSERT INTO oauth_refresh_tokens (secret_hash, code_hash, token_id, created_at, expires_at,
     used_at) VALUES (?, ?, ?, ?, ?, ?)`,
    row.secret_hash,
    row.code_hash,
    row.token_id,
    row.created_at,
    row.expires_at,
    row.used_at,
  )

export const setRefreshTokenUsed = (db: WritableDb, secret_hash: string, now: Timestamp): void =>
  void db.run('UPDATE oauth_refresh_tokens SET used_at = ? WHERE secret_hash = ?', now, secret_hash)

/** Detaches refresh tokens from an expired access token, so that they survive its removal. */
export const unlinkAccessToken = (db: WritableDb, token_id: string): void =>
  void db.run('UPDATE oauth_refresh_tokens SET token_id = NULL WHERE token_id = ?', token_id)

export const removeEndedRefreshTokens = (db: WritableDb, now: Timestamp): void =>
  void db.run('DELETE FROM oauth_refresh_tokens WHERE expires_at <= ?', now)
