/**
 * Chains of tokens: a code gives an access token and a refresh token, a refresh token gives the
 * next two, once. When a code or a refresh token turns up a second time, somebody else has it, and
 * the whole chain ends (RFC 9700 section 4.14.2). Two refreshes at the same moment are usual,
 * though: within a minute the second is only refused.
 */
import type { Tx } from '#core/write.ts'
import { cutToken, issueToken } from '#features/accounts/index.ts'
import { randomToken, sha256 } from '#lib/hash.ts'
import { DAY, SECOND, timestamp } from '#lib/time.ts'
import { endGrant } from './applications.ts'
import { audienceOf } from './resources.ts'
import type { TokenAnswer } from './schema.ts'
import { writeScope } from './scopes.ts'
import type { GrantOfUser } from './store.ts'
import { insertRefresh } from './store-refresh.ts'

const ACCESS_MS = 30 * DAY
const REFRESH_MS = 180 * DAY
export const GRACE_MS = 60 * SECOND

/**
 * The next two tokens of a chain, for the resource that was asked for or else approved. The access
 * token before them ends within the minute that requests may still be under way.
 */
export function issuePair(
  tx: Tx,
  grant: GrantOfUser,
  {
    scopes,
    resource,
    before,
  }: { scopes: readonly string[] | null; resource: string | null; before: string | null },
): TokenAnswer {
  if (before !== null) cutToken(tx, before, timestamp(tx.now_ms + GRACE_MS))
  const { token, secret } = issueToken(tx, {
    actor_id: grant.user_id,
    kind: 'user',
    source: 'oauth',
    name: grant.name,
    scopes,
    repos: null,
    workspace_id: null,
    role: null,
    expires_at: timestamp(tx.now_ms + ACCESS_MS),
    audience: audienceOf(tx.hearth.settings, resource ?? grant.resource),
  })
  const refresh_token = `hthr_${randomToken()}`
  insertRefresh(tx.db, {
    secret_hash: sha256(refresh_token),
    code_hash: grant.code_hash,
    token_id: token.id,
    created_at: tx.now,
    expires_at: timestamp(tx.now_ms + REFRESH_MS),
    used_at: null,
  })
  return {
    access_token: secret,
    token_type: 'Bearer',
    expires_in: ACCESS_MS / 1000,
    refresh_token,
    scope: writeScope(scopes),
  }
}

/** Ends a chain because one of its secrets was used twice. */
export function punishReuse(tx: Tx, grant: GrantOfUser, what: 'code' | 'refresh token'): void {
  endGrant(tx, grant.code_hash)
  tx.audit({
    action: 'application.reuse_detected',
    target: { kind: 'application', id: grant.application_id, name: grant.name },
    data: { user_id: grant.user_id, used_twice: what },
  })
}
