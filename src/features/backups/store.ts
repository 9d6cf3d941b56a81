/** SQL for backups. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import { notFound } from '#lib/errors.ts'
import { isTypeId } from '#core/ids.ts'

export type BackupRow = {
  readonly id: string
  readonly name: string | null
  readonly place: string
  readonly state: 'queued' | 'running' | 'done' | 'failed'
  readonly scheduled: number
  readonly encrypted: number
  readonly progress: string | null
  readonly files: number | null
  readonly repositories: number | null
  readonly bytes: number | null
  readonly added_bytes: number | null
  readonly notes: string
  readonly error: string | null
  readonly verification: 'queued' | 'running' | 'passed' | 'failed' | null
  readonly verified_by: 'restoring' | 'sums' | null
  readonly findings: string
  readonly verified_at: string | null
  readonly created_by: string | null
  readonly created_at: string
  readonly started_at: string | null
  readonly finished_at: string | null
}

export const findBackup = (db: Db, id: string): BackupRow | null =>
  db.one<BackupRow>('SELECT * FROM backups WHERE id = ?', id)

export function requireBackupRow(db: Db, id: string): BackupRow {
  const row = isTypeId(id, 'bkp') ? findBackup(db, id) : null
  if (!row) throw notFound(`the backup ${id}`)
  return row
}

/** Newest first. */
export const listBackupRows = (db: Db): BackupRow[] =>
  db.all<BackupRow>('SELECT * FROM backups ORDER BY id DESC')

/** The newest scheduled backup in any state. */
export const findLastScheduled = (db: Db): BackupRow | null =>
  db.one<BackupRow>('SELECT * FROM backups WHERE scheduled = 1 ORDER BY id DESC LIMIT 1')
/**
 * Returns the failure that was not followed by a success: of the newest scheduled backup, or else
 * of the newest finished one.
 */
export function findLastFailure(db: Db): BackupRow | null {
  const ended = db.one<BackupRow>(
    `SELECT * FROM backups WHERE state IN ('done', 'failed') ORDER BY id DESC LIMIT 1`,
  )
  return [findLastScheduled(db), ended].find((row) => row?.state === 'failed') ?? null
}
export const findLastDone = (db: Db): BackupRow | null =>
  db.one<BackupRow>(`SELECT * FROM backups WHERE state = 'done' ORDER BY id DESC LIMIT 1`)
export const findUnfinished = (db: Db): BackupRow | null =>
  db.one<BackupRow>(
    `SELECT * FROM backups WHERE state IN ('queued', 'running') ORDER BY id DESC LIMIT 1`,
  )
export const findLastVerified = (db: Db): BackupRow | null =>
  db.one<BackupRow>(
    'SELECT * FROM backups WHERE verified_at IS NOT NULL ORDER BY verified_at DESC LIMIT 1',
  )
export const findVerifying = (db: Db): BackupRow | null =>
  db.one<BackupRow>(`SELECT * FROM backups WHERE verification IN ('queued', 'running') LIMIT 1`)

/**
 * Lists backups that no job will finish: those started by a command that ended, or that was running
 * when this database was copied.
 */
export const listAbandoned = (db: Db): BackupRow[] =>
  db.all<BackupRow>(
    `SELECT * FROM backups WHERE state IN ('queued', 'running') AND id NOT IN (SELECT key FROM jobs WHERE kind = 'run_backup' AND key IS NOT NULL AND state <> 'failed')`,
  )

export type NewBackup = Pick<BackupRow, 'id' | 'name' | 'place'> & {
  readonly scheduled: boolean
  readonly encrypted: boolean
  readonly created_by: string | null
}

export const insertBackup = (tx: Tx, row: NewBackup): number =>
  tx.db.run(
    `INSERT INTO backups (id, name, place, state, scheduled, encrypted, created_by, created_at) VALUES (?, ?, ?, 'queued', ?, ?, ?, ?)`,
    row.id,
    row.name,
    row.place,
    Number(row.scheduled),
    Number(row.encrypted),
    row.created_by,
    tx.now,
  )

export const setStarted = (tx: Tx, id: string): number =>
  tx.db.run(
    `UPDATE backups SET state = 'running', started_at = coalesce(started_at, ?) WHERE id = ? AND state IN ('queued', 'running')`,
    tx.now,
    id,
  )

export const setProgress = (tx: Tx, id: string, progress: unknown): number =>
  tx.db.run('UPDATE backups SET progress = ? WHERE id = ?', JSON.stringify(progress), id)

export type FinishedBackup = {
  readonly files: number
  readonly repositories: number
  readonly bytes: number
  readonly added_bytes: number
  readonly notes: readonly string[]
}

export const setDone = (tx: Tx, id: string, done: FinishedBackup): number =>
  tx.db.run(
    `UPDATE backups SET state = 'done', finished_at = ?, progress = NULL, files = ?, repositories = ?, bytes = ?, added_bytes = ?, notes = ? WHERE id = ?`,
    tx.now,
    done.files,
    done.repositories,
    done.bytes,
    done.added_bytes,
    JSON.stringify(done.notes),
    id,
  )

export const setFailed = (tx: Tx, id: string, error: string): number =>
  tx.db.run(
    `UPDATE backups SET state = 'failed', finished_at = ?, progress = NULL, error = ? WHERE id = ?`,
    tx.now,
    error,
    id,
  )

export const setVerification = (tx: Tx, id: string, state: 'queued' | 'running'): number =>
  tx.db.run(
    `UPDATE backups SET verification = ?, verified_by = NULL, findings = '[]' WHERE id = ?`,
    state,
    id,
  )

export const setVerified = (
  tx: Tx,
  id: string,
  end: { by: 'restoring' | 'sums'; findings: readonly string[] },
): number =>
  tx.db.run(
    'UPDATE backups SET verification = ?, verified_by = ?, findings = ?, verified_at = ?, progress = NULL WHERE id = ?',
    end.findings.length === 0 ? 'passed' : 'failed',
    end.by,
    JSON.stringify(end.findings),
    tx.now,
    id,
  )

export const removeBackup = (tx: Tx, id: string): number =>
  tx.db.run('DELETE FROM backups WHERE id = ?', id)

/** Lists the email addresses of site administrators. */
export const listAdminAddresses = (db: Db): string[] =>
  db
    .all<{ email: string }>(
      `SELECT emails.email FROM users JOIN emails ON emails.user_id = users.id AND emails.is_primary = 1
       WHERE users.site_admin = 1 AND users.suspended_at IS NULL ORDER BY users.id`,
    )
    .map(({ email }) => email)
