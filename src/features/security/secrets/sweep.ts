/** Deletes bypasses that have expired. */
import { job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { removeBypassesBefore } from './store.ts'

const BATCH = 500

export const sweepBypasses = job<null>({
  kind: 'sweep_secret_bypasses',
  every: '1h',
  run: async ({ hearth, signal }) => {
    const remove = () => writeAs(hearth, null, (tx) => removeBypassesBefore(tx, tx.now, BATCH))
    while (!signal.aborted && (await remove()) === BATCH);
  },
})
