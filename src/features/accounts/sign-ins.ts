/**
 * Sign-ins on the website: a random secret in a cookie, its SHA-256 in the table, 30 days from the
 * last use. An account with two-factor sign-in gets one only after the second factor; until then
 * there is a pending one, which opens nothing.
 */
import type { Origin } from '#core/audit.ts'
import type { Tx } from '#core/write.ts'
import { forbidden } from '#lib/errors.ts'
import { randomToken, sha256 } from '#lib/hash.ts'
import { DAY, MINUTE, timestamp } from '#lib/time.ts'
import { typeId } from '#lib/typeid.ts'
import type { NewSignIn } from './schema.ts'
import type { SignInMethod } from './schema-people.ts'
import { secondFactorsOf } from './second-factors.ts'
import { insertPendingSignIn } from './store-pending-sign-ins.ts'
import { insertSignIn } from './store-sign-ins.ts'
import type { UserRow } from './store.ts'

export const SIGN_IN_MS = 30 * DAY
export const PENDING_MS = 10 * MINUTE
/** Wrong codes until the first factor has to be shown again. */
const PENDING_TRIES = 5
const LONGEST_USER_AGENT = 400

export type SignInBy = { readonly method: SignInMethod; readonly origin: Origin }

/** Starts a sign-in for a person whose factors are all shown. The secret is in this answer only. */
export function startSignIn(
  tx: Tx,
  user: { id: string; username: string },
  { method, origin }: SignInBy,
): NewSignIn {
  const id = typeId('sgn', tx.now_ms)
  const secret = randomToken()
  const expires_at = timestamp(tx.now_ms + SIGN_IN_MS)
  const user_agent = origin.user_agent?.slice(0, LONGEST_USER_AGENT) ?? null
  insertSignIn(
    tx.db,
    {
      id,
      user_id: user.id,
      method,
      ip: origin.ip,
      user_agent,
      created_at: tx.now,
      last_used_at: tx.now,
      expires_at,
    },
    sha256(secret),
  )
  tx.audit({
    action: 'user.signed_in',
    target: { kind: 'user', id: user.id, name: user.username },
    data: { method, sign_in: id },
  })
  return {
    id,
    secret,
    expires_at,
    user: { id: user.id, username: user.username },
    second_factor: [],
  }
}

/**
 * Goes on after a first factor: with a sign-in, or, for an account with two-factor sign-in, with a
 * pending one. Gives 403 `suspended`, which is told only to whoever has shown the first factor.
 */
export function openSignIn(tx: Tx, user: UserRow, by: SignInBy): NewSignIn {
  if (user.suspended_at !== null) throw forbidden('suspended', 'this account is suspended')
  if (user.two_factor_enabled === 0) return startSignIn(tx, user, by)
  const secret = randomToken()
  const expires_at = timestamp(tx.now_ms + PENDING_MS)
  insertPendingSignIn(tx.db, {
    secret_hash: sha256(secret),
    user_id: user.id,
    method: by.method,
    tries_left: PENDING_TRIES,
    expires_at,
  })
  return {
    id: typeId('sgn', tx.now_ms),
    secret,
    expires_at,
    user: { id: user.id, username: user.username },
    second_factor: secondFactorsOf(tx.db, user.id),
  }
}
