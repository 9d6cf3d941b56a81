import { job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { DAY, timestamp } from '#lib/time.ts'
import { removeOldDone, removeOldRead } from './store.ts'

const KEPT_MS = 90 * DAY
const READ_KEPT_MS = 365 * DAY
const AT_ONCE = 500

/** What was put away goes after a while, and what was read and left alone after a longer one. */
export const sweepNotifications = job<null>({
  kind: 'sweep_notifications',
  every: '1d',
  async run({ hearth, signal }) {
    const before = timestamp(hearth.clock.now() - KEPT_MS)
    while (
      !signal.aborted &&
      (await writeAs(hearth, null, (tx) => removeOldDone(tx, before, AT_ONCE))) === AT_ONCE
    );
    const read = timestamp(hearth.clock.now() - READ_KEPT_MS)
    while (
      !signal.aborted &&
      (await writeAs(hearth, null, (tx) => removeOldRead(tx, read, AT_ONCE))) === AT_ONCE
    );
  },
})
