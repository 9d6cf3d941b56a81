import { job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { DAY, timestamp } from '#lib/time.ts'
import { removeEndedDevices } from './store.ts'

/**
 * Deletes device codes a day after they expire, so that a slow tool still gets the status
 * `expired`.
 */
export const sweepDevices = job({
  kind: 'sweep_devices',
  every: '1h',
  run: ({ hearth }) =>
    writeAs(hearth, null, (tx) => removeEndedDevices(tx.db, timestamp(tx.now_ms - DAY))),
})
