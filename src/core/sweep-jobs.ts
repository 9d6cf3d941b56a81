/**
 * Failed jobs wait for a person to see them, but not for ever: a mail server that was down a year
 * ago would leave them by the thousand.
 */
import { DAY, timestamp } from '#lib/time.ts'
import { job, removeFailedJobs } from './jobs.ts'

const KEPT = 90 * DAY
const AT_ONCE = 1000

export const sweepFailedJobs = job<null>({
  kind: 'sweep_failed_jobs',
  every: '24h',
  run: async ({ hearth, signal }) => {
    const before = timestamp(hearth.clock.now() - KEPT)
    while (
      !signal.aborted &&
      (await hearth.writer.write(() => removeFailedJobs(hearth.database, before, AT_ONCE))) ===
        AT_ONCE
    );
  },
})
