/**
 * Ends tokens at once or earlier than their own expiry. Revoking a token notifies handlers of
 * `tokenEnded`, so that features remove what depends on it.
 */
import type { Db } from '#core/db.ts'
import { internalEvent } from '#core/events.ts'
import { Nullable, Type } from '#core/schema.ts'
import type { Tx } from '#core/write.ts'
import { sha256 } from '#lib/hash.ts'
import type { Timestamp } from '#lib/time.ts'
import {
  findToken,
  findTokenBySecret,
  listTokenRepoRows,
  listTokenRows,
  removeToken,
  setTokenEnd,
  type TokenRow,
} from '../store/tokens.ts'
import { isTokenSecret, auditWorkspaceOf } from './tokens.ts'

/** The token of a secret, expired or not. */
export const findTokenOfSecret = (db: Db, secret: string): TokenRow | null =>
  isTokenSecret(secret) ? findTokenBySecret(db, sha256(secret)) : null

/** A token was removed. `last_used_at` is the value of its row. */
export const tokenEnded = internalEvent(
  'token.ended',
  Type.Object({
    id: Type.String(),
    kind: Type.String(),
    last_used_at: Nullable(Type.String()),
    reason: Nullable(Type.String()),
  }),
)

/**
 * Removes a token. Writes an audit entry with the reason, except for an expired token (`ended`).
 */
export function endToken(
  tx: Tx,
  id: string,
  { ended = false, reason = null }: { ended?: boolean; reason?: string | null } = {},
): void {
  const token = findToken(tx.db, id)
  if (!token) return
  const workspace_id = auditWorkspaceOf(token, listTokenRepoRows(tx.db, id))
  removeToken(tx.db, id)
  tx.emit(tokenEnded, { id, kind: token.kind, last_used_at: token.last_used_at, reason })
  if (ended) return
  tx.audit({
    action: 'token.revoked',
    target: { kind: 'token', id, name: token.name },
    workspace_id,
    data: {
      before: {
        kind: token.kind,
        source: token.source,
        actor_id: token.actor_id,
        last_four: token.last_four,
      },
      ...(reason === null ? {} : { reason }),
    },
  })
}

/** Removes all tokens of an actor. */
export function endTokensOf(tx: Tx, actor_id: string): void {
  for (const { id } of listTokenRows(tx.db, actor_id, { limit: -1, offset: 0 })) endToken(tx, id)
}

/** Shortens the lifetime of a token to a time, unless it expires sooner. */
export const shortenToken = (tx: Tx, id: string, expires_at: Timestamp): void =>
  setTokenEnd(tx.db, id, expires_at)
