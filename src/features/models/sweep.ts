/** Deletes calls that are older than 90 days. Their sums stay. */
import { job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { DAY, timestamp } from '#lib/time.ts'
import { removeCallsBefore } from './store-calls.ts'

const KEPT_MS = 90 * DAY
const BATCH = 5_000

export const sweepModelCalls = job<null>({
  kind: 'sweep_model_calls',
  every: '1d',
  run: async ({ hearth, signal }) => {
    while (!signal.aborted) {
      const removed = await writeAs(hearth, null, (tx) =>
        removeCallsBefore(tx, timestamp(tx.now_ms - KEPT_MS), BATCH),
      )
      if (removed < BATCH) return
    }
  },
})
