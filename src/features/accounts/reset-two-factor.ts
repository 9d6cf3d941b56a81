import { siteAdmin } from '#core/access.ts'
import type { Hearth } from '#core/hearth.ts'
import { operation } from '#core/operation.ts'
import { Nothing, Type } from '#core/schema.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { conflict } from '#lib/errors.ts'
import { Username } from './schema.ts'
import { settleSecondFactors } from './second-factors.ts'
import { requireSiteUser } from './site-users.ts'
import { removeAuthenticator, removePasskeysOf } from './store-second-factors.ts'

/**
 * For a person who has lost the device and the recovery codes, once the administrator knows that it
 * is them.
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

  handler: ({ write }, { username }) => write((tx) => takeOff(tx, username, {})),
})

/**
 * Gives 404 for a name that nobody has, and 409 `not_open` for an account without a second factor.
 */
function takeOff(tx: Tx, username: string, data: Record<string, unknown>): null {
  const row = requireSiteUser(tx.db, username)
  if (row.two_factor_enabled === 0)
    throw conflict('not_open', `${row.username} has no second factor`)
  removeAuthenticator(tx.db, row.id)
  removePasskeysOf(tx.db, row.id)
  settleSecondFactors(tx, row.id, {
    action: 'user.two_factor_reset',
    sentence: 'An administrator turned two-factor sign-in off',
    data,
  })
  return null
}

/**
 * The same for whoever may open the data directory: the way back in for an administrator who has
 * lost every factor.
 */
export const resetTwoFactorHere = (hearth: Hearth, username: string): Promise<null> =>
  writeAs(hearth, null, (tx) => takeOff(tx, username.trim().toLowerCase(), { by: 'command line' }))
