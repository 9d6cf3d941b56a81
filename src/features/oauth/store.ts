/** The tables `oauth_applications` and `oauth_grants`. */
import type { Db, WritableDb } from '#core/db.ts'
import type { Timestamp } from '#lib/time.ts'

export type ApplicationRow = {
  id: string
  user_id: string
  client_hash: string
  name: string
  host: string
  url: string | null
  approved_at: string
}

export const findApplication = (db: Db, id: string): ApplicationRow | null =>
  db.one<ApplicationRow>('SELECT * FROM oauth_applications WHERE id = ?', id)

export const findApplicationByClient = (
  db: Db,
  user_id: string,
  client_hash: string,
): ApplicationRow | null =>
  db.one<ApplicationRow>(
    'SELECT * FROM oauth_applications WHERE user_id = ? AND client_hash = ?',
    user_id,
    client_hash,
  )

/** All applications of a user, also without a valid token. */
export const listApplicationsOf = (db: Db, user_id: string): ApplicationRow[] =>
  db.all<ApplicationRow>('SELECT * FROM oauth_applications WHERE user_id = ?', user_id)

/** Applications with a valid refresh token, last approved first. */
export const listApplicationRows = (
  db: Db,
  user_id: string,
  now: Timestamp,
  window: { limit: number; offset: number },
): ApplicationRow[] =>
  db.all<ApplicationRow>(
    `SELECT * FROM oauth_applications a WHERE user_id = ?1 AND EXISTS (
       SELECT 1 FROM oauth_grants g JOIN oauth_refresh_tokens r ON r.code_hash = g.code_hash
       WHERE g.application_id = a.id AND r.used_at IS NULL AND r.expires_at > ?2)
     ORDER BY approved_at DESC, id DESC LIMIT ?3 OFFSET ?4`,
    user_id,
    now,
    window.limit,
    window.offset,
  )

export const insertApplication = (db: WritableDb, row: ApplicationRow): void =>
  void db.run(
    `INSERT INTO oauth_applications (id, user_id, client_hash, name, host, url, approved_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    row.user_id,
    row.client_hash,
    row.name,
    row.host,
    row.url,
    row.approved_at,
  )

/** Records a new approval with the name and host of this request. */
export const setApplicationApproved = (
  db: WritableDb,
  id: string,
  to: { name: string; host: string; approved_at: Timestamp },
): void =>
  void db.run(
    'UPDATE oauth_applications SET name = ?, host = ?, approved_at = ? WHERE id = ?',
    to.name,
    to.host,
    to.approved_at,
    id,
  )

export const removeApplication = (db: WritableDb, id: string): void =>
  void db.run('DELETE FROM oauth_applications WHERE id = ?', id)

export type GrantRow = {
  code_hash: string
  application_id: string
  redirect_uri: string
  challenge: string
  /** JSON, or null for full rights. */
  scopes: string | null
  resource: string | null
  created_at: string
  expires_at: string
  used_at: string | null
}

/** An approval with its user and application. */
export type GrantWithApplication = GrantRow &
  Pick<ApplicationRow, 'user_id' | 'client_hash' | 'name'>

const GRANT = `SELECT g.*, a.user_id, a.client_hash, a.name FROM oauth_grants g
   JOIN oauth_applications a ON a.id = g.application_id`

export const findGrant = (db: Db, code_hash: string): GrantWithApplication | null =>
  db.one<GrantWithApplication>(`${GRANT} WHERE g.code_hash = ?`, code_hash)

export const listGrants = (db: Db, application_id: string): GrantRow[] =>
  db.all<GrantRow>('SELECT * FROM oauth_grants WHERE application_id = ?', application_id)

export const insertGrant = (db: WritableDb, row: GrantRow): void =>
  void db.run(
    `INSERT INTO oauth_grants (code_hash, application_id, redirect_uri, challenge, scopes,
     resource, created_at, expires_at, used_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.code_hash,
    row.application_id,
    row.redirect_uri,
    row.challenge,
    row.scopes,
    row.resource,
    row.created_at,
    row.expires_at,
    row.used_at,
  )

export const setCodeUsed = (db: WritableDb, code_hash: string, now: Timestamp): void =>
  void db.run('UPDATE oauth_grants SET used_at = ? WHERE code_hash = ?', now, code_hash)

export const removeGrant = (db: WritableDb, code_hash: string): void =>
  void db.run('DELETE FROM oauth_grants WHERE code_hash = ?', code_hash)

/** Deletes approvals whose code and tokens have expired, then applications without approvals. */
export function removeEndedGrants(db: WritableDb, now: Timestamp): void {
  db.run(
    `DELETE FROM oauth_grants WHERE expires_at <= ? AND code_hash NOT IN (SELECT code_hash
     FROM oauth_refresh_tokens)`,
    now,
  )
  db.run('DELETE FROM oauth_applications WHERE id NOT IN (SELECT application_id FROM oauth_grants)')
}
