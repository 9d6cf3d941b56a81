/** Failed jobs wait for a person to see them, but not for ever: a mail server that was down a year ago would leave them by the thousand. */
import { DAY, timestamp } from '#lib/time.ts'
import { job } from './jobs.ts'

const KEPT = 90 * DAY
const AT_ONCE = 1000

export const sweepFailedJobs = job<null>({
  kind: 'sweep_failed_jobs',
  every: '24h',
  run: async ({ hearth, signal }) => {
    const before = timestamp(hearth.clock.now() - KEPT)
    const remove = () => hearth.database.run(`DELETE FROM jobs WHERE id IN (SELECT id FROM jobs WHERE state = 'failed' AND updated_at < ? LIMIT ?)`, before, AT_ONCE)
    while (!signal.aborted && (await hearth.writer.write(remove)) === AT_ONCE);
  },
})
