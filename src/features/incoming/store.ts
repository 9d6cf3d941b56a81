/** The tables of incoming webhooks. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { Timestamp } from '#lib/time.ts'
import type { DeliveryState } from './schema.ts'

export type HookRow = {
  readonly integration_id: string
  readonly repo_id: string
  readonly generation: string
  /** Sealed. */
  readonly secret: string | null
  /** JSON. */
  readonly labels: string
  /** Whether the service is told when an issue closes or opens again. */
  readonly sync_status: 0 | 1
  /** Whether comments of people with Write are sent to the service. */
  readonly sync_comments: 0 | 1
  readonly actor_id: string
  readonly owner_id: string
  readonly created_at: Timestamp
  readonly updated_at: Timestamp
}

export const findHook = (db: Db, integration_id: string): HookRow | null =>
  db.one<HookRow>('SELECT * FROM incoming_hooks WHERE integration_id = ?', integration_id)

/** Inserts a webhook, or replaces what it is set to. */
export const putHook = (tx: Tx, row: Omit<HookRow, 'created_at' | 'updated_at'>): void =>
  void tx.db.run(
    `INSERT INTO incoming_hooks (integration_id, repo_id, generation, secret, labels, sync_status,
     sync_comments, actor_id, owner_id, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (integration_id) DO UPDATE SET repo_id = excluded.repo_id,
     generation = excluded.generation, secret = excluded.secret, labels = excluded.labels,
     sync_status = excluded.sync_status, sync_comments = excluded.sync_comments,
     actor_id = excluded.actor_id, owner_id = excluded.owner_id, updated_at = excluded.updated_at`,
    row.integration_id,
    row.repo_id,
    row.generation,
    row.secret,
    row.labels,
    row.sync_status,
    row.sync_comments,
    row.actor_id,
    row.owner_id,
    tx.now,
    tx.now,
  )

export const removeHook = (tx: Tx, integration_id: string): void =>
  void tx.db.run('DELETE FROM incoming_hooks WHERE integration_id = ?', integration_id)

export type DeliveryRow = {
  readonly seq: number
  readonly integration_id: string
  readonly sender_id: string | null
  readonly digest: string | null
  readonly event: string
  readonly state: DeliveryState
  readonly message: string | null
  /** JSON. */
  readonly issues: string
  readonly size: number
  readonly received_at: Timestamp
}

/** Newest first. */
export const listDeliveries = (
  db: Db,
  integration_id: string,
  window: { readonly limit: number; readonly offset: number },
): DeliveryRow[] =>
  db.all<DeliveryRow>(
    `SELECT * FROM incoming_deliveries WHERE integration_id = ? ORDER BY seq DESC
     LIMIT ? OFFSET ?`,
    integration_id,
    window.limit,
    window.offset,
  )

export const countDeliveries = (db: Db, integration_id: string): number =>
  db.one<{ count: number }>(
    'SELECT count(*) AS count FROM incoming_deliveries WHERE integration_id = ?',
    integration_id,
  )?.count ?? 0

/** Whether an event was done before. Deliveries that failed may be sent again. */
export const wasReceived = (
  db: Db,
  integration_id: string,
  { sender_id, digest }: Pick<DeliveryRow, 'sender_id' | 'digest'>,
): boolean =>
  db.one(
    `SELECT 1 FROM incoming_deliveries WHERE integration_id = ?1 AND sender_id = ?2
       AND state IN ('done', 'ignored')
     UNION ALL
     SELECT 1 FROM incoming_deliveries WHERE integration_id = ?1 AND digest = ?3
       AND state IN ('done', 'ignored') LIMIT 1`,
    integration_id,
    sender_id,
    digest,
  ) !== null

/** What is kept of each webhook. Refused deliveries never push out those that were done. */
const MAX_DONE = 1000
const MAX_FAILED = 50

export function insertDelivery(tx: Tx, row: Omit<DeliveryRow, 'seq' | 'received_at'>): void {
  tx.db.run(
    `INSERT INTO incoming_deliveries (integration_id, sender_id, digest, event, state, message,
     issues, size, received_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.integration_id,
    row.sender_id,
    row.digest,
    row.event,
    row.state,
    row.message,
    row.issues,
    row.size,
    tx.now,
  )
  const isDone = row.state === 'done' || row.state === 'ignored'
  const states = JSON.stringify(isDone ? ['done', 'ignored'] : ['refused', 'failed'])
  tx.db.run(
    `DELETE FROM incoming_deliveries WHERE integration_id = ?1
       AND state IN (SELECT value FROM json_each(?2)) AND seq <= (
         SELECT seq FROM incoming_deliveries WHERE integration_id = ?1
           AND state IN (SELECT value FROM json_each(?2)) ORDER BY seq DESC LIMIT 1 OFFSET ?3)`,
    row.integration_id,
    states,
    isDone ? MAX_DONE : MAX_FAILED,
  )
}

export const removeDeliveriesBefore = (tx: Tx, before: Timestamp, limit: number): number =>
  tx.db.run(
    `DELETE FROM incoming_deliveries WHERE seq IN (
       SELECT seq FROM incoming_deliveries WHERE received_at < ? ORDER BY seq LIMIT ?)`,
    before,
    limit,
  )

export type SubjectRow = {
  readonly integration_id: string
  readonly fingerprint: string
  readonly repo_id: string
  readonly number: number
  readonly open: 0 | 1
  readonly written: string
  readonly occurrence: string | null
  readonly times: number
  readonly comments: number
  readonly last_at: Timestamp
}

export const findSubject = (
  db: Db,
  integration_id: string,
  fingerprint: string,
): SubjectRow | null =>
  db.one<SubjectRow>(
    'SELECT * FROM incoming_subjects WHERE integration_id = ? AND fingerprint = ?',
    integration_id,
    fingerprint,
  )

/** What an issue stands for; null for an issue that people opened. */
export const findSubjectOfIssue = (db: Db, repo_id: string, number: number): SubjectRow | null =>
  db.one<SubjectRow>(
    'SELECT * FROM incoming_subjects WHERE repo_id = ? AND number = ? LIMIT 1',
    repo_id,
    number,
  )

export const countOpenSubjects = (db: Db, integration_id: string): number =>
  db.one<{ count: number }>(
    'SELECT count(*) AS count FROM incoming_subjects WHERE integration_id = ? AND open = 1',
    integration_id,
  )?.count ?? 0

/** Closed ones that are kept, so that an error that returns opens its issue again. */
const MAX_CLOSED = 5000

export function putSubject(tx: Tx, row: Omit<SubjectRow, 'last_at'>): void {
  tx.db.run(
    `INSERT OR REPLACE INTO incoming_subjects (integration_id, fingerprint, repo_id, number, open,
     written, occurrence, times, comments, last_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.integration_id,
    row.fingerprint,
    row.repo_id,
    row.number,
    row.open,
    row.written,
    row.occurrence,
    row.times,
    row.comments,
    tx.now,
  )
}

export const removeOldSubjects = (tx: Tx, integration_id: string): void =>
  void tx.db.run(
    `DELETE FROM incoming_subjects WHERE integration_id = ?1 AND open = 0 AND fingerprint IN (
       SELECT fingerprint FROM incoming_subjects WHERE integration_id = ?1 AND open = 0
       ORDER BY last_at DESC LIMIT -1 OFFSET ?2)`,
    integration_id,
    MAX_CLOSED,
  )

export const listHookIds = (db: Db): string[] =>
  db
    .all<{ integration_id: string }>('SELECT integration_id FROM incoming_hooks')
    .map(({ integration_id }) => integration_id)
