/** The table `run_time`. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import { MINUTE } from '#lib/time.ts'

/**
 * Counts the time that a runner has had a job, in the month in which the job ends. To be called while
 * the job still runs: before it ends, or goes back into the queue.
 */
export function countRunTime(tx: Tx, job_id: string): void {
  tx.db.run(
    `INSERT INTO run_time (workspace_id, month, ms)
     SELECT j.workspace_id, ?2, max(0, ?3 - CAST(round(unixepoch(j.started_at, 'subsec') * 1000) AS INTEGER))
     FROM workflow_jobs j JOIN workspaces w ON w.id = j.workspace_id
     WHERE j.id = ?1 AND j.status = 'in_progress' AND j.runner_name IS NOT NULL
     ON CONFLICT (workspace_id, month) DO UPDATE SET ms = ms + excluded.ms`,
    job_id,
    `${tx.now.slice(0, 7)}-01`,
    tx.now_ms,
  )
}

/** The part of a workspace's usage: minutes that have begun. */
export const countRunMinutes = (
  db: Db,
  workspace_ids: readonly string[],
  month: string,
): ReadonlyMap<string, number> =>
  new Map(
    db
      .all<{ workspace_id: string; ms: number }>(
        `SELECT workspace_id, ms FROM run_time
         WHERE month = ? AND workspace_id IN (SELECT value FROM json_each(?))`,
        month,
        JSON.stringify(workspace_ids),
      )
      .map(({ workspace_id, ms }) => [workspace_id, Math.ceil(ms / MINUTE)]),
  )
