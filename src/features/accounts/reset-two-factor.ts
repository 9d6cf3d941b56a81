import { siteAdmin } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, Type } from '#core/schema.ts'
import { conflict } from '#lib/errors.ts'
import { Username } from './schema.ts'
import { settleSecondFactors } from './second-factors.ts'
import { requireSiteUser } from './site-users.ts'
import { removeAuthenticator, removePasskeysOf } from './store-second-factors.ts'

/** For a person who has lost the device and the recovery codes, once the administrator knows that it is them. */
export const resetTwoFactor = operation({
  name: 'reset_two_factor',
  summary: "Remove all second factors of somebody's account, so that the password is enough. For site administrators, on the website. The answer is empty.",
  route: null,
  access: siteAdmin({ writes: true }),
  input: Type.Object({ username: Username }),
  output: Nothing,
  annotations: { destructive: true },

  handler: ({ write }, { username }) =>
    write((tx) => {
      const row = requireSiteUser(tx.db, username)
      if (row.two_factor_enabled === 0) throw conflict('not_open', `${row.username} has no second factor`)
      removeAuthenticator(tx.db, row.id)
      removePasskeysOf(tx.db, row.id)
      settleSecondFactors(tx, row.id, { action: 'user.two_factor_reset', sentence: 'An administrator turned two-factor sign-in off' })
      return null
    }),
})
