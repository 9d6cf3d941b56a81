import { personOnly } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, Type } from '#core/schema.ts'
import { conflict } from '#lib/errors.ts'
import { PasswordInput } from '../inputs.ts'
import { requirePassword } from '../passwords/require-password.ts'
import { updateSecondFactorState } from './second-factors.ts'
import { findAuthenticator, removeAuthenticator } from '../store/second-factors.ts'

export const disableTwoFactor = operation({
  name: 'disable_two_factor',
  summary: 'Remove the authenticator of your own account, with your password. The answer is empty.',
  route: null,
  access: personOnly({ writes: true, whileUnconfirmed: true }),
  input: Type.Object({ password: PasswordInput }),
  output: Nothing,
  annotations: { destructive: true },

  handler: async ({ hearth, caller, write }, { password }) => {
    await requirePassword(hearth, caller.id, password)
    return write((tx) => {
      if (!findAuthenticator(tx.db, caller.id))
        throw conflict('not_open', 'there is no authenticator')
      removeAuthenticator(tx.db, caller.id)
      updateSecondFactorState(tx, caller.id, {
        action: 'user.authenticator_removed',
        sentence: 'The authenticator was removed',
      })
      return null
    })
  },
})
