/** Deletes failed jobs after 90 days, which is enough for an administrator to see them. */
import { DAY, timestamp } from '#lib/time.ts'
import { job, removeFailedJobs } from './jobs.ts'

const FAILED_JOB_RETENTION_MS = 90 * DAY
const SWEEP_BATCH_ROWS = 1000

export const sweepFailedJobs = job<null>({
  kind: 'sweep_failed_jobs',
  every: '24h',
  run: async ({ hearth, signal }) => {
    const before = timestamp(hearth.clock.now() - FAILED_JOB_RETENTION_MS)
    const remove = () => removeFailedJobs(hearth.database, before, SWEEP_BATCH_ROWS)
    while (!signal.aborted && (await hearth.writer.write(remove)) === SWEEP_BATCH_ROWS);
  },
})
