/** What the logs of jobs take on disk: the column `log_stored_bytes` of `workflow_jobs`. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'

/** Files of one kind: how many, and their bytes. */
export type Totals = { readonly count: number; readonly bytes: number }
export type RepoTotals = Totals & { readonly repo_id: string }

/** The log of a job is packed into so many bytes. Not when it was removed meanwhile. */
export const setLogStored = (tx: Tx, job_id: string, bytes: number): void =>
  void tx.db.run(
    `UPDATE workflow_jobs SET log_stored_bytes = ? WHERE id = ? AND log_state = 'packed'`,
    bytes,
    job_id,
  )

export const logTotals = (db: Db, repo_id: string): Totals =>
  db.one<Totals>(
    `SELECT count(*) AS count, coalesce(sum(log_stored_bytes), 0) AS bytes
     FROM workflow_jobs WHERE repo_id = ? AND log_stored_bytes > 0`,
    repo_id,
  ) ?? { count: 0, bytes: 0 }

/** Of each repository of a workspace that has logs, deleted ones included. */
export const logTotalsByRepo = (db: Db, workspace_id: string): RepoTotals[] =>
  db.all<RepoTotals>(
    `SELECT p.id AS repo_id, count(*) AS count, sum(j.log_stored_bytes) AS bytes
     FROM repos p CROSS JOIN workflow_jobs j ON j.repo_id = p.id
     WHERE p.workspace_id = ? AND p.parent_id IS NULL AND j.log_stored_bytes > 0 GROUP BY p.id`,
    workspace_id,
  )

export const countLogBytes = (db: Db, workspace_id: string): number =>
  logTotalsByRepo(db, workspace_id).reduce((sum, { bytes }) => sum + bytes, 0)
