/** The table `identities`: the accounts of a user at the configured sign-on providers. */
import type { Db, WritableDb } from '#core/db.ts'
import type { Timestamp } from '#lib/time.ts'

export type IdentityRow = {
  provider: string
  subject: string
  user_id: string
  label: string
  created_at: string
  last_used_at: string
}

export const findIdentity = (db: Db, provider: string, subject: string): IdentityRow | null =>
  db.one<IdentityRow>(
    'SELECT * FROM identities WHERE provider = ? AND subject = ?',
    provider,
    subject,
  )

export const listIdentities = (db: Db, user_id: string): IdentityRow[] =>
  db.all<IdentityRow>(
    'SELECT * FROM identities WHERE user_id = ? ORDER BY provider, subject',
    user_id,
  )

/** Inserts an identity or updates its last use. */
export const putIdentity = (
  db: WritableDb,
  row: { provider: string; subject: string; user_id: string; label: string; now: Timestamp },
): void =>
  void db.run(
    `INSERT INTO identities (provider, subject, user_id, label, created_at, last_used_at)
     VALUES (?1, ?2, ?3, ?4, ?5, ?5)
     ON CONFLICT (provider, subject) DO UPDATE SET label = ?4, last_used_at = ?5`,
    row.provider,
    row.subject,
    row.user_id,
    row.label,
    row.now,
  )

export const removeIdentitiesOf = (db: WritableDb, user_id: string): void =>
  void db.run('DELETE FROM identities WHERE user_id = ?', user_id)

export const removeIdentityRow = (
  db: WritableDb,
  row: { provider: string; subject: string; user_id: string },
): boolean =>
  db.run(
    'DELETE FROM identities WHERE provider = ? AND subject = ? AND user_id = ?',
    row.provider,
    row.subject,
    row.user_id,
  ) > 0
