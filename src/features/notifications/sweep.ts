import { job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { DAY, timestamp } from '#lib/time.ts'
import { removeOldDone, removeOldRead } from './store.ts'

const DONE_RETENTION_MS = 90 * DAY
const READ_RETENTION_MS = 365 * DAY
const ROWS_PER_BATCH = 500

/** Removes notifications that were marked as done, and after a longer time those that were read. */
export const sweepNotifications = job<null>({
  kind: 'sweep_notifications',
  every: '1d',
  async run({ hearth, signal }) {
    const before = timestamp(hearth.clock.now() - DONE_RETENTION_MS)
    while (
      !signal.aborted &&
      (await writeAs(hearth, null, (tx) => removeOldDone(tx, before, ROWS_PER_BATCH))) ===
        ROWS_PER_BATCH
    );
    const read = timestamp(hearth.clock.now() - READ_RETENTION_MS)
    while (
      !signal.aborted &&
      (await writeAs(hearth, null, (tx) => removeOldRead(tx, read, ROWS_PER_BATCH))) ===
        ROWS_PER_BATCH
    );
  },
})
