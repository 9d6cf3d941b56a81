/** The table `tracker_updates`. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { Timestamp } from '#lib/time.ts'
import type { TrackerUpdate, UpdateState } from '../schema.ts'

export type UpdateRow = {
  readonly seq: number
  readonly integration_id: string
  readonly fingerprint: string
  readonly number: number
  readonly kind: TrackerUpdate['kind']
  readonly comment_id: string | null
  readonly state: UpdateState
  readonly attempt: number
  /** Whether an attempt began, whose answer may not have been read. */
  readonly started: 0 | 1
  readonly due_at: number | null
  readonly message: string | null
  readonly created_at: Timestamp
  readonly finished_at: Timestamp | null
}

export const findUpdate = (db: Db, seq: number): UpdateRow | null =>
  db.one<UpdateRow>('SELECT * FROM tracker_updates WHERE seq = ?', seq)

/** Newest first. */
export const listUpdates = (
  db: Db,
  integration_id: string,
  window: { readonly limit: number; readonly offset: number },
): UpdateRow[] =>
  db.all<UpdateRow>(
    `SELECT * FROM tracker_updates WHERE integration_id = ? ORDER BY seq DESC LIMIT ? OFFSET ?`,
    integration_id,
    window.limit,
    window.offset,
  )

export const countUpdates = (db: Db, integration_id: string): number =>
  db.one<{ count: number }>(
    'SELECT count(*) AS count FROM tracker_updates WHERE integration_id = ?',
    integration_id,
  )?.count ?? 0

/** The oldest first, so that comments keep their order. */
export const listDue = (db: Db, integration_id: string, now: number, limit: number): UpdateRow[] =>
  db.all<UpdateRow>(
    `SELECT * FROM tracker_updates WHERE integration_id = ? AND due_at <= ? ORDER BY seq LIMIT ?`,
    integration_id,
    now,
    limit,
  )

export const nextDue = (db: Db, integration_id: string): number | null =>
  db.one<{ at: number | null }>(
    'SELECT min(due_at) AS at FROM tracker_updates WHERE integration_id = ? AND due_at IS NOT NULL',
    integration_id,
  )?.at ?? null

export const countWaiting = (db: Db, integration_id: string): number =>
  db.one<{ count: number }>(
    `SELECT count(*) AS count FROM tracker_updates
     WHERE integration_id = ? AND due_at IS NOT NULL`,
    integration_id,
  )?.count ?? 0

/** Whether the status of a subject is going to be told. What is told is decided then. */
export const isStatusWaiting = (db: Db, integration_id: string, fingerprint: string): boolean =>
  db.one(
    `SELECT 1 FROM tracker_updates
     WHERE integration_id = ? AND due_at IS NOT NULL AND kind = 'status' AND fingerprint = ?`,
    integration_id,
    fingerprint,
  ) !== null

/** How many ended updates of each integration are kept. */
const MAX_ENDED = 1000

export function insertUpdate(
  tx: Tx,
  row: Pick<UpdateRow, 'integration_id' | 'fingerprint' | 'number' | 'kind' | 'comment_id'>,
): void {
  tx.db.run(
    `INSERT INTO tracker_updates (integration_id, fingerprint, number, kind, comment_id, state,
     attempt, due_at, created_at) VALUES (?, ?, ?, ?, ?, 'waiting', 0, ?, ?)`,
    row.integration_id,
    row.fingerprint,
    row.number,
    row.kind,
    row.comment_id,
    tx.now_ms,
    tx.now,
  )
  tx.db.run(
    `DELETE FROM tracker_updates WHERE integration_id = ?1 AND due_at IS NULL AND seq <= (
       SELECT seq FROM tracker_updates WHERE integration_id = ?1 AND due_at IS NULL
       ORDER BY seq DESC LIMIT 1 OFFSET ?2)`,
    row.integration_id,
    MAX_ENDED,
  )
}

export const setStarted = (tx: Tx, seq: number): void =>
  void tx.db.run('UPDATE tracker_updates SET started = 1 WHERE seq = ?', seq)

export const setAttempted = (
  tx: Tx,
  seq: number,
  row: Pick<UpdateRow, 'state' | 'attempt' | 'due_at' | 'message'>,
): void =>
  void tx.db.run(
    `UPDATE tracker_updates SET state = ?, attempt = ?, due_at = ?, message = ?, finished_at = ?
     WHERE seq = ?`,
    row.state,
    row.attempt,
    row.due_at,
    row.message,
    row.due_at === null ? tx.now : null,
    seq,
  )

/** Deletes ended updates from before a time. Returns how many. */
export const removeUpdatesBefore = (tx: Tx, before: Timestamp, limit: number): number =>
  tx.db.run(
    `DELETE FROM tracker_updates WHERE seq IN (
       SELECT seq FROM tracker_updates WHERE due_at IS NULL AND created_at < ?
       ORDER BY seq LIMIT ?)`,
    before,
    limit,
  )
