/** Deletes what incoming webhooks no longer need. */
import { job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { DAY, timestamp } from '#lib/time.ts'
import { removeUpdatesBefore } from './updates/store-updates.ts'
import { listHookIds, removeDeliveriesBefore, removeOldSubjects } from './store.ts'

const KEPT_MS = 30 * DAY
const BATCH = 5_000

export const sweepIncoming = job<null>({
  kind: 'sweep_incoming_deliveries',
  every: '1d',
  run: async ({ hearth, signal }) => {
    for (const id of listHookIds(hearth.db)) {
      if (signal.aborted) return
      await writeAs(hearth, null, (tx) => removeOldSubjects(tx, id))
    }
    for (const removeBefore of [removeDeliveriesBefore, removeUpdatesBefore])
      while (!signal.aborted) {
        const removed = await writeAs(hearth, null, (tx) =>
          removeBefore(tx, timestamp(tx.now_ms - KEPT_MS), BATCH),
        )
        if (removed < BATCH) break
      }
  },
})
