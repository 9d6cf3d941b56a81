/**
 * Ends what nobody ends any more: jobs whose runner is gone, and runs that no runner took for a day.
 * Deletes runs after 400 days and models that nothing uses.
 */
import { job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { DAY, HOUR, timestamp } from '#lib/time.ts'
import { runRemoved } from './events.ts'
import { cancelJob, endRun } from './runs/end-run.ts'
import { endInterrupted } from './jobs/queue.ts'
import { listJobs } from './jobs/store-jobs.ts'
import { listRunsBefore, listStaleRuns, removeRun } from './runs/store-runs.ts'
import { removeUnusedModels } from './files/store-workflows.ts'

const RUN_RETENTION_MS = 400 * DAY
const MODEL_RETENTION_MS = DAY
const MAX_QUEUED_MS = 24 * HOUR
const BATCH = 200

/** Often, because a job whose runner is gone keeps others waiting. */
export const checkRunners = job<null>({
  kind: 'check_workflow_runners',
  every: '30s',
  run: ({ hearth }) =>
    writeAs(hearth, null, (tx) => {
      endInterrupted(tx)
      for (const run of listStaleRuns(tx.db, timestamp(tx.now_ms - MAX_QUEUED_MS), BATCH)) {
        for (const row of listJobs(tx.db, run.id, run.attempt))
          cancelJob(tx, row, 'No runner took it within 24 hours')
        endRun(tx, run, 'timed_out')
      }
    }),
})

export const sweepRuns = job<null>({
  kind: 'sweep_workflow_runs',
  every: '1h',
  run: async ({ hearth, signal }) => {
    const removeRuns = () =>
      writeAs(hearth, null, (tx) => {
        const old = listRunsBefore(tx.db, timestamp(tx.now_ms - RUN_RETENTION_MS), BATCH)
        for (const { id } of old) {
          tx.emit(runRemoved, { run_id: id })
          removeRun(tx, id)
        }
        return old.length
      })
    const removeModels = () =>
      writeAs(hearth, null, (tx) =>
        removeUnusedModels(tx, timestamp(tx.now_ms - MODEL_RETENTION_MS), BATCH),
      )
    for (const remove of [removeRuns, removeModels])
      while (!signal.aborted && (await remove()) === BATCH);
  },
})
