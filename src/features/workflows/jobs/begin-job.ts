/**
 * Begins jobs that may start by their needs: queues them for runners, unless their concurrency group
 * or something else (`jobGates`, such as the protection of an environment) says wait. A job that
 * waits is asked again by each scheduling of its run. Rows hold what it waits for, so a restart
 * changes nothing.
 */
import type { JobPlan } from '#actions'
import type { Tx } from '#core/write.ts'
import { enterGroupAsJob, waitsForItself } from '../runs/concurrency.ts'
import { endJob } from '../runs/end-run.ts'
import { jobChanged, jobsQueued } from '../events.ts'
import { jobGates, runnerKinds, type JobHold } from '../extension-points.ts'
import { setCalling, setHeld, setQueued, setWaitsForRunner, type JobRow } from './store-jobs.ts'
import { setRunStatus, type RunRow } from '../runs/store-runs.ts'

/** Whether a job was told to start and waits for something that is not a runner. */
export const isHeld = (row: JobRow): boolean =>
  row.stage === 'started' && row.status === 'waiting' && row.waiting_for !== null

/** The group comes first, so that whoever approves a deployment starts it at once. */
function holdOf(tx: Tx, run: RunRow, row: JobRow, plan: JobPlan): JobHold | null {
  const { concurrency } = plan
  // A job that passed its group and waits for its environment still has the group.
  if (concurrency !== null && (!isHeld(row) || row.waiting_for === 'concurrency')) {
    const { group } = concurrency
    if (waitsForItself(tx, run, row, group))
      return { refused: `The concurrency group ${group} is that of its run or caller already` }
    const reason = enterGroupAsJob(tx, row, concurrency)
    if (reason !== null) return { waiting_for: 'concurrency', reason }
  }
  for (const gate of jobGates.all(tx.hearth)) {
    const hold = gate(tx, { run, job: row, plan })
    if (hold !== null) return hold
  }
  return null
}

/** Begins a job, or says what it waits for. True when it was queued or ended. */
export function beginJob(tx: Tx, run: RunRow, row: JobRow): boolean {
  const plan = row.plan === null ? null : (JSON.parse(row.plan) as JobPlan)
  const hold = plan && holdOf(tx, run, row, plan)
  if (hold === null) {
    queueJob(tx, run, row, plan)
    return true
  }
  if ('refused' in hold) {
    endJob(tx, row, { conclusion: 'failure', reason: hold.refused, outputs: {} })
    return true
  }
  setHeld(tx, row.id, hold.waiting_for, hold.reason)
  return false
}

function queueJob(tx: Tx, run: RunRow, row: JobRow, plan: JobPlan | null): void {
  if (plan?.kind === 'call') return setCalling(tx, row.id)
  setQueued(tx, row.id)
  const labels = JSON.parse(row.labels) as string[]
  const kinds = runnerKinds(tx.hearth)
  if (!kinds.some((kind) => kind.accepts(tx.hearth, labels, row)))
    setWaitsForRunner(tx, row.id, `There is no runner with the labels ${labels.join(', ')}`)
  setRunStatus(tx, run.id, run.status === 'in_progress' ? 'in_progress' : 'queued', null)
  tx.emit(jobChanged, { job_id: row.id })
  tx.emit(jobsQueued, {})
}
