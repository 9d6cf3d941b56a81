/** The table `invites`: permissions to create an account. */
import type { Db, WritableDb } from '#core/db.ts'
import type { Timestamp } from '#lib/time.ts'

export type InviteRow = {
  id: string
  code: string
  created_by: string
  email: string | null
  workspace_id: string | null
  state: 'pending' | 'used' | 'revoked'
  used_by: string | null
  created_at: string
  used_at: string | null
  expires_at: string
}

export const findInvite = (db: Db, id: string): InviteRow | null =>
  db.one<InviteRow>('SELECT * FROM invites WHERE id = ?', id)

/** A pending invite that has not expired. */
export const findOpenInvite = (db: Db, code: string, now: Timestamp): InviteRow | null =>
  db.one<InviteRow>(
    `SELECT * FROM invites WHERE code = ? AND state = 'pending' AND expires_at > ?`,
    code,
    now,
  )

/** Newest first. */
export const listInviteRows = (
  db: Db,
  created_by: string,
  window: { limit: number; offset: number },
): InviteRow[] =>
  db.all<InviteRow>(
    'SELECT * FROM invites WHERE created_by = ? ORDER BY id DESC LIMIT ? OFFSET ?',
    created_by,
    window.limit,
    window.offset,
  )

export const insertInvite = (
  db: WritableDb,
  row: Omit<InviteRow, 'state' | 'used_by' | 'used_at'>,
): void =>
  void db.run(
    `INSERT INTO invites (id, code, created_by, email, workspace_id, state, created_at,
     expires_at) VALUES (?, ?, ?, ?, ?, 'pending', ?, ?)`,
    row.id,
    row.code,
    row.created_by,
    row.email,
    row.workspace_id,
    row.created_at,
    row.expires_at,
  )

export const setInviteRevoked = (db: WritableDb, id: string): void =>
  void db.run(`UPDATE invites SET state = 'revoked' WHERE id = ?`, id)

export const setInviteUsed = (db: WritableDb, id: string, used_by: string, now: Timestamp): void =>
  void db.run(
    `UPDATE invites SET state = 'used', used_by = ?, used_at = ? WHERE id = ?`,
    used_by,
    now,
    id,
  )
