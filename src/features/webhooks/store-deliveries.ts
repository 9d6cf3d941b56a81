/** The tables `webhook_deliveries` and `webhook_payloads`. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { Timestamp } from '#lib/time.ts'
import type { DeliveryError, DeliveryState } from './schema.ts'

export type DeliveryRow = {
  readonly id: string
  readonly hook_id: string
  readonly event_id: string
  readonly type: string
  /** The body of the request. */
  readonly payload: string
  readonly state: DeliveryState
  readonly attempt: number
  readonly redelivery_of: string | null
  readonly due_at: number | null
  readonly tried_at: Timestamp | null
  readonly url: string | null
  readonly signature: string | null
  readonly status: number | null
  /** A JSON object. */
  readonly headers: string | null
  readonly body: string | null
  readonly error: DeliveryError | null
  readonly duration_ms: number | null
  readonly created_at: Timestamp
  readonly finished_at: Timestamp | null
}

const SELECT = `SELECT d.*, p.type, p.body AS payload FROM webhook_deliveries d
    JOIN webhook_payloads p ON p.event_id = d.event_id`

export const findDelivery = (db: Db, id: string): DeliveryRow | null =>
  db.one<DeliveryRow>(`${SELECT} WHERE d.id = ?`, id)

export type DeliveryFilter = {
  hook_id: string
  state: DeliveryState | null
  before: string | null
  limit: number
}

/** Sorts after every id, so that the first page uses the same query. */
const END = 'dlw'

/** Newest first. */
export const listDeliveryRows = (
  db: Db,
  { hook_id, state, before, limit }: DeliveryFilter,
): DeliveryRow[] =>
  state === null
    ? db.all<DeliveryRow>(
        `${SELECT} WHERE d.hook_id = ? AND d.id < ? ORDER BY d.id DESC LIMIT ?`,
        hook_id,
        before ?? END,
        limit,
      )
    : db.all<DeliveryRow>(
        `${SELECT} WHERE d.hook_id = ? AND d.state = ? AND d.id < ? ORDER BY d.id DESC LIMIT ?`,
        hook_id,
        state,
        before ?? END,
        limit,
      )

export const findLastDelivery = (
  db: Db,
  hook_id: string,
): Pick<DeliveryRow, 'id' | 'state' | 'tried_at' | 'created_at'> | null =>
  db.one(
    `SELECT id, state, tried_at, created_at FROM webhook_deliveries WHERE hook_id = ?
      ORDER BY id DESC LIMIT 1`,
    hook_id,
  )

export const putPayload = (
  tx: Tx,
  payload: { event_id: string; type: string; body: string; kept_until: Timestamp },
): void =>
  void tx.db.run(
    `INSERT INTO webhook_payloads (event_id, type, body, kept_until) VALUES (?, ?, ?, ?)
      ON CONFLICT (event_id) DO UPDATE SET kept_until = max(kept_until, excluded.kept_until)`,
    payload.event_id,
    payload.type,
    payload.body,
    payload.kept_until,
  )

export const insertDelivery = (
  tx: Tx,
  row: Pick<DeliveryRow, 'id' | 'hook_id' | 'event_id' | 'redelivery_of'>,
): void =>
  void tx.db.run(
    `INSERT INTO webhook_deliveries (id, hook_id, event_id, state, attempt, redelivery_of,
      due_at, created_at) VALUES (?, ?, ?, 'sent', 1, ?, ?, ?)`,
    row.id,
    row.hook_id,
    row.event_id,
    row.redelivery_of,
    tx.now_ms,
    tx.now,
  )

/** Ids of due deliveries, the longest due first. */
export const listDue = (db: Db, hook_id: string, now_ms: number, limit: number): string[] =>
  db
    .all<{ id: string }>(
      'SELECT id FROM webhook_deliveries WHERE hook_id = ? AND due_at <= ? ORDER BY due_at LIMIT ?',
      hook_id,
      now_ms,
      limit,
    )
    .map(({ id }) => id)

/** When the next delivery is due; null for none. */
export const nextDue = (db: Db, hook_id: string): number | null =>
  db.one<{ at: number | null }>(
    'SELECT min(due_at) AS at FROM webhook_deliveries WHERE hook_id = ? AND due_at IS NOT NULL',
    hook_id,
  )?.at ?? null

export type AttemptResult = Pick<
  DeliveryRow,
  | 'state'
  | 'attempt'
  | 'due_at'
  | 'tried_at'
  | 'url'
  | 'signature'
  | 'status'
  | 'headers'
  | 'body'
  | 'error'
  | 'duration_ms'
  | 'finished_at'
>

export const setAttempted = (tx: Tx, id: string, row: AttemptResult): void =>
  void tx.db.run(
    `UPDATE webhook_deliveries
       SET state = ?, attempt = ?, due_at = ?, tried_at = ?, url = ?, signature = ?, status = ?,
       headers = ?, body = ?, error = ?,
       duration_ms = ?, finished_at = ? WHERE id = ?`,
    row.state,
    row.attempt,
    row.due_at,
    row.tried_at,
    row.url,
    row.signature,
    row.status,
    row.headers,
    row.body,
    row.error,
    row.duration_ms,
    row.finished_at,
    id,
  )

/** Cancels all due deliveries and returns their number. */
export const cancelDue = (tx: Tx, hook_id: string): number =>
  tx.db.run(
    `UPDATE webhook_deliveries SET state = 'cancelled', due_at = NULL, finished_at = ?
      WHERE hook_id = ? AND due_at IS NOT NULL`,
    tx.now,
    hook_id,
  )

/** Whether the oldest delivery of a webhook is from before a moment. */
export const hasOlder = (db: Db, hook_id: string, before: Timestamp): boolean =>
  (db.one<{ created_at: Timestamp }>(
    'SELECT created_at FROM webhook_deliveries WHERE hook_id = ? ORDER BY id LIMIT 1',
    hook_id,
  )?.created_at ?? before) < before

/**
 * Removes the oldest deliveries of a webhook from before a moment, at most `limit`, and returns
 * their number.
 */
export const removeOldDeliveries = (
  tx: Tx,
  hook_id: string,
  before: Timestamp,
  limit: number,
): number =>
  tx.db.run(
    `DELETE FROM webhook_deliveries WHERE id IN (SELECT id FROM webhook_deliveries
      WHERE hook_id = ?1 ORDER BY id LIMIT ?3) AND created_at < ?2`,
    hook_id,
    before,
    limit,
  )

export const removeDeliveries = (tx: Tx, hook_id: string, limit: number): number =>
  tx.db.run(
    `DELETE FROM webhook_deliveries WHERE id IN (SELECT id FROM webhook_deliveries
      WHERE hook_id = ? LIMIT ?)`,
    hook_id,
    limit,
  )

export const removeOldPayloads = (tx: Tx, before: Timestamp, limit: number): number =>
  tx.db.run(
    `DELETE FROM webhook_payloads WHERE event_id IN (SELECT event_id FROM webhook_payloads
      WHERE kept_until < ? LIMIT ?)`,
    before,
    limit,
  )

/** The number of due deliveries. */
export const countDue = (db: Db): number =>
  db.one<{ count: number }>(
    'SELECT count(*) AS count FROM webhook_deliveries WHERE due_at IS NOT NULL',
  )?.count ?? 0

/** Webhooks with due deliveries. */
export const listWithDue = (db: Db): string[] =>
  db
    .all<{ hook_id: string }>(
      `SELECT id AS hook_id FROM webhooks w WHERE EXISTS (SELECT 1 FROM webhook_deliveries
        WHERE hook_id = w.id AND due_at IS NOT NULL)`,
    )
    .map(({ hook_id }) => hook_id)
