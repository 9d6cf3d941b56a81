import { job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { removeEndedPendingSignIns } from './store-pending-sign-ins.ts'
import { removeEndedProofs } from './store-proofs.ts'
import { removeEndedSignIns } from './store-sign-ins.ts'

/** Forgets links and sign-ins that have ended. */
export const sweepAccounts = job({
  kind: 'sweep_accounts',
  every: '1h',
  run: ({ hearth }) =>
    writeAs(hearth, null, (tx) => {
      removeEndedProofs(tx.db, tx.now)
      removeEndedSignIns(tx.db, tx.now)
      removeEndedPendingSignIns(tx.db, tx.now)
    }),
})
