/** Runs of acceptance checks and the results of their commands. */
import type { Db } from '#core/db.ts'
import { preload, memo } from '#core/read-scope.ts'
import type { Tx } from '#core/write.ts'
import { typeId } from '#core/ids.ts'
import type { Timestamp } from '#lib/time.ts'
import type { ResultStatus } from './schema.ts'

export type Purpose = 'pull' | 'queue'

export type RunRow = {
  id: string
  repo_id: string
  number: number
  issue: number | null
  purpose: Purpose
  head_sha: string
  base_sha: string | null
  merge_sha: string | null
  state: 'waiting' | 'queued' | 'running' | 'done' | 'replaced'
  status: 'pending' | 'passed' | 'failed' | 'errored'
  note: string | null
  timeout_ms: number
  principal_id: string
  approved_by: string | null
  created_at: Timestamp
  started_at: Timestamp | null
  finished_at: Timestamp | null
}

export type ResultRow = {
  id: string
  run_id: string
  position: number
  command: string
  status: ResultStatus
  exit_code: number | null
  duration_ms: number | null
  started_at: Timestamp | null
  finished_at: Timestamp | null
  output_tail: string
  log_bytes: number | null
}

export const hasEnded = ({ state }: Pick<RunRow, 'state'>): boolean =>
  state === 'done' || state === 'replaced'

export const findRun = (db: Db, id: string): RunRow | null =>
  db.one<RunRow>('SELECT * FROM check_runs WHERE id = ?', id)

/** The run that counts for a head, or null. */
export const findCurrent = (
  db: Db,
  repo_id: string,
  number: number,
  head_sha: string,
): RunRow | null =>
  memo(db, 'check run', `${repo_id} ${number} ${head_sha}`, () =>
    db.one<RunRow>(
      `SELECT * FROM check_runs WHERE repo_id = ? AND number = ? AND purpose = 'pull'
        AND head_sha = ? AND state <> 'replaced' ORDER BY id DESC LIMIT 1`,
      repo_id,
      number,
      head_sha,
    ),
  )

/**
 * The runs that count for several heads of one repository, by number. They are also left in the
 * read scope, where `findCurrent` finds them.
 */
export function currentRuns(
  db: Db,
  repo_id: string,
  heads: readonly { number: number; head_sha: string }[],
): Map<number, RunRow> {
  if (heads.length === 0) return new Map()
  const rows = db.all<RunRow>(
    `SELECT r.* FROM json_each(?) h
     JOIN check_runs r ON r.repo_id = ? AND r.number = h.value ->> 'number'
       AND r.purpose = 'pull' AND r.head_sha = h.value ->> 'head_sha'
     WHERE r.state <> 'replaced' ORDER BY r.id`,
    JSON.stringify(heads.map(({ number, head_sha }) => ({ number, head_sha }))),
    repo_id,
  )
  preload(
    db,
    'check run',
    heads.map(({ number, head_sha }) => `${repo_id} ${number} ${head_sha}`),
    () => new Map(rows.map((row) => [`${repo_id} ${row.number} ${row.head_sha}`, row])),
    () => null,
  )
  // Of several runs of one head the last counts.
  return new Map(rows.map((row) => [row.number, row]))
}

/** Runs of a pull request that are not over. */
export const listUnfinished = (
  db: Db,
  repo_id: string,
  number: number,
  purpose: Purpose,
): RunRow[] =>
  db.all<RunRow>(
    `SELECT * FROM check_runs WHERE repo_id = ? AND number = ? AND purpose = ?
      AND state IN ('waiting', 'queued', 'running') ORDER BY id`,
    repo_id,
    number,
    purpose,
  )

/** Whether a run of this person's changes was approved before. */
export const wasApprovedBefore = (db: Db, repo_id: string, principal_id: string): boolean =>
  db.one(
    'SELECT 1 FROM check_runs WHERE repo_id = ? AND principal_id = ? AND approved_by IS NOT NULL LIMIT 1',
    repo_id,
    principal_id,
  ) !== null

export const listResults = (db: Db, run_id: string): ResultRow[] =>
  db.all<ResultRow>('SELECT * FROM check_results WHERE run_id = ? ORDER BY position', run_id)

/** A result of one pull request by its id. */
export const findResult = (db: Db, repo_id: string, number: number, id: string): ResultRow | null =>
  db.one<ResultRow>(
    `SELECT check_results.* FROM check_results JOIN check_runs ON check_runs.id = run_id
      WHERE check_results.id = ? AND repo_id = ? AND number = ?`,
    id,
    repo_id,
    number,
  )

export type NewRun = Pick<
  RunRow,
  | 'repo_id'
  | 'number'
  | 'issue'
  | 'purpose'
  | 'head_sha'
  | 'base_sha'
  | 'merge_sha'
  | 'state'
  | 'note'
  | 'timeout_ms'
  | 'principal_id'
  | 'approved_by'
>

/** Inserts a run with its commands as queued results. */
export function insertRun(tx: Tx, run: NewRun, commands: readonly string[]): RunRow {
  const id = typeId('ckr', tx.now_ms)
  tx.db.run(
    `INSERT INTO check_runs (id, repo_id, number, issue, purpose, head_sha, base_sha,
       merge_sha, state, status, note, timeout_ms, principal_id, approved_by, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', ?, ?, ?, ?, ?)`,
    id,
    run.repo_id,
    run.number,
    run.issue,
    run.purpose,
    run.head_sha,
    run.base_sha,
    run.merge_sha,
    run.state,
    run.note,
    run.timeout_ms,
    run.principal_id,
    run.approved_by,
    tx.now,
  )
  commands.forEach((command, position) => {
    tx.db.run(
      `INSERT INTO check_results (id, run_id, position, command, status) VALUES (?, ?, ?, ?, 'queued')`,
      typeId('chk', tx.now_ms),
      id,
      position,
      command,
    )
  })
  return { ...run, id, status: 'pending', created_at: tx.now, started_at: null, finished_at: null }
}

/** Starts a run, or restarts an interrupted one. Earlier results are discarded. */
export function setStarted(tx: Tx, run_id: string): void {
  tx.db.run(
    `UPDATE check_runs
      SET state = 'running', status = 'pending', note = NULL, started_at = ?, finished_at = NULL
      WHERE id = ?`,
    tx.now,
    run_id,
  )
  tx.db.run(
    `UPDATE check_results
      SET status = 'queued', exit_code = NULL, duration_ms = NULL, started_at = NULL,
      finished_at = NULL, output_tail = '', log_bytes = NULL WHERE run_id = ?`,
    run_id,
  )
}

export const setTested = (tx: Tx, run_id: string, merge_sha: string): void =>
  void tx.db.run('UPDATE check_runs SET merge_sha = ? WHERE id = ?', merge_sha, run_id)

export const setEnded = (
  tx: Tx,
  run_id: string,
  end: { state: 'done' | 'replaced'; status: RunRow['status']; note: string | null },
): void =>
  void tx.db.run(
    'UPDATE check_runs SET state = ?, status = ?, note = ?, finished_at = ? WHERE id = ?',
    end.state,
    end.status,
    end.note,
    tx.now,
    run_id,
  )

/** Marks ended runs as replaced, so that they do not count for their head. */
export const setReplaced = (tx: Tx, repo_id: string, number: number, head_sha: string): number =>
  tx.db.run(
    `UPDATE check_runs SET state = 'replaced' WHERE repo_id = ? AND number = ?
      AND purpose = 'pull' AND head_sha = ? AND state = 'done'`,
    repo_id,
    number,
    head_sha,
  )

export const setResultStarted = (tx: Tx, id: string): void =>
  void tx.db.run(
    `UPDATE check_results SET status = 'running', started_at = ?, log_bytes = 0 WHERE id = ?`,
    tx.now,
    id,
  )

export type ResultEnd = {
  status: ResultStatus
  exit_code: number | null
  duration_ms: number | null
  output_tail: string
  log_bytes: number | null
}

export const setResultEnded = (tx: Tx, id: string, end: ResultEnd): void =>
  void tx.db.run(
    `UPDATE check_results
      SET status = ?, exit_code = ?, duration_ms = ?, finished_at = ?, output_tail = ?,
      log_bytes = ? WHERE id = ?`,
    end.status,
    end.exit_code,
    end.duration_ms,
    tx.now,
    end.output_tail,
    end.log_bytes,
    id,
  )

/**
 * Ends the unfinished results of a run. The running one, or else the first, gets the reason; the
 * others are skipped.
 */
export function endUnfinishedResults(tx: Tx, run_id: string, reason: string | null): void {
  const open = listResults(tx.db, run_id).filter(
    ({ status }) => status === 'queued' || status === 'running',
  )
  const first = open.find(({ status }) => status === 'running') ?? open[0]
  for (const result of open) {
    const errored = reason !== null && result.id === first?.id
    tx.db.run(
      `UPDATE check_results SET status = ?, finished_at = ?, output_tail = CASE
        WHEN output_tail = '' THEN ? ELSE output_tail END WHERE id = ?`,
      errored ? 'errored' : 'skipped',
      tx.now,
      errored ? reason : '',
      result.id,
    )
  }
}

/** Results whose logs are older than a moment, the oldest first. */
export const listOldLogs = (
  db: Db,
  before: Timestamp,
  limit: number,
): { id: string; run_id: string; repo_id: string }[] =>
  db.all(
    `SELECT check_results.id, run_id, repo_id FROM check_results JOIN check_runs ON check_runs.id = run_id
     WHERE log_bytes IS NOT NULL AND check_results.finished_at < ?
       ORDER BY check_results.finished_at LIMIT ?`,
    before,
    limit,
  )

/** The paths of all logs on disk, as in `logs.ts`. */
export const listLogPaths = (db: Db): string[] =>
  db
    .all<{ path: string }>(
      `SELECT check_runs.repo_id || '/' || check_results.run_id || '/' || check_results.id || '.log' AS path
       FROM check_results JOIN check_runs ON check_runs.id = check_results.run_id
         WHERE log_bytes IS NOT NULL AND check_results.status <> 'running'`,
    )
    .map(({ path }) => path)

export const setLogRemoved = (tx: Tx, result_id: string): void =>
  void tx.db.run('UPDATE check_results SET log_bytes = NULL WHERE id = ?', result_id)

/** Removes one batch of runs of a purged repository and returns their number. */
export const removeRuns = (tx: Tx, repo_id: string, limit: number): number =>
  tx.db.run(
    'DELETE FROM check_runs WHERE id IN (SELECT id FROM check_runs WHERE repo_id = ? LIMIT ?)',
    repo_id,
    limit,
  )
