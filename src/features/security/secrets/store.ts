/** The tables `secret_alerts`, `secret_locations`, `secret_bypasses` and `secret_scans`. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { Timestamp } from '#lib/time.ts'
import type {
  BypassReason,
  Resolution,
  ScanState,
  SecretState,
  Source,
  Validity,
} from './schema.ts'

export type AlertRow = {
  readonly id: string
  readonly repo_id: string
  readonly fingerprint: string
  readonly type: string
  readonly label: string
  readonly preview: string
  readonly validity: Validity
  readonly state: SecretState
  readonly resolution: Resolution | null
  readonly resolved_by: string | null
  readonly resolved_at: Timestamp | null
  readonly note: string | null
  readonly bypassed_by: string | null
  readonly bypassed_at: Timestamp | null
  readonly bypass_reason: BypassReason | null
  readonly locations_count: number
  readonly created_at: Timestamp
}

export const findAlert = (db: Db, repo_id: string, id: string): AlertRow | null =>
  db.one<AlertRow>('SELECT * FROM secret_alerts WHERE repo_id = ? AND id = ?', repo_id, id)

export const findAlertByFingerprint = (
  db: Db,
  repo_id: string,
  fingerprint: string,
): AlertRow | null =>
  db.one<AlertRow>(
    'SELECT * FROM secret_alerts WHERE repo_id = ? AND fingerprint = ?',
    repo_id,
    fingerprint,
  )

/** Newest first. */
export const listAlertRows = (
  db: Db,
  { repo_id, state, type }: { repo_id: string; state?: SecretState; type?: string },
  window: { limit: number; offset: number },
): AlertRow[] =>
  db.all<AlertRow>(
    `SELECT * FROM secret_alerts WHERE repo_id = ?1 AND (?2 IS NULL OR state = ?2)
       AND (?3 IS NULL OR type = ?3) ORDER BY id DESC LIMIT ?4 OFFSET ?5`,
    repo_id,
    state ?? null,
    type ?? null,
    window.limit,
    window.offset,
  )

type NewAlert = Pick<
  AlertRow,
  'id' | 'repo_id' | 'fingerprint' | 'type' | 'label' | 'preview' | 'validity'
>

export const insertAlert = (tx: Tx, row: NewAlert): void =>
  void tx.db.run(
    `INSERT INTO secret_alerts (id, repo_id, fingerprint, type, label, preview, validity, state, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, 'open', ?)`,
    row.id,
    row.repo_id,
    row.fingerprint,
    row.type,
    row.label,
    row.preview,
    row.validity,
    tx.now,
  )

export const setAlertState = (
  tx: Tx,
  id: string,
  row: Pick<AlertRow, 'state' | 'resolution' | 'resolved_by' | 'resolved_at' | 'note'>,
): void =>
  void tx.db.run(
    `UPDATE secret_alerts SET state = ?, resolution = ?, resolved_by = ?, resolved_at = ?, note = ?
     WHERE id = ?`,
    row.state,
    row.resolution,
    row.resolved_by,
    row.resolved_at,
    row.note,
    id,
  )

export const setAlertBypassed = (tx: Tx, id: string, by: string, reason: BypassReason): void =>
  void tx.db.run(
    'UPDATE secret_alerts SET bypassed_by = ?, bypassed_at = ?, bypass_reason = ? WHERE id = ?',
    by,
    tx.now,
    reason,
    id,
  )

export type LocationRow = {
  readonly alert_id: string
  /** Empty for a text. */
  readonly commit: string
  readonly path: string
  readonly line: number
  readonly source: Source
  readonly found_at: Timestamp
}

/** Adds a location unless it is known, up to `limit` of an alert. */
export function addLocation(tx: Tx, row: Omit<LocationRow, 'found_at'>, limit: number): void {
  const added = tx.db.run(
    `INSERT INTO secret_locations (alert_id, "commit", path, line, source, found_at)
     SELECT ?1, ?2, ?3, ?4, ?5, ?6
     WHERE (SELECT locations_count FROM secret_alerts WHERE id = ?1) < ?7
     ON CONFLICT DO NOTHING`,
    row.alert_id,
    row.commit,
    row.path,
    row.line,
    row.source,
    tx.now,
    limit,
  )
  if (added > 0)
    tx.db.run(
      'UPDATE secret_alerts SET locations_count = locations_count + 1 WHERE id = ?',
      row.alert_id,
    )
}

/** Oldest first. */
export const listLocationRows = (
  db: Db,
  alert_id: string,
  window: { limit: number; offset: number },
): LocationRow[] =>
  db.all<LocationRow>(
    `SELECT * FROM secret_locations WHERE alert_id = ?
     ORDER BY found_at, path, line, "commit" LIMIT ? OFFSET ?`,
    alert_id,
    window.limit,
    window.offset,
  )

export const findBypass = (
  db: Db,
  repo_id: string,
  user_id: string,
  fingerprint: string,
): { readonly expires_at: Timestamp } | null =>
  db.one<{ expires_at: Timestamp }>(
    'SELECT expires_at FROM secret_bypasses WHERE repo_id = ? AND user_id = ? AND fingerprint = ?',
    repo_id,
    user_id,
    fingerprint,
  )

export const putBypass = (
  tx: Tx,
  row: {
    readonly repo_id: string
    readonly user_id: string
    readonly fingerprint: string
    readonly reason: BypassReason
    readonly expires_at: Timestamp
  },
): void =>
  void tx.db.run(
    `INSERT INTO secret_bypasses (repo_id, user_id, fingerprint, reason, created_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET reason = excluded.reason, created_at = excluded.created_at,
       expires_at = excluded.expires_at`,
    row.repo_id,
    row.user_id,
    row.fingerprint,
    row.reason,
    tx.now,
    row.expires_at,
  )

export const removeBypassesBefore = (tx: Tx, before: Timestamp, limit: number): number =>
  tx.db.run(
    `DELETE FROM secret_bypasses WHERE (repo_id, user_id, fingerprint) IN (
       SELECT repo_id, user_id, fingerprint FROM secret_bypasses WHERE expires_at < ? LIMIT ?)`,
    before,
    limit,
  )

export type ScanRow = {
  readonly repo_id: string
  readonly state: ScanState
  readonly requested_by: string | null
  /** JSON arrays of commits. */
  readonly tips: string
  readonly finished: string
  readonly commits: number
  readonly alerts: number
  readonly created_at: Timestamp
  readonly finished_at: Timestamp | null
}

export const findScan = (db: Db, repo_id: string): ScanRow | null =>
  db.one<ScanRow>('SELECT * FROM secret_scans WHERE repo_id = ?', repo_id)

export const putScan = (tx: Tx, row: Pick<ScanRow, 'repo_id' | 'requested_by' | 'tips'>): void =>
  void tx.db.run(
    `INSERT INTO secret_scans (repo_id, state, requested_by, tips, created_at)
     VALUES (?, 'queued', ?, ?, ?)
     ON CONFLICT DO UPDATE SET state = 'queued', requested_by = excluded.requested_by,
       tips = excluded.tips, finished = '[]', commits = 0, alerts = 0,
       created_at = excluded.created_at, finished_at = NULL`,
    row.repo_id,
    row.requested_by,
    row.tips,
    tx.now,
  )

export const setScan = (
  tx: Tx,
  repo_id: string,
  row: Pick<ScanRow, 'state' | 'tips' | 'finished' | 'commits' | 'alerts' | 'finished_at'>,
): void =>
  void tx.db.run(
    `UPDATE secret_scans SET state = ?, tips = ?, finished = ?, commits = ?, alerts = ?, finished_at = ?
     WHERE repo_id = ?`,
    row.state,
    row.tips,
    row.finished,
    row.commits,
    row.alerts,
    row.finished_at,
    repo_id,
  )

export const removeAlertsOfRepo = (tx: Tx, repo_id: string, limit: number): number =>
  tx.db.run(
    `DELETE FROM secret_locations WHERE (alert_id, "commit", path, line) IN (
       SELECT l.alert_id, l."commit", l.path, l.line FROM secret_alerts a
       JOIN secret_locations l ON l.alert_id = a.id WHERE a.repo_id = ? LIMIT ?)`,
    repo_id,
    limit,
  ) ||
  tx.db.run(
    'DELETE FROM secret_alerts WHERE id IN (SELECT id FROM secret_alerts WHERE repo_id = ? LIMIT ?)',
    repo_id,
    limit,
  )
