/** The table `runner_tasks`: jobs that were given to runners elsewhere. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { Timestamp } from '#lib/time.ts'

export type TaskRow = {
  readonly id: number
  readonly job_id: string
  readonly runner_id: string
  readonly rows: number
  readonly complete: 0 | 1
  /** JSON. */
  readonly places: string
  readonly outputs: string
  readonly annotations: string
  /** Sealed. Null when the task is closed. */
  readonly masks: string | null
  readonly result: string | null
  readonly closed: 0 | 1
  /** Whether the runner said anything about it. */
  readonly heard: 0 | 1
  /** The key of the request that it answered; null from runners that send none. */
  readonly request_key: string | null
  readonly reported_at: Timestamp
}

export const insertTask = (
  tx: Tx,
  task: Pick<TaskRow, 'job_id' | 'runner_id' | 'request_key'> & { readonly masks: string },
): void =>
  void tx.db.run(
    `INSERT INTO runner_tasks (job_id, runner_id, masks, request_key, rows, complete, places, outputs,
       annotations, closed, heard, reported_at) VALUES (?, ?, ?, ?, 0, 0, '[]', '{}', '[]', 0, 0, ?)`,
    task.job_id,
    task.runner_id,
    task.masks,
    task.request_key,
    tx.now,
  )

export const findTask = (db: Db, id: number): TaskRow | null =>
  db.one<TaskRow>('SELECT * FROM runner_tasks WHERE id = ?', id)

/** The task of a job that counts: the last that was made of it. */
export const findTaskOfJob = (db: Db, job_id: string): TaskRow | null =>
  db.one<TaskRow>('SELECT * FROM runner_tasks WHERE job_id = ? ORDER BY id DESC LIMIT 1', job_id)

/** Tasks of a runner that it has not said anything about. */
export const listUnacknowledgedTasks = (db: Db, runner_id: string): TaskRow[] =>
  db.all<TaskRow>(
    'SELECT * FROM runner_tasks WHERE runner_id = ? AND heard = 0 AND closed = 0',
    runner_id,
  )

export const removeTask = (tx: Tx, id: number): void =>
  void tx.db.run('DELETE FROM runner_tasks WHERE id = ?', id)

/** Whether a runner was ever given a job. */
export const hasTask = (db: Db, runner_id: string): boolean =>
  db.one('SELECT 1 FROM runner_tasks WHERE runner_id = ? LIMIT 1', runner_id) !== null

export const setTaskLog = (
  tx: Tx,
  id: number,
  log: Pick<TaskRow, 'rows' | 'complete' | 'places' | 'annotations'>,
): void =>
  void tx.db.run(
    `UPDATE runner_tasks SET rows = ?, complete = ?, places = ?, annotations = ?, heard = 1,
       reported_at = ? WHERE id = ?`,
    log.rows,
    log.complete,
    log.places,
    log.annotations,
    tx.now,
    id,
  )

export const setTaskMasks = (tx: Tx, id: number, masks: string): void =>
  void tx.db.run('UPDATE runner_tasks SET masks = ? WHERE id = ?', masks, id)

export const setTaskResult = (
  tx: Tx,
  id: number,
  { outputs, result }: Pick<TaskRow, 'outputs' | 'result'>,
): void =>
  void tx.db.run(
    'UPDATE runner_tasks SET outputs = ?, result = ?, heard = 1, reported_at = ? WHERE id = ?',
    outputs,
    result,
    tx.now,
    id,
  )

export const setTaskClosed = (tx: Tx, id: number): void =>
  void tx.db.run(
    `UPDATE runner_tasks SET closed = 1, places = '[]', annotations = '[]', outputs = '{}',
       masks = NULL WHERE id = ?`,
    id,
  )

/** Open tasks of which nothing was heard since, and whose job has ended or runs elsewhere. */
export const listAbandonedTasks = (db: Db, before: Timestamp, limit: number): TaskRow[] =>
  db.all<TaskRow>(
    `SELECT t.* FROM runner_tasks t JOIN workflow_jobs j ON j.id = t.job_id
     WHERE t.closed = 0 AND t.reported_at < ?1 AND (j.status = 'completed'
       OR t.id < (SELECT max(id) FROM runner_tasks WHERE job_id = t.job_id))
     ORDER BY t.id LIMIT ?2`,
    before,
    limit,
  )

/** Open tasks with a result that came before the end of the log, and nothing since. */
export const listUnfinishedTasks = (db: Db, before: Timestamp, limit: number): TaskRow[] =>
  db.all<TaskRow>(
    `SELECT t.* FROM runner_tasks t JOIN workflow_jobs j ON j.id = t.job_id
     WHERE t.closed = 0 AND t.result IS NOT NULL AND t.reported_at < ?1 AND j.status = 'in_progress'
     ORDER BY t.id LIMIT ?2`,
    before,
    limit,
  )

export type JobOfTask = {
  readonly id: string
  readonly run_id: string
  readonly repo_id: string
  readonly status: string
  readonly runner_id: string | null
  readonly cancel_requested: 0 | 1
  readonly log_bytes: number
  readonly log_lines: number
}

export const findJobOfTask = (db: Db, job_id: string): JobOfTask | null =>
  db.one<JobOfTask>(
    `SELECT id, run_id, repo_id, status, runner_id, cancel_requested, log_bytes, log_lines
     FROM workflow_jobs WHERE id = ?`,
    job_id,
  )
