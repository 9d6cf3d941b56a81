/** The table `device_codes`. */
import type { Db, WritableDb } from '#core/db.ts'
import type { Timestamp } from '#lib/time.ts'

export type DeviceRow = {
  device_hash: string
  user_code: string
  client_name: string
  /** JSON, or null for full rights. */
  scopes: string | null
  ip: string | null
  user_agent: string | null
  state: 'pending' | 'approved' | 'denied' | 'returned'
  user_id: string | null
  created_at: string
  expires_at: string
}

export const findDevice = (db: Db, device_hash: string): DeviceRow | null =>
  db.one<DeviceRow>('SELECT * FROM device_codes WHERE device_hash = ?', device_hash)

/** The pending request of a code. */
export const findPendingDevice = (db: Db, user_code: string, now: Timestamp): DeviceRow | null =>
  db.one<DeviceRow>(
    `SELECT * FROM device_codes WHERE user_code = ? AND state = 'pending' AND expires_at > ?`,
    user_code,
    now,
  )

export const isCodeTaken = (db: Db, user_code: string): boolean =>
  db.one('SELECT 1 FROM device_codes WHERE user_code = ?', user_code) !== null

export const insertDevice = (db: WritableDb, row: DeviceRow): void =>
  void db.run(
    `INSERT INTO device_codes (device_hash, user_code, client_name, scopes, ip, user_agent, state,
     user_id, created_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.device_hash,
    row.user_code,
    row.client_name,
    row.scopes,
    row.ip,
    row.user_agent,
    row.state,
    row.user_id,
    row.created_at,
    row.expires_at,
  )

export const setDecided = (
  db: WritableDb,
  device_hash: string,
  to: { state: 'approved' | 'denied'; user_id: string; scopes: string | null },
): void =>
  void db.run(
    'UPDATE device_codes SET state = ?, user_id = ?, scopes = ? WHERE device_hash = ?',
    to.state,
    to.user_id,
    to.scopes,
    device_hash,
  )

export const setTokenReturned = (db: WritableDb, device_hash: string): void =>
  void db.run(`UPDATE device_codes SET state = 'returned' WHERE device_hash = ?`, device_hash)

/** Deletes requests that a user approved and that no device has fetched a token for. */
export const removeApprovedDevices = (db: WritableDb, user_id: string): void =>
  void db.run(`DELETE FROM device_codes WHERE user_id = ? AND state = 'approved'`, user_id)

/** Deletes requests that expired before a time. */
export const removeEndedDevices = (db: WritableDb, before: Timestamp): void =>
  void db.run('DELETE FROM device_codes WHERE expires_at <= ?', before)

export const countDevices = (db: Db): number =>
  db.one<{ count: number }>('SELECT count(*) AS count FROM device_codes')?.count ?? 0
