/** The table `notifications`. */
import type { Db, SqlValue } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import { typeId } from '#core/ids.ts'
import type { Timestamp } from '#lib/time.ts'
import type { Reason } from './delivery/reasons.ts'

export type NotificationRow = {
  readonly id: string
  readonly user_id: string
  readonly repo_id: string | null
  readonly subject: string
  readonly kind: string
  readonly number: number | null
  readonly subject_id: string | null
  readonly title: string | null
  readonly url: string | null
  readonly reason: Reason
  readonly unread: 0 | 1
  readonly done: 0 | 1
  readonly last_event: string | null
  readonly updated_at: Timestamp
  readonly created_at: Timestamp
}

/** The subject of a notification. `subject` is its key, shared by all notifications about it. */
export type SubjectOf = Pick<
  NotificationRow,
  'repo_id' | 'subject' | 'kind' | 'number' | 'subject_id' | 'title' | 'url'
>

export const findNotification = (db: Db, id: string): NotificationRow | null =>
  db.one<NotificationRow>('SELECT * FROM notifications WHERE id = ?', id)

/** Inserts a notification or moves the existing one of this subject to the top. */
export function putNotification(
  tx: Tx,
  user_id: string,
  about: SubjectOf,
  { reason, event_id, at }: { reason: Reason; event_id: string | null; at: Timestamp },
): void {
  tx.db.run(
    `INSERT INTO notifications (id, user_id, repo_id, subject, kind, number, subject_id, title,
       url, reason, unread, done, last_event, updated_at, created_at)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 1, 0, ?11, ?12, ?12)
     ON CONFLICT (user_id, subject) DO UPDATE
       SET reason = excluded.reason, unread = 1, done = 0,
       last_event = nullif(max(coalesce(last_event, ''), coalesce(excluded.last_event, '')),
       ''),
       title = excluded.title, url = excluded.url, updated_at = max(updated_at, excluded.updated_at)`,
    typeId('ntf', tx.now_ms),
    user_id,
    about.repo_id,
    about.subject,
    about.kind,
    about.number,
    about.subject_id,
    about.title,
    about.url,
    reason,
    event_id,
    at,
  )
}

export type NotificationFilter = {
  user_id: string
  unread?: boolean
  done: boolean
  reason?: string
  repo_id?: string
}
export type NotificationCursor = Pick<NotificationRow, 'updated_at' | 'id'>

/** The most recently moved first, from below a cursor. */
export function listNotificationRows(
  db: Db,
  filter: NotificationFilter,
  after: NotificationCursor | null,
  limit: number,
): NotificationRow[] {
  const where = ['user_id = ?']
  const params: SqlValue[] = [filter.user_id]
  const add = (sql: string, ...values: SqlValue[]) => {
    where.push(sql)
    params.push(...values)
  }
  // Unread notifications are never done. The condition is added once, so that the index of unread
  // ones is used.
  if (filter.unread === true && !filter.done) add('unread = 1')
  else {
    add('done = ?', filter.done ? 1 : 0)
    if (filter.unread !== undefined) add('unread = ?', filter.unread ? 1 : 0)
  }
  if (filter.reason !== undefined) add('reason = ?', filter.reason)
  if (filter.repo_id !== undefined) add('repo_id = ?', filter.repo_id)
  if (after) add('(updated_at, id) < (?, ?)', after.updated_at, after.id)
  return db.all<NotificationRow>(
    `SELECT * FROM notifications WHERE ${where.join(' AND ')} ORDER BY updated_at DESC, id DESC LIMIT ?`,
    ...params,
    limit,
  )
}

/** Unread notifications by repository (null: without one), counted up to a limit. */
export const countUnreadRows = (
  db: Db,
  user_id: string,
  most: number,
): { repo_id: string | null; count: number }[] =>
  db.all(
    `SELECT repo_id, count(*) AS count FROM (SELECT repo_id FROM notifications
      WHERE user_id = ? AND unread = 1 LIMIT ?) GROUP BY repo_id`,
    user_id,
    most,
  )

const STATES = { unread: [1, 0], read: [0, 0], done: [0, 1] } as const
export type State = keyof typeof STATES

export const setNotification = (tx: Tx, id: string, state: State): void =>
  void tx.db.run('UPDATE notifications SET unread = ?, done = ? WHERE id = ?', ...STATES[state], id)

/**
 * Marks all notifications of a person, those of one repository, or those not moved since a moment.
 * Returns the number of changes.
 */
export const setAllNotifications = (
  tx: Tx,
  user_id: string,
  state: 'read' | 'done',
  within: { before: Timestamp | null; repo_id: string | null },
): number =>
  tx.db.run(
    `UPDATE notifications SET unread = 0, done = ?2 WHERE user_id = ?1 AND done = 0 AND (?2 = 1 OR unread = 1)
       AND (?3 IS NULL OR updated_at <= ?3) AND (?4 IS NULL OR repo_id = ?4)`,
    user_id,
    state === 'done' ? 1 : 0,
    within.before,
    within.repo_id,
  )

/** Marks notifications about a settled question or invitation as done. */
export const settleSubject = (tx: Tx, subject: string): void =>
  void tx.db.run(
    `UPDATE notifications SET unread = 0, done = 1 WHERE subject = ? AND kind IN ('question', 'invitation')`,
    subject,
  )

export const removeOldDone = (tx: Tx, before: Timestamp, limit: number): number =>
  tx.db.run(
    `DELETE FROM notifications WHERE id IN (SELECT id FROM notifications WHERE done = 1
      AND updated_at < ? LIMIT ?)`,
    before,
    limit,
  )

/** Removes notifications that were read and not moved for long. */
export const removeOldRead = (tx: Tx, before: Timestamp, limit: number): number =>
  tx.db.run(
    `DELETE FROM notifications WHERE id IN (SELECT id FROM notifications WHERE unread = 0
      AND done = 0 AND updated_at < ? LIMIT ?)`,
    before,
    limit,
  )

export const removeOfRepo = (tx: Tx, repo_id: string, limit: number): number =>
  tx.db.run(
    'DELETE FROM notifications WHERE id IN (SELECT id FROM notifications WHERE repo_id = ? LIMIT ?)',
    repo_id,
    limit,
  )
