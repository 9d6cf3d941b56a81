/** Ends deployments that nobody approves, and deletes old records. */
import { job } from '#core/jobs.ts'
import { lowestIdAt } from '#core/ids.ts'
import { writeAs } from '#core/write.ts'
import { requestScheduling } from '#features/workflows/index.ts'
import { DAY, timestamp } from '#lib/time.ts'
import { APPROVAL_DAYS } from './protection.ts'
import { listWaitingBefore, removeDeploymentsBefore } from './store.ts'

const RETENTION_MS = 400 * DAY
const BATCH = 200

export const sweepDeployments = job<null>({
  kind: 'sweep_deployments',
  every: '1h',
  run: async ({ hearth, signal }) => {
    await writeAs(hearth, null, (tx) => {
      const before = timestamp(tx.now_ms - APPROVAL_DAYS * DAY)
      for (const { run_id } of listWaitingBefore(tx.db, before, BATCH))
        requestScheduling(tx, run_id)
    })
    const remove = () =>
      writeAs(hearth, null, (tx) =>
        removeDeploymentsBefore(tx, lowestIdAt('dpl', timestamp(tx.now_ms - RETENTION_MS)), BATCH),
      )
    while (!signal.aborted && (await remove()) === BATCH);
  },
})
