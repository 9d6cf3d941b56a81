import { siteAdmin } from '#core/access.ts'
import type { Hearth } from '#core/hearth.ts'
import { operation } from '#core/operation.ts'
import { Nothing, Type } from '#core/schema.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { conflict } from '#lib/errors.ts'
import { Username } from '../schema.ts'
import { updateSecondFactorState } from './second-factors.ts'
import { requireSiteUser } from '../administration/site-users.ts'
import { removeAuthenticator, removePasskeysOf } from '../store/second-factors.ts'

/**
 * For a user who has lost the device and the recovery codes. The administrator verifies the
 * identity outside the system.
 */
export const resetTwoFactor = operation({
  name: 'reset_two_factor',
  summary:
    "Remove all second factors of somebody's account, so that the password is enough. For site administrators, on the website. The answer is empty.",
  route: null,
  access: siteAdmin({ writes: true }),
  input: Type.Object({ username: Username }),
  output: Nothing,
  annotations: { destructive: true },

  handler: ({ write }, { username }) => write((tx) => removeAllSecondFactors(tx, username, {})),
})

/** Throws 404 for an unknown username and 409 `not_open` for an account without a second factor. */
function removeAllSecondFactors(tx: Tx, username: string, data: Record<string, unknown>): null {
  const row = requireSiteUser(tx.db, username)
  if (row.two_factor_enabled === 0)
    throw conflict('not_open', `${row.username} has no second factor`)
  removeAuthenticator(tx.db, row.id)
  removePasskeysOf(tx.db, row.id)
  updateSecondFactorState(tx, row.id, {
    action: 'user.two_factor_reset',
    sentence: 'An administrator turned two-factor sign-in off',
    data,
  })
  return null
}

/**
 * The same from the command line, for an administrator who has lost every factor. Access to the
 * data directory authorises it.
 */
export const resetTwoFactorFromCommandLine = (hearth: Hearth, username: string): Promise<null> =>
  writeAs(hearth, null, (tx) =>
    removeAllSecondFactors(tx, username.trim().toLowerCase(), { by: 'command line' }),
  )
