import { job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { endToken, listEndedTokens } from '#features/accounts/index.ts'
import { removeEndedGrants } from './store.ts'
import { removeEndedRefreshTokens, unlinkAccessToken } from './store-refresh.ts'

/** Deletes expired codes, tokens and approvals. A refresh token outlives its access token. */
export const sweepApplications = job({
  kind: 'sweep_applications',
  every: '1h',
  run: ({ hearth }) =>
    writeAs(hearth, null, (tx) => {
      for (const token of listEndedTokens(tx.db, 'oauth', tx.now)) {
        unlinkAccessToken(tx.db, token.id)
        endToken(tx, token.id, { ended: true })
      }
      removeEndedRefreshTokens(tx.db, tx.now)
      removeEndedGrants(tx.db, tx.now)
    }),
})
