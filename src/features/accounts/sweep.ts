import { job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { removeEndedPendingSignIns } from './store-pending-sign-ins.ts'
import { removeEndedProofs } from './store-proofs.ts'
import { removeEndedSignIns } from './store-sign-ins.ts'
import { removeLongEnded } from './store-tokens.ts'
import { DAY, timestamp } from '#lib/time.ts'

/**
 * Tokens that ended are shown to their owners for a while, so that they see why something stopped.
 */
const TOKENS_KEPT = 90 * DAY
const AT_ONCE = 500

/** Forgets links, sign-ins and tokens that have ended. */
export const sweepAccounts = job({
  kind: 'sweep_accounts',
  every: '1h',
  run: async ({ hearth, signal }) => {
    await writeAs(hearth, null, (tx) => {
      removeEndedProofs(tx.db, tx.now)
      removeEndedSignIns(tx.db, tx.now)
      removeEndedPendingSignIns(tx.db, tx.now)
    })
    const before = timestamp(hearth.clock.now() - TOKENS_KEPT)
    while (
      !signal.aborted &&
      (await writeAs(hearth, null, (tx) => removeLongEnded(tx.db, before, AT_ONCE))) === AT_ONCE
    );
  },
})
