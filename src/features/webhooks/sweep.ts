/**
 * Old deliveries go after two weeks, webhooks that were taken away go in parts, and nothing that is
 * due is forgotten.
 */
import { job } from '#core/jobs.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { timestamp } from '#lib/time.ts'
import { KEPT_MS } from './deliveries.ts'
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

const AT_ONCE = 500

export const sweepWebhooks = job({
  kind: 'sweep_webhooks',
  every: '10m',
  async run({ hearth, signal }) {
    /** Many rows in several transactions, so that nobody waits long for one. */
    const inParts = async (remove: (tx: Tx) => number): Promise<void> => {
      while ((await writeAs(hearth, null, remove)) >= AT_ONCE)
        if (signal.aborted) throw new Error('the process is stopping')
    }
    const before = timestamp(hearth.clock.now() - KEPT_MS)
    for (let after = ''; ; ) {
      const hooks = listHookIds(hearth.db, after, AT_ONCE)
      for (const { id, removed_at } of hooks) {
        if (hasOlder(hearth.db, id, before))
          await inParts((tx) => removeOldDeliveries(tx, id, before, AT_ONCE))
        if (removed_at === null || nextDue(hearth.db, id) !== null) continue
        await inParts((tx) => removeDeliveries(tx, id, AT_ONCE))
        await writeAs(hearth, null, (tx) => removeHookRow(tx, id))
      }
      const last = hooks.at(-1)
      if (!last || hooks.length < AT_ONCE) break
      after = last.id
    }
    await inParts((tx) => removeOldPayloads(tx, timestamp(hearth.clock.now()), AT_ONCE))
    // A job that failed for good (a key that could not be read) leaves deliveries behind that may
    // work by now.
    await writeAs(hearth, null, (tx) => {
      for (const hook_id of listWithDue(tx.db)) startSending(tx, hook_id)
    })
  },
})
