import { job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { endToken, listEndedTokens } from '#features/accounts/index.ts'
import { removeEndedGrants } from './store.ts'
import { removeEndedRefresh, unlinkToken } from './store-refresh.ts'

/**
 * Forgets codes, tokens and approvals that have ended. A refresh token outlives the access token
 * that it came with.
 */
export const sweepApplications = job({
  kind: 'sweep_applications',
  every: '1h',
  run: ({ hearth }) =>
    writeAs(hearth, null, (tx) => {
      for (const token of listEndedTokens(tx.db, 'oauth', tx.now)) {
        unlinkToken(tx.db, token.id)
        endToken(tx, token.id, { ended: true })
      }
      removeEndedRefresh(tx.db, tx.now)
      removeEndedGrants(tx.db, tx.now)
    }),
})
