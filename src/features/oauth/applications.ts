/** Approved applications: their records and the end of their access. */
import { handler } from '#core/events.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Tx } from '#core/write.ts'
import { accessEnded, endToken, findToken } from '#features/accounts/index.ts'
import type { Application } from './schema.ts'
import {
  listApplicationsOf,
  listGrants,
  removeApplication,
  removeGrant,
  type ApplicationRow,
} from './store.ts'
import { listTokenChain } from './store-refresh.ts'

const latest = (times: readonly (string | null | undefined)[]): string | null =>
  times.reduce<string | null>(
    (best, time) => (time && (best === null || time > best) ? time : best),
    null,
  )

export function applicationRecord({ db }: Pick<Hearth, 'db'>, row: ApplicationRow): Application {
  const grants = listGrants(db, row.id)
  const chains = grants
    .map((grant) => ({ grant, chain: listTokenChain(db, grant.code_hash) }))
    .filter(({ chain }) => chain.some(({ used_at }) => used_at === null))
  const live = chains.flatMap(({ chain }) => chain)
  const full = chains.some(({ grant }) => grant.scopes === null)
  return {
    id: row.id,
    name: row.name,
    host: row.host,
    url: row.url,
    scopes: full
      ? null
      : [
          ...new Set(chains.flatMap(({ grant }) => JSON.parse(grant.scopes ?? '[]') as string[])),
        ].sort(),
    approved_at: row.approved_at,
    last_used_at: latest(
      live.map(({ token_id }) =>
        token_id === null ? null : findToken(db, token_id)?.last_used_at,
      ),
    ),
    expires_at: latest(live.map(({ expires_at }) => expires_at)),
  }
}

/** Removes one approval: its code and every access and refresh token issued from it. */
export function endGrant(tx: Tx, code_hash: string): void {
  for (const { token_id } of listTokenChain(tx.db, code_hash))
    if (token_id !== null) endToken(tx, token_id)
  removeGrant(tx.db, code_hash)
}

/** Ends all applications that a user approved, when the user's password was reset. */
export const endApplicationsWithAccess = handler(
  'applications end with a password reset',
  accessEnded,
  (tx, { user_id }) => {
    for (const row of listApplicationsOf(tx.db, user_id)) endApplication(tx, row)
  },
)

/** Removes an application with all its approvals and tokens. */
export function endApplication(tx: Tx, row: ApplicationRow): void {
  for (const { code_hash } of listGrants(tx.db, row.id)) endGrant(tx, code_hash)
  removeApplication(tx.db, row.id)
}
