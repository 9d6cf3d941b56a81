/**
 * Ends the access that an account gave before its password was reset. Whoever resets a password
 * either forgot it or recovers an account that somebody else used or registered.
 */
import { internalEvent } from '#core/events.ts'
import { Type } from '#core/schema.ts'
import type { Tx } from '#core/write.ts'
import { updateSecondFactorState } from '../two-factor/second-factors.ts'
import { endToken } from '../tokens/end-tokens.ts'
import { removeIdentitiesOf } from '../store/identities.ts'
import { removeAuthenticator, removePasskeysOf } from '../store/second-factors.ts'
import { listTokensActingFor } from '../store/tokens.ts'
import { removeOtherEmails } from '../store/user-settings.ts'
import type { UserRow } from '../store/users.ts'

/** The access that a user gave has ended, so features remove theirs (applications, devices). */
export const accessEnded = internalEvent(
  'accounts.access_ended',
  Type.Object({ user_id: Type.String() }),
)

/** Ends all tokens of a user and of their agents, and what other features know. */
export function endAccess(tx: Tx, user: Pick<UserRow, 'id'>): void {
  for (const id of listTokensActingFor(tx.db, user.id))
    endToken(tx, id, { reason: 'password_reset' })
  tx.emit(accessEnded, { user_id: user.id })
}

/**
 * Removes every other way into an account whose address is proven for the first time. Until then
 * anybody could have registered it with this address, and kept a passkey or a second address.
 */
export function removeUnprovenAccess(tx: Tx, user: UserRow): void {
  removeAuthenticator(tx.db, user.id)
  removePasskeysOf(tx.db, user.id)
  if (user.two_factor_enabled === 1)
    updateSecondFactorState(tx, user.id, {
      action: 'user.two_factor_reset',
      sentence: 'Two-factor sign-in was turned off',
      data: { by: 'password reset' },
    })
  removeIdentitiesOf(tx.db, user.id)
  removeOtherEmails(tx.db, user.id, user.email)
}
