/**
 * Removes deliveries after two weeks and deleted webhooks in batches, and restarts forgotten
 * deliveries.
 */
import { job } from '#core/jobs.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { timestamp } from '#lib/time.ts'
import { RETENTION_MS } from './deliveries.ts'
import { startSending } from './send-deliveries.ts'
import { listHookIds, removeHookRow } from './store.ts'
import {
  hasOlder,
  listWithDue,
  nextDue,
  removeDeliveries,
  removeOldDeliveries,
  removeOldPayloads,
} from './store-deliveries.ts'

const ROWS_PER_BATCH = 500

export const sweepWebhooks = job({
  kind: 'sweep_webhooks',
  every: '10m',
  async run({ hearth, signal }) {
    /** Removes rows in several transactions, so that none holds the writer for long. */
    const inParts = async (remove: (tx: Tx) => number): Promise<void> => {
      while ((await writeAs(hearth, null, remove)) >= ROWS_PER_BATCH)
        if (signal.aborted) throw new Error('the process is stopping')
    }
    const before = timestamp(hearth.clock.now() - RETENTION_MS)
    for (let after = ''; ; ) {
      const hooks = listHookIds(hearth.db, after, ROWS_PER_BATCH)
      for (const { id, removed_at } of hooks) {
        if (hasOlder(hearth.db, id, before))
          await inParts((tx) => removeOldDeliveries(tx, id, before, ROWS_PER_BATCH))
        if (removed_at === null || nextDue(hearth.db, id) !== null) continue
        await inParts((tx) => removeDeliveries(tx, id, ROWS_PER_BATCH))
        await writeAs(hearth, null, (tx) => removeHookRow(tx, id))
      }
      const last = hooks.at(-1)
      if (!last || hooks.length < ROWS_PER_BATCH) break
      after = last.id
    }
    await inParts((tx) => removeOldPayloads(tx, timestamp(hearth.clock.now()), ROWS_PER_BATCH))
    // A job that failed for good, for example without the key, leaves due deliveries that may
    // succeed now.
    await writeAs(hearth, null, (tx) => {
      for (const hook_id of listWithDue(tx.db)) startSending(tx, hook_id)
    })
  },
})
