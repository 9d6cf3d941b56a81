/** The tables `workflow_runs` and `workflow_attempts`. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { Oid } from '#git'
import type { Timestamp } from '#lib/time.ts'
import type { Conclusion, RunEvent, RunStatus, WaitingFor } from '../schema.ts'

export type RunRow = {
  readonly seq: number
  readonly id: string
  readonly repo_id: string
  readonly workflow_id: string
  readonly path: string
  readonly name: string
  readonly title: string
  readonly number: number
  readonly attempt: number
  readonly event: RunEvent
  readonly event_name: string
  readonly ref: string
  readonly sha: Oid
  readonly head_sha: Oid
  readonly workflow_sha: Oid
  readonly workflow_blob: Oid
  readonly pull: number | null
  readonly status: RunStatus
  readonly conclusion: Conclusion | null
  readonly waiting_for: WaitingFor | null
  readonly waiting_reason: string | null
  readonly error: string | null
  readonly actor_id: string | null
  readonly rerun_by: string | null
  readonly approved_by: string | null
  readonly trusted: 0 | 1
  readonly counts: 0 | 1
  readonly payload: Uint8Array
  readonly inputs: string
  readonly concurrency_group: string | null
  readonly callees: string
  readonly event_id: string | null
  readonly depth: number
  readonly cancelled_by: string | null
  readonly cancelled_at: Timestamp | null
  readonly created_at: Timestamp
  readonly started_at: Timestamp | null
  readonly finished_at: Timestamp | null
}

export type NewRun = Pick<
  RunRow,
  | 'id'
  | 'repo_id'
  | 'workflow_id'
  | 'path'
  | 'name'
  | 'title'
  | 'number'
  | 'event'
  | 'event_name'
  | 'ref'
  | 'sha'
  | 'head_sha'
  | 'workflow_sha'
  | 'workflow_blob'
  | 'pull'
  | 'status'
  | 'conclusion'
  | 'waiting_for'
  | 'error'
  | 'actor_id'
  | 'trusted'
  | 'counts'
  | 'payload'
  | 'inputs'
  | 'event_id'
  | 'depth'
>

/** Inserts a run. False when this event has already made one of the workflow. */
export const insertRunRow = (tx: Tx, row: NewRun): boolean =>
  tx.db.run(
    `INSERT OR IGNORE INTO workflow_runs (id, repo_id, workflow_id, path, name, title, number,
       event, event_name, ref, sha, head_sha, workflow_sha, workflow_blob, pull, status, conclusion,
       waiting_for, error, actor_id, trusted, counts, payload, inputs, event_id, depth, created_at,
       finished_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    row.repo_id,
    row.workflow_id,
    row.path,
    row.name,
    row.title,
    row.number,
    row.event,
    row.event_name,
    row.ref,
    row.sha,
    row.head_sha,
    row.workflow_sha,
    row.workflow_blob,
    row.pull,
    row.status,
    row.conclusion,
    row.waiting_for,
    row.error,
    row.actor_id,
    row.trusted,
    row.counts,
    row.payload,
    row.inputs,
    row.event_id,
    row.depth,
    tx.now,
    row.status === 'completed' ? tx.now : null,
  ) === 1

/** Who started a run first; null when it is gone or nobody did. */
export const actorOfRun = (db: Db, id: string): string | null => findRun(db, id)?.actor_id ?? null

export const repoOfRun = (db: Db, id: string): string | null => findRun(db, id)?.repo_id ?? null

export const findRun = (db: Db, id: string): RunRow | null =>
  db.one<RunRow>('SELECT * FROM workflow_runs WHERE id = ?', id)

export type RunFilter = {
  readonly repo_id: string
  readonly workflow_id?: string | undefined
  readonly status?: string | undefined
  readonly conclusion?: string | undefined
  readonly ref?: string | undefined
  readonly sha?: string | undefined
  readonly pull?: number | undefined
  readonly actor_id?: string | undefined
  readonly event?: string | undefined
}

/** Newest first. */
export function listRunRows(
  db: Db,
  filter: RunFilter,
  window: { limit: number; offset: number },
): RunRow[] {
  const where = ['repo_id = ?']
  const params: (string | number)[] = [filter.repo_id]
  const add = (column: string, value: string | number | undefined) => {
    if (value === undefined) return
    where.push(`${column} = ?`)
    params.push(value)
  }
  add('workflow_id', filter.workflow_id)
  add('status', filter.status)
  add('conclusion', filter.conclusion)
  add('ref', filter.ref)
  add('head_sha', filter.sha)
  add('pull', filter.pull)
  add('actor_id', filter.actor_id)
  add('event', filter.event)
  return db.all<RunRow>(
    `SELECT * FROM workflow_runs WHERE ${where.join(' AND ')} ORDER BY id DESC LIMIT ? OFFSET ?`,
    ...params,
    window.limit,
    window.offset,
  )
}

/**
 * The latest run of every workflow and event for each commit, the oldest first. Runs for issues,
 * comments and other runs say nothing about the commit of the default branch that they use.
 */
export const listLatestOfCommits = (db: Db, repo_id: string, shas: readonly Oid[]): RunRow[] =>
  db.all<RunRow>(
    `SELECT * FROM workflow_runs WHERE seq IN (
       SELECT max(seq) FROM workflow_runs WHERE repo_id = ?1
         AND head_sha IN (SELECT value FROM json_each(?2))
         AND event NOT IN ('issue', 'comment', 'workflow_run') GROUP BY head_sha, workflow_id, event_name)
     ORDER BY seq`,
    repo_id,
    JSON.stringify(shas),
  )

export const setRunStatus = (
  tx: Tx,
  id: string,
  status: Exclude<RunStatus, 'completed'>,
  waiting_for: WaitingFor | null,
  reason: string | null = null,
): void =>
  void tx.db.run(
    `UPDATE workflow_runs SET status = ?1, waiting_for = ?2, waiting_reason = ?5,
       started_at = CASE WHEN ?1 = 'in_progress' THEN coalesce(started_at, ?4) ELSE started_at END
     WHERE id = ?3 AND status <> 'completed'`,
    status,
    waiting_for,
    id,
    tx.now,
    reason,
  )

export const setRunEnded = (
  tx: Tx,
  id: string,
  conclusion: Conclusion,
  error: string | null,
): void =>
  void tx.db.run(
    `UPDATE workflow_runs SET status = 'completed', conclusion = ?, error = ?, waiting_for = NULL,
       waiting_reason = NULL, finished_at = ? WHERE id = ? AND status <> 'completed'`,
    conclusion,
    error,
    tx.now,
    id,
  )

export const setRunGroup = (tx: Tx, id: string, group: string | null): void =>
  void tx.db.run('UPDATE workflow_runs SET concurrency_group = ? WHERE id = ?', group, id)

export const setApproved = (tx: Tx, id: string, by: string): void =>
  void tx.db.run(
    `UPDATE workflow_runs SET status = 'queued', waiting_for = NULL, waiting_reason = NULL, approved_by = ?
     WHERE id = ?`,
    by,
    id,
  )

export const setCancelled = (tx: Tx, id: string, by: string | null): void =>
  void tx.db.run(
    'UPDATE workflow_runs SET cancelled_at = coalesce(cancelled_at, ?), cancelled_by = ? WHERE id = ?',
    tx.now,
    by,
    id,
  )

export const setRunTitle = (tx: Tx, id: string, title: string): void =>
  void tx.db.run('UPDATE workflow_runs SET title = ? WHERE id = ?', title, id)

export const setCallees = (tx: Tx, id: string, callees: string): void =>
  void tx.db.run('UPDATE workflow_runs SET callees = ? WHERE id = ?', callees, id)

/** Unfinished runs of a concurrency group, the oldest first. Groups ignore case. */
export const listRunsOfGroup = (db: Db, repo_id: string, group: string): RunRow[] =>
  db.all<RunRow>(
    `SELECT * FROM workflow_runs WHERE repo_id = ? AND concurrency_group = ? COLLATE NOCASE
       AND status <> 'completed' ORDER BY seq`,
    repo_id,
    group,
  )

export const listOpenRuns = (db: Db, repo_id: string): RunRow[] =>
  db.all<RunRow>(
    `SELECT * FROM workflow_runs WHERE repo_id = ? AND status <> 'completed' ORDER BY seq`,
    repo_id,
  )

/** Whether a run of this person's changes was approved here before. */
export const wasApprovedBefore = (db: Db, repo_id: string, actor_id: string): boolean =>
  db.one(
    `SELECT 1 FROM workflow_runs WHERE repo_id = ? AND actor_id = ? AND approved_by IS NOT NULL
     LIMIT 1`,
    repo_id,
    actor_id,
  ) !== null

/**
 * Starts the next attempt of a completed run; the present one stays readable. A run of a change by
 * somebody without Write stays without trust: whoever reruns it does not vouch for its code.
 */
export function beginAttempt(tx: Tx, run: RunRow, by: string): number {
  tx.db.run(
    `INSERT INTO workflow_attempts (run_id, attempt, conclusion, error, rerun_by, started_at,
       finished_at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
    run.id,
    run.attempt,
    run.conclusion,
    run.error,
    run.rerun_by,
    run.started_at,
    run.finished_at,
  )
  tx.db.run(
    `UPDATE workflow_runs SET attempt = attempt + 1, status = 'queued', conclusion = NULL,
       error = NULL, waiting_for = NULL, waiting_reason = NULL, rerun_by = ?, started_at = NULL, finished_at = NULL,
       cancelled_at = NULL, cancelled_by = NULL, concurrency_group = NULL
     WHERE id = ?`,
    by,
    run.id,
  )
  return run.attempt + 1
}

export type AttemptRow = {
  readonly run_id: string
  readonly attempt: number
  readonly conclusion: Conclusion
  readonly error: string | null
  readonly rerun_by: string | null
  readonly started_at: Timestamp | null
  readonly finished_at: Timestamp | null
}

export const findAttempt = (db: Db, run_id: string, attempt: number): AttemptRow | null =>
  db.one<AttemptRow>(
    'SELECT * FROM workflow_attempts WHERE run_id = ? AND attempt = ?',
    run_id,
    attempt,
  )

export const removeRun = (tx: Tx, id: string): void =>
  void tx.db.run('DELETE FROM workflow_runs WHERE id = ?', id)

/** Up to `limit` completed runs that were made before a time. */
export const listRunsBefore = (db: Db, before: Timestamp, limit: number): { id: string }[] =>
  db.all(
    `SELECT id FROM workflow_runs WHERE created_at < ? AND status = 'completed'
     ORDER BY created_at LIMIT ?`,
    before,
    limit,
  )

export const removeRunsOfRepo = (tx: Tx, repo_id: string, limit: number): number =>
  tx.db.run(
    'DELETE FROM workflow_runs WHERE seq IN (SELECT seq FROM workflow_runs WHERE repo_id = ? LIMIT ?)',
    repo_id,
    limit,
  )

/** Runs that wait for a runner since before a time and of which nothing runs. */
export const listStaleRuns = (db: Db, before: Timestamp, limit: number): RunRow[] =>
  db.all<RunRow>(
    `SELECT * FROM workflow_runs r WHERE r.status <> 'completed' AND r.created_at < ?1
       AND (r.waiting_for IS NULL OR r.waiting_for = 'runner') AND NOT EXISTS (
         SELECT 1 FROM workflow_jobs j WHERE j.run_id = r.id AND j.attempt = r.attempt
           AND (j.lease_until IS NOT NULL OR j.queued_at >= ?1 OR j.finished_at >= ?1))
     ORDER BY r.seq LIMIT ?2`,
    before,
    limit,
  )

/** The commits that runs name, by id. */
export const listCommitsOfRuns = (
  db: Db,
  repo_id: string,
  after: string,
  limit: number,
): Pick<RunRow, 'id' | 'sha' | 'head_sha' | 'workflow_sha'>[] =>
  db.all(
    `SELECT id, sha, head_sha, workflow_sha FROM workflow_runs WHERE repo_id = ? AND id > ?
     ORDER BY id LIMIT ?`,
    repo_id,
    after,
    limit,
  )
