/** Sign-ins on the website: a random secret in a cookie, its SHA-256 in the table, 30 days from the last use. */
import type { Tx } from '#core/write.ts'
import { randomToken, sha256 } from '#lib/hash.ts'
import { DAY, timestamp } from '#lib/time.ts'
import { typeId } from '#lib/typeid.ts'
import type { NewSignIn } from './schema.ts'
import { insertSignIn } from './store-sign-ins.ts'

export const SIGN_IN_MS = 30 * DAY
const LONGEST_USER_AGENT = 400

/** Starts a sign-in for a person. The secret is in this answer only. */
export function startSignIn(tx: Tx, user: { id: string; username: string }, user_agent: string | undefined): NewSignIn {
  const id = typeId('sgn', tx.now_ms)
  const secret = randomToken()
  const expires_at = timestamp(tx.now_ms + SIGN_IN_MS)
  insertSignIn(
    tx.db,
    { id, user_id: user.id, user_agent: user_agent?.slice(0, LONGEST_USER_AGENT) ?? null, created_at: tx.now, last_used_at: tx.now, expires_at },
    sha256(secret),
  )
  return { id, secret, expires_at, user: { id: user.id, username: user.username } }
}
