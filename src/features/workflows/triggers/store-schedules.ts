/** The table `workflow_schedules`. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'

export type ScheduleRow = {
  readonly workflow_id: string
  readonly cron: string
  /** Milliseconds; null when it never comes. */
  readonly next_at: number | null
}

export const listSchedules = (db: Db, workflow_id: string): ScheduleRow[] =>
  db.all<ScheduleRow>('SELECT * FROM workflow_schedules WHERE workflow_id = ?', workflow_id)

/** The schedules that are due, the oldest first. */
export const listDueSchedules = (
  db: Db,
  now_ms: number,
  limit: number,
): (ScheduleRow & { readonly next_at: number })[] =>
  db.all(
    'SELECT * FROM workflow_schedules WHERE next_at <= ? ORDER BY next_at LIMIT ?',
    now_ms,
    limit,
  )

export const putSchedule = (tx: Tx, { workflow_id, cron, next_at }: ScheduleRow): void =>
  void tx.db.run(
    'INSERT OR REPLACE INTO workflow_schedules (workflow_id, cron, next_at) VALUES (?, ?, ?)',
    workflow_id,
    cron,
    next_at,
  )

export const removeSchedule = (tx: Tx, workflow_id: string, cron: string): void =>
  void tx.db.run(
    'DELETE FROM workflow_schedules WHERE workflow_id = ? AND cron = ?',
    workflow_id,
    cron,
  )

/** Workflows that name the event `schedule` and have no row, because an older version read them. */
export const listUnscheduled = (db: Db, limit: number): string[] =>
  db
    .all<{ id: string }>(
      `SELECT w.id FROM workflows w, json_each(w.events) e WHERE w.blob IS NOT NULL
         AND e.value = 'schedule' AND w.errors = '[]'
         AND NOT EXISTS (SELECT 1 FROM workflow_schedules s WHERE s.workflow_id = w.id) LIMIT ?`,
      limit,
    )
    .map(({ id }) => id)
