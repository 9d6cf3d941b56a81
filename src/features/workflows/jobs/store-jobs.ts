/** The tables `workflow_jobs`, `workflow_steps` and `workflow_annotations`. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { Oid } from '#git'
import type { Timestamp } from '#lib/time.ts'
import type { Conclusion, Level, RunStatus, WaitingFor } from '../schema.ts'
import { countRunTime } from './store-run-time.ts'

export type Stage = 'pending' | 'started' | 'running' | 'completed'
export type LogState = 'none' | 'live' | 'packed' | 'expired'

export type JobRow = {
  readonly seq: number
  readonly id: string
  readonly run_id: string
  readonly repo_id: string
  readonly workspace_id: string
  readonly attempt: number
  readonly key: string
  readonly parent: string | null
  readonly position: string
  readonly job_id: string
  readonly name: string
  readonly needs: string
  readonly plan: string | null
  readonly stage: Stage
  readonly status: RunStatus
  readonly conclusion: Conclusion | null
  readonly waiting_for: WaitingFor | null
  readonly reason: string | null
  readonly labels: string
  readonly concurrency_group: string | null
  readonly outputs: string
  readonly ended_as: number | null
  readonly runner_id: string | null
  readonly runner_name: string | null
  readonly lease_until: number | null
  readonly cancel_requested: 0 | 1
  readonly interruptions: number
  readonly same_as: string | null
  readonly log_bytes: number
  readonly log_lines: number
  readonly log_state: LogState
  readonly summary: string | null
  readonly queued_at: Timestamp | null
  readonly started_at: Timestamp | null
  readonly finished_at: Timestamp | null
}

export type NewJob = Pick<
  JobRow,
  | 'id'
  | 'run_id'
  | 'repo_id'
  | 'workspace_id'
  | 'attempt'
  | 'key'
  | 'parent'
  | 'position'
  | 'job_id'
  | 'name'
  | 'needs'
  | 'plan'
  | 'labels'
  | 'concurrency_group'
>

export const findJob = (db: Db, id: string): JobRow | null =>
  db.one<JobRow>('SELECT * FROM workflow_jobs WHERE id = ?', id)

/** The jobs of one attempt, in the order of the file. */
export const listJobs = (db: Db, run_id: string, attempt: number): JobRow[] =>
  db.all<JobRow>(
    'SELECT * FROM workflow_jobs WHERE run_id = ? AND attempt = ? ORDER BY position',
    run_id,
    attempt,
  )

/** The summaries that jobs of one attempt wrote, in the order of the file. */
export const listSummaries = (
  db: Db,
  run_id: string,
  attempt: number,
): { job_id: string; name: string; summary: string }[] =>
  db.all(
    `SELECT id AS job_id, name, summary FROM workflow_jobs
     WHERE run_id = ? AND attempt = ? AND summary IS NOT NULL ORDER BY position`,
    run_id,
    attempt,
  )

/** The number of jobs of the present attempt of each run. */
export const countJobsOfRuns = (db: Db, run_ids: readonly string[]): Map<string, number> =>
  new Map(
    db
      .all<{ run_id: string; count: number }>(
        `SELECT j.run_id, count(*) AS count FROM workflow_jobs j
           JOIN workflow_runs r ON r.id = j.run_id AND r.attempt = j.attempt
         WHERE j.run_id IN (SELECT value FROM json_each(?)) GROUP BY j.run_id`,
        JSON.stringify(run_ids),
      )
      .map(({ run_id, count }) => [run_id, count]),
  )

export const insertJobRow = (tx: Tx, row: NewJob): void =>
  void tx.db.run(
    `INSERT INTO workflow_jobs (id, run_id, repo_id, workspace_id, attempt, key, parent, position,
       job_id, name, needs, plan, labels, concurrency_group, stage, status)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', 'waiting')`,
    row.id,
    row.run_id,
    row.repo_id,
    row.workspace_id,
    row.attempt,
    row.key,
    row.parent,
    row.position,
    row.job_id,
    row.name,
    row.needs,
    row.plan,
    row.labels,
    row.concurrency_group,
  )

/** Copies a job of an earlier attempt with its result, whose log it shares. */
export function copyJob(tx: Tx, job: JobRow, id: string, attempt: number): void {
  tx.db.run(
    `INSERT INTO workflow_jobs (id, run_id, repo_id, workspace_id, attempt, key, parent, position,
       job_id, name, needs, plan, labels, concurrency_group, stage, status, conclusion, reason, outputs,
       ended_as, runner_id, runner_name, same_as, log_bytes, log_lines, log_state, summary,
       queued_at, started_at, finished_at)
     SELECT ?1, run_id, repo_id, workspace_id, ?2, key, parent, position, job_id, name, needs, plan, labels,
       concurrency_group, stage, status, conclusion, reason, outputs, ended_as, runner_id,
       runner_name, coalesce(same_as, id), log_bytes, log_lines, log_state, summary, queued_at,
       started_at, finished_at
     FROM workflow_jobs WHERE id = ?3`,
    id,
    attempt,
    job.id,
  )
  tx.db.run(
    `INSERT INTO workflow_steps (job_id, number, name, status, conclusion, started_at, finished_at,
       log_from, log_to)
     SELECT ?1, number, name, status, conclusion, started_at, finished_at, log_from, log_to
     FROM workflow_steps WHERE job_id = ?2`,
    id,
    job.id,
  )
  tx.db.run(
    `INSERT INTO workflow_annotations (job_id, position, step, level, file, line, end_line, column,
       title, message)
     SELECT ?1, position, step, level, file, line, end_line, column, title, message
     FROM workflow_annotations WHERE job_id = ?2`,
    id,
    job.id,
  )
}

export const removeJobRow = (tx: Tx, id: string): void =>
  void tx.db.run('DELETE FROM workflow_jobs WHERE id = ?', id)

/** A job may be taken by a runner with its labels. */
export const setQueued = (tx: Tx, id: string): void =>
  void tx.db.run(
    `UPDATE workflow_jobs SET stage = 'started', status = 'queued', waiting_for = NULL,
       reason = NULL, queued_at = ?, runner_id = NULL, runner_name = NULL, lease_until = NULL
     WHERE id = ?`,
    tx.now,
    id,
  )

export const setCancelRequested = (tx: Tx, id: string): void =>
  void tx.db.run('UPDATE workflow_jobs SET cancel_requested = 1 WHERE id = ?', id)

/** A job that was told to start waits for something else. */
export const setHeld = (tx: Tx, id: string, waiting_for: WaitingFor, reason: string): void =>
  void tx.db.run(
    `UPDATE workflow_jobs SET stage = 'started', status = 'waiting', waiting_for = ?, reason = ?
     WHERE id = ?`,
    waiting_for,
    reason,
    id,
  )

/** A job that calls a workflow was told to start. No runner takes it. */
export const setCalling = (tx: Tx, id: string): void =>
  void tx.db.run(
    `UPDATE workflow_jobs SET stage = 'started', status = 'waiting', waiting_for = NULL,
       reason = NULL WHERE id = ?`,
    id,
  )

/** The labels that queued jobs ask for: of a repository, a workspace, or everywhere. */
export const listQueuedLabels = (
  db: Db,
  { repo_id, workspace_id }: { repo_id: string | null; workspace_id: string | null },
  limit: number,
): { labels: string; jobs: number; since: Timestamp; served: number }[] =>
  db.all(
    `SELECT labels, count(*) AS jobs, min(queued_at) AS since, sum(waiting_for IS NULL) AS served
     FROM workflow_jobs WHERE status = 'queued' AND stage = 'started'
       AND (?1 IS NULL OR workspace_id = ?1) AND (?2 IS NULL OR repo_id = ?2)
     GROUP BY labels ORDER BY min(seq) LIMIT ?3`,
    workspace_id,
    repo_id,
    limit,
  )

/** Says why no runner takes a queued job. */
export const setWaitsForRunner = (tx: Tx, id: string, reason: string): void =>
  void tx.db.run(
    `UPDATE workflow_jobs SET waiting_for = 'runner', reason = ? WHERE id = ?`,
    reason,
    id,
  )

/** Unfinished jobs that entered a concurrency group, the oldest first. Groups ignore case. */
export const listJobsOfGroup = (db: Db, repo_id: string, group: string): JobRow[] =>
  db.all<JobRow>(
    `SELECT * FROM workflow_jobs WHERE repo_id = ? AND concurrency_group = ? COLLATE NOCASE
       AND status <> 'completed' AND stage <> 'pending' ORDER BY seq`,
    repo_id,
    group,
  )

/** A job that calls a workflow runs while the jobs of that workflow do. */
export const setRunning = (tx: Tx, id: string): void =>
  void tx.db.run(
    `UPDATE workflow_jobs SET stage = 'running', status = 'in_progress', waiting_for = NULL,
       reason = NULL, started_at = ? WHERE id = ?`,
    tx.now,
    id,
  )

/** Takes a queued job for a runner. False when another runner was faster. */
export const claimJob = (
  tx: Tx,
  id: string,
  runner: { id: string | null; name: string; lease_until: number },
): boolean =>
  tx.db.run(
    `UPDATE workflow_jobs SET stage = 'running', status = 'in_progress', waiting_for = NULL,
       reason = NULL, runner_id = ?, runner_name = ?, lease_until = ?, started_at = ?, log_state = 'live'
     WHERE id = ? AND status = 'queued' AND stage = 'started'`,
    runner.id,
    runner.name,
    runner.lease_until,
    tx.now,
    id,
  ) === 1

export const setLease = (tx: Tx, id: string, lease_until: number): void =>
  void tx.db.run(
    `UPDATE workflow_jobs SET lease_until = ? WHERE id = ? AND status = 'in_progress'`,
    lease_until,
    id,
  )

/** Puts an interrupted job back into the queue. */
export function requeue(tx: Tx, id: string): void {
  countRunTime(tx, id)
  tx.db.run('DELETE FROM workflow_steps WHERE job_id = ?', id)
  tx.db.run('DELETE FROM workflow_annotations WHERE job_id = ?', id)
  tx.db.run(
    `UPDATE workflow_jobs SET interruptions = interruptions + 1, started_at = NULL, log_bytes = 0,
       log_lines = 0, log_stored_bytes = 0, log_state = 'none' WHERE id = ?`,
    id,
  )
  setQueued(tx, id)
}

/** Makes a completed job pending again, in the same attempt. */
export function resetJob(tx: Tx, job: JobRow): void {
  tx.db.run('DELETE FROM workflow_steps WHERE job_id = ?', job.id)
  tx.db.run('DELETE FROM workflow_annotations WHERE job_id = ?', job.id)
  tx.db.run(
    `UPDATE workflow_jobs SET stage = 'pending', status = 'waiting', conclusion = NULL,
       waiting_for = NULL, reason = NULL, outputs = '{}', ended_as = NULL, runner_id = NULL,
       runner_name = NULL, lease_until = NULL, cancel_requested = 0, interruptions = 0, same_as = NULL, log_bytes = 0,
       log_lines = 0, log_stored_bytes = 0, log_state = 'none', summary = NULL, queued_at = NULL, started_at = NULL,
       finished_at = NULL WHERE id = ?`,
    job.id,
  )
}

export type JobEnd = {
  readonly conclusion: Conclusion
  readonly reason: string | null
  readonly outputs: Readonly<Record<string, string>>
}

export function setEnded(tx: Tx, job: JobRow, end: JobEnd): void {
  countRunTime(tx, job.id)
  const ended =
    tx.db.one<{ last: number | null }>(
      'SELECT max(ended_as) AS last FROM workflow_jobs WHERE run_id = ? AND attempt = ?',
      job.run_id,
      job.attempt,
    )?.last ?? 0
  tx.db.run(
    `UPDATE workflow_jobs SET stage = 'completed', status = 'completed', conclusion = ?,
       reason = ?, outputs = ?, ended_as = ?, waiting_for = NULL, lease_until = NULL,
       finished_at = ? WHERE id = ?`,
    end.conclusion,
    end.reason,
    JSON.stringify(end.outputs),
    ended + 1,
    tx.now,
    job.id,
  )
  tx.db.run(
    `UPDATE workflow_steps SET status = 'completed', finished_at = ?, conclusion =
       CASE WHEN status = 'queued' THEN 'skipped' ELSE ? END
     WHERE job_id = ? AND status <> 'completed'`,
    tx.now,
    end.conclusion,
    job.id,
  )
}

export const setLog = (
  tx: Tx,
  id: string,
  log: { bytes: number; lines: number; state: LogState },
): void =>
  void tx.db.run(
    // Until it is packed, a log that has ended counts as large as its text.
    `UPDATE workflow_jobs SET log_bytes = ?1, log_lines = ?2, log_state = ?3,
       log_stored_bytes = iif(?3 = 'packed', ?1, log_stored_bytes) WHERE id = ?4`,
    log.bytes,
    log.lines,
    log.state,
    id,
  )

/** The log of a job is packed into so many bytes. Not when it was removed meanwhile. */
export const setLogStored = (tx: Tx, job_id: string, bytes: number): void =>
  void tx.db.run(
    `UPDATE workflow_jobs SET log_stored_bytes = ? WHERE id = ? AND log_state = 'packed'`,
    bytes,
    job_id,
  )

/** The file of a log is deleted. Jobs of later attempts that share it lose it too. */
export const expireLog = (tx: Tx, id: string): void =>
  void tx.db.run(
    `UPDATE workflow_jobs SET log_state = 'expired', log_stored_bytes = 0 WHERE id = ?1
       OR (same_as = ?1 AND run_id = (SELECT run_id FROM workflow_jobs WHERE id = ?1))`,
    id,
  )

export const setSummary = (tx: Tx, id: string, summary: string): void =>
  void tx.db.run('UPDATE workflow_jobs SET summary = ? WHERE id = ?', summary, id)

/**
 * Queued jobs, first those of the workspace with the fewest running jobs, then the oldest. A matrix
 * of many jobs so does not keep another workspace waiting.
 */
export const listQueued = (
  db: Db,
  { limit, offset }: { limit: number; offset: number },
): JobRow[] =>
  db.all<JobRow>(
    `SELECT q.* FROM workflow_jobs q
       LEFT JOIN (SELECT workspace_id, count(*) AS running FROM workflow_jobs
                  WHERE lease_until IS NOT NULL GROUP BY workspace_id) busy
         ON busy.workspace_id = q.workspace_id
     WHERE q.status = 'queued' AND q.stage = 'started'
     ORDER BY coalesce(busy.running, 0), q.seq LIMIT ? OFFSET ?`,
    limit,
    offset,
  )

/** Jobs that a runner has. */
export const listLeased = (db: Db): JobRow[] =>
  db.all<JobRow>('SELECT * FROM workflow_jobs WHERE lease_until IS NOT NULL ORDER BY seq')

export type StepRow = {
  readonly job_id: string
  readonly number: number
  readonly name: string
  readonly status: 'queued' | 'in_progress' | 'completed'
  readonly conclusion: Conclusion | null
  readonly started_at: Timestamp | null
  readonly finished_at: Timestamp | null
  readonly log_from: number | null
  readonly log_to: number | null
}

export const listSteps = (db: Db, job_ids: readonly string[]): StepRow[] =>
  db.all<StepRow>(
    `SELECT * FROM workflow_steps WHERE job_id IN (SELECT value FROM json_each(?))
     ORDER BY job_id, number`,
    JSON.stringify(job_ids),
  )

export const putStep = (tx: Tx, row: StepRow): void =>
  void tx.db.run(
    `INSERT INTO workflow_steps (job_id, number, name, status, conclusion, started_at, finished_at,
       log_from, log_to) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (job_id, number) DO UPDATE SET name = excluded.name, status = excluded.status,
       conclusion = excluded.conclusion, started_at = excluded.started_at,
       finished_at = excluded.finished_at, log_from = excluded.log_from, log_to = excluded.log_to`,
    row.job_id,
    row.number,
    row.name,
    row.status,
    row.conclusion,
    row.started_at,
    row.finished_at,
    row.log_from,
    row.log_to,
  )

/** An annotation as a runner reports it. */
export type AnnotationReport = {
  readonly step: number | null
  readonly level: Level
  readonly file: string | null
  readonly line: number | null
  readonly end_line: number | null
  readonly column: number | null
  readonly title: string | null
  readonly message: string
}

export type AnnotationRow = AnnotationReport & {
  readonly job_id: string
  readonly position: number
}

export const listAnnotations = (db: Db, job_ids: readonly string[]): AnnotationRow[] =>
  db.all<AnnotationRow>(
    `SELECT * FROM workflow_annotations WHERE job_id IN (SELECT value FROM json_each(?))
     ORDER BY job_id, position`,
    JSON.stringify(job_ids),
  )

/** An annotation of a file, with the commit whose lines it counts. */
export type FileAnnotationRow = AnnotationRow & {
  readonly file: string
  readonly run_id: string
  readonly job_name: string
  readonly workflow: string
  readonly sha: Oid
}

/** What the present attempts of runs say about files: failures first, then in the order of jobs. */
export const listFileAnnotations = (
  db: Db,
  run_ids: readonly string[],
  limit: number,
): FileAnnotationRow[] =>
  db.all<FileAnnotationRow>(
    `SELECT a.*, r.id AS run_id, r.name AS workflow, r.sha, j.name AS job_name
     FROM workflow_runs r JOIN workflow_jobs j ON j.run_id = r.id AND j.attempt = r.attempt
       JOIN workflow_annotations a ON a.job_id = j.id
     WHERE r.id IN (SELECT value FROM json_each(?)) AND a.file IS NOT NULL AND a.file <> ''
     ORDER BY CASE a.level WHEN 'failure' THEN 0 WHEN 'warning' THEN 1 ELSE 2 END,
       r.seq, j.position, a.position LIMIT ?`,
    JSON.stringify(run_ids),
    limit,
  )

export const insertAnnotation = (tx: Tx, row: AnnotationRow): void =>
  void tx.db.run(
    `INSERT OR IGNORE INTO workflow_annotations (job_id, position, step, level, file, line,
       end_line, column, title, message) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.job_id,
    row.position,
    row.step,
    row.level,
    row.file,
    row.line,
    row.end_line,
    row.column,
    row.title,
    row.message,
  )
