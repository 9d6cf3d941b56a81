/** The quota of the time that runners work for a workspace in a month. */
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { findQuotaProblem, requireQuota } from '#features/workspaces/index.ts'
import type { JobGate } from '../extension-points.ts'

/** Throws 403 `quota` when a workspace has used its minutes of this month. */
export const requireRunMinutes = (hearth: Hearth, db: Db, workspace_id: string): void =>
  requireQuota(hearth, db, workspace_id, 'run_minutes', 1)

/** A job does not begin once its workspace has used its minutes. Those that run go on. */
export const runMinutesGate: JobGate = ({ hearth }, { job }) => {
  const problem = findQuotaProblem(hearth, job.workspace_id, 'run_minutes', 1)
  return problem === null ? null : { refused: problem }
}
