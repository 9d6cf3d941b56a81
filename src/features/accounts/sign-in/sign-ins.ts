/**
 * Sign-ins on the website: a random secret in a cookie, its SHA-256 in the table, valid for 30 days
 * from the last use. With two-factor sign-in the first factor only creates a pending sign-in, which
 * gives no access.
 */
import type { Origin } from '#core/audit.ts'
import type { Tx } from '#core/write.ts'
import { forbidden } from '#lib/errors.ts'
import { randomToken, sha256 } from '#lib/hash.ts'
import { DAY, MINUTE, timestamp } from '#lib/time.ts'
import { typeId } from '#core/ids.ts'
import type { NewSignIn, SignInMethod } from '../schema.ts'
import { secondFactorsOf } from '../two-factor/second-factors.ts'
import { insertPendingSignIn } from '../store/pending-sign-ins.ts'
import { insertSignIn } from '../store/sign-ins.ts'
import type { UserRow } from '../store/users.ts'

export const SIGN_IN_LIFETIME_MS = 30 * DAY
export const PENDING_SIGN_IN_LIFETIME_MS = 10 * MINUTE
/** Wrong codes until the first factor is required again. */
const MAX_PENDING_ATTEMPTS = 5
const MAX_USER_AGENT_LENGTH = 400

export type SignInContext = { readonly method: SignInMethod; readonly origin: Origin }

type SignedInUser = Pick<UserRow, 'id' | 'username'> & Partial<Pick<UserRow, 'theme' | 'locale'>>

/**
 * Creates a sign-in for a user whose factors are all verified. Only this response contains the
 * secret.
 */
export function createSignIn(
  tx: Tx,
  user: SignedInUser,
  { method, origin }: SignInContext,
): NewSignIn {
  const id = typeId('sgn', tx.now_ms)
  const secret = randomToken()
  const expires_at = timestamp(tx.now_ms + SIGN_IN_LIFETIME_MS)
  const user_agent = origin.user_agent?.slice(0, MAX_USER_AGENT_LENGTH) ?? null
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
    user: signedInUser(user),
    second_factor: [],
  }
}

const signedInUser = ({ id, username, theme, locale }: SignedInUser): NewSignIn['user'] => ({
  id,
  username,
  theme: theme ?? null,
  locale: locale ?? null,
})

/**
 * Continues after the first factor: creates a sign-in, or a pending one for an account with
 * two-factor sign-in. Throws 403 `suspended`; only a caller who proved the first factor learns of
 * the suspension.
 */
export function beginSignIn(tx: Tx, user: UserRow, by: SignInContext): NewSignIn {
  if (user.suspended_at !== null) throw forbidden('suspended', 'this account is suspended')
  if (user.two_factor_enabled === 0) return createSignIn(tx, user, by)
  const secret = randomToken()
  const expires_at = timestamp(tx.now_ms + PENDING_SIGN_IN_LIFETIME_MS)
  insertPendingSignIn(tx.db, {
    secret_hash: sha256(secret),
    user_id: user.id,
    method: by.method,
    tries_left: MAX_PENDING_ATTEMPTS,
    expires_at,
  })
  return {
    id: typeId('sgn', tx.now_ms),
    secret,
    expires_at,
    user: signedInUser(user),
    second_factor: secondFactorsOf(tx.db, user.id),
  }
}
