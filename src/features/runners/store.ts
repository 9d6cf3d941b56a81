/** Jobs as the runner of this process needs them. */
import type { Db } from '#core/db.ts'
import type { LogName } from './job-logs.ts'

/** The jobs of a run, of all its attempts. */
export const logsOfRun = (db: Db, run_id: string): LogName[] =>
  db.all<LogName>('SELECT id, repo_id FROM workflow_jobs WHERE run_id = ?', run_id)
