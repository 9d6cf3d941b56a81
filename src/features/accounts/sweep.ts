import { job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { removeEndedPendingSignIns } from './store/pending-sign-ins.ts'
import { removeEndedProofs } from './store/proofs.ts'
import { removeEndedSignIns } from './store/sign-ins.ts'
import { removeTokensEndedBefore } from './store/tokens.ts'
import { DAY, timestamp } from '#lib/time.ts'

/**
 * Expired tokens stay listed for a while, so that their owners see why something stopped working.
 */
const ENDED_TOKEN_RETENTION_MS = 90 * DAY
const BATCH_SIZE = 500

/** Deletes expired links, sign-ins and tokens. */
export const sweepAccounts = job({
  kind: 'sweep_accounts',
  every: '1h',
  run: async ({ hearth, signal }) => {
    await writeAs(hearth, null, (tx) => {
      removeEndedProofs(tx.db, tx.now)
      removeEndedSignIns(tx.db, tx.now)
      removeEndedPendingSignIns(tx.db, tx.now)
    })
    const before = timestamp(hearth.clock.now() - ENDED_TOKEN_RETENTION_MS)
    while (
      !signal.aborted &&
      (await writeAs(hearth, null, (tx) => removeTokensEndedBefore(tx.db, before, BATCH_SIZE))) ===
        BATCH_SIZE
    );
  },
})
