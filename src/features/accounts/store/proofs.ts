/** The tables `proofs` (mailed links) and `setup_links`. Both store hashes of secrets. */
import type { Db, WritableDb } from '#core/db.ts'
import type { Timestamp } from '#lib/time.ts'

export type ProofKind = 'confirm' | 'reset'
export type ProofRow = {
  secret_hash: string
  kind: ProofKind
  user_id: string
  email: string
  created_at: string
  expires_at: string
}

export const insertProof = (db: WritableDb, row: ProofRow): void =>
  void db.run(
    `INSERT INTO proofs (secret_hash, kind, user_id, email, created_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
    row.secret_hash,
    row.kind,
    row.user_id,
    row.email,
    row.created_at,
    row.expires_at,
  )

export const findProof = (
  db: Db,
  kind: ProofKind,
  secret_hash: string,
  now: Timestamp,
): ProofRow | null =>
  db.one<ProofRow>(
    'SELECT * FROM proofs WHERE secret_hash = ? AND kind = ? AND expires_at > ?',
    secret_hash,
    kind,
    now,
  )

export const countProofs = (db: Db, kind: ProofKind, user_id: string, since: Timestamp): number =>
  db.one<{ count: number }>(
    'SELECT count(*) AS count FROM proofs WHERE user_id = ? AND kind = ? AND created_at > ?',
    user_id,
    kind,
    since,
  )?.count ?? 0

/** Deletes the links of one kind, optionally for one address only. */
export const removeProofs = (
  db: WritableDb,
  kind: ProofKind,
  user_id: string,
  email: string | null,
): void =>
  void db.run(
    'DELETE FROM proofs WHERE user_id = ?1 AND kind = ?2 AND (?3 IS NULL OR email = ?3)',
    user_id,
    kind,
    email,
  )

export const removeEndedProofs = (db: WritableDb, now: Timestamp): void =>
  void db.run('DELETE FROM proofs WHERE expires_at <= ?', now)

/** Replaces the set-up link, of which there is at most one. */
export function replaceSetupLink(
  db: WritableDb,
  link: { secret_hash: string; expires_at: Timestamp } | null,
): void {
  db.run('DELETE FROM setup_links')
  if (link)
    db.run(
      'INSERT INTO setup_links (secret_hash, expires_at) VALUES (?, ?)',
      link.secret_hash,
      link.expires_at,
    )
}

export const isSetupSecret = (db: Db, secret_hash: string, now: Timestamp): boolean =>
  db.one('SELECT 1 FROM setup_links WHERE secret_hash = ? AND expires_at > ?', secret_hash, now) !==
  null
