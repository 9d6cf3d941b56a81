/**
 * Token chains. A code yields an access token and a refresh token; each refresh token yields the
 * next pair once. If a code or refresh token is used a second time, another party has it, and the
 * whole chain is revoked (RFC 9700 section 4.14.2). Clients often send two refreshes at once, so a
 * second use within a minute is only refused.
 */
import type { Tx } from '#core/write.ts'
import { shortenToken, issueToken } from '#features/accounts/index.ts'
import { randomToken, sha256 } from '#lib/hash.ts'
import { DAY, SECOND, timestamp } from '#lib/time.ts'
import { endGrant } from './applications.ts'
import { audienceOf } from './resources.ts'
import type { TokenResponse } from './schema.ts'
import { formatScopes } from './scopes.ts'
import type { GrantWithApplication } from './store.ts'
import { insertRefreshToken } from './store-refresh.ts'

const ACCESS_TOKEN_LIFETIME_MS = 30 * DAY
const REFRESH_TOKEN_LIFETIME_MS = 180 * DAY
export const REUSE_GRACE_MS = 60 * SECOND

/**
 * Issues the next pair of a chain, for the requested resource or else the approved one. The
 * previous access token expires within a minute, so that requests in flight can finish.
 */
export function issueTokenPair(
  tx: Tx,
  grant: GrantWithApplication,
  {
    scopes,
    resource,
    before,
  }: { scopes: readonly string[] | null; resource: string | null; before: string | null },
): TokenResponse {
  if (before !== null) shortenToken(tx, before, timestamp(tx.now_ms + REUSE_GRACE_MS))
  const { token, secret } = issueToken(tx, {
    actor_id: grant.user_id,
    kind: 'user',
    source: 'oauth',
    name: grant.name,
    scopes,
    repos: null,
    workspace_id: null,
    role: null,
    expires_at: timestamp(tx.now_ms + ACCESS_TOKEN_LIFETIME_MS),
    audience: audienceOf(tx.hearth.settings, resource ?? grant.resource),
  })
  const refresh_token = `hthr_${randomToken()}`
  insertRefreshToken(tx.db, {
    secret_hash: sha256(refresh_token),
    code_hash: grant.code_hash,
    token_id: token.id,
    created_at: tx.now,
    expires_at: timestamp(tx.now_ms + REFRESH_TOKEN_LIFETIME_MS),
    used_at: null,
  })
  return {
    access_token: secret,
    token_type: 'Bearer',
    expires_in: ACCESS_TOKEN_LIFETIME_MS / 1000,
    refresh_token,
    scope: formatScopes(scopes),
  }
}

/** Revokes a chain because one of its secrets was used twice. */
export function revokeReusedGrant(
  tx: Tx,
  grant: GrantWithApplication,
  what: 'code' | 'refresh token',
): void {
  endGrant(tx, grant.code_hash)
  tx.audit({
    action: 'application.reuse_detected',
    target: { kind: 'application', id: grant.application_id, name: grant.name },
    data: { user_id: grant.user_id, used_twice: what },
  })
}
