/**
 * How tokens end: at once, or at a time sooner than their own. A token that is revoked takes along
 * whatever hangs on its row.
 */
import type { Db } from '#core/db.ts'
import { signal } from '#core/events.ts'
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
} from './store-tokens.ts'
import { isTokenSecret, workspaceOf } from './tokens.ts'

/** The token of a secret, whether it has ended or not. */
export const tokenOfSecret = (db: Db, secret: string): TokenRow | null =>
  isTokenSecret(secret) ? findTokenBySecret(db, sha256(secret)) : null

/** A token was taken away. `last_used_at` is as its row had it. */
export const tokenEnded = signal(
  'token.ended',
  Type.Object({
    id: Type.String(),
    kind: Type.String(),
    last_used_at: Nullable(Type.String()),
    reason: Nullable(Type.String()),
  }),
)

/** Takes a token away; the audit log says so, and why, unless its time was over anyway. */
export function endToken(
  tx: Tx,
  id: string,
  { ended = false, reason = null }: { ended?: boolean; reason?: string | null } = {},
): void {
  const token = findToken(tx.db, id)
  if (!token) return
  const workspace_id = workspaceOf(token, listTokenRepoRows(tx.db, id))
  removeToken(tx.db, id)
  tx.signal(tokenEnded, { id, kind: token.kind, last_used_at: token.last_used_at, reason })
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

/** Takes away all tokens that stand for one actor. */
export function endTokensOf(tx: Tx, actor_id: string): void {
  for (const { id } of listTokenRows(tx.db, actor_id, { limit: -1, offset: 0 })) endToken(tx, id)
}

/** Lets a token end at a time, unless it ends sooner by itself. */
export const cutToken = (tx: Tx, id: string, at: Timestamp): void => setTokenEnd(tx.db, id, at)
