import type { Tx } from '#core/write.ts'
import { nextCronTime, type Workflow } from '#actions'
import { listSchedules, putSchedule, removeSchedule } from './store-schedules.ts'

/** Writes when a workflow is due next. Schedules that it had before keep their time. */
export function setSchedules(tx: Tx, workflow_id: string, workflow: Workflow | null): void {
  const crons = new Set(workflow?.on.schedule?.schedules.map(({ cron }) => cron))
  const known = new Set(listSchedules(tx.db, workflow_id).map(({ cron }) => cron))
  for (const cron of known.difference(crons)) removeSchedule(tx, workflow_id, cron)
  for (const cron of crons.difference(known))
    putSchedule(tx, { workflow_id, cron, next_at: nextCronTime(cron, tx.now_ms) })
}
