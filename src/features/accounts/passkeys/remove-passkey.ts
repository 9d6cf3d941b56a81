import { personOnly } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, Type } from '#core/schema.ts'
import { notFound } from '#lib/errors.ts'
import { PasswordInput } from '../inputs.ts'
import { requirePassword } from '../passwords/require-password.ts'
import { updateSecondFactorState } from '../two-factor/second-factors.ts'
import { findPasskey, removePasskeyRow } from '../store/second-factors.ts'

export const removePasskey = operation({
  name: 'remove_passkey',
  summary: 'Remove a passkey of your own account, with your password. The answer is empty.',
  route: null,
  access: personOnly({ writes: true, whileUnconfirmed: true }),
  input: Type.Object({
    id: Type.String({ minLength: 1, maxLength: 2000 }),
    password: PasswordInput,
  }),
  output: Nothing,
  annotations: { destructive: true },

  handler: async ({ hearth, caller, write }, { id, password }) => {
    await requirePassword(hearth, caller.id, password)
    return write((tx) => {
      const passkey = findPasskey(tx.db, id)
      if (passkey?.user_id !== caller.id) throw notFound('the passkey')
      removePasskeyRow(tx.db, id)
      updateSecondFactorState(tx, caller.id, {
        action: 'user.passkey_removed',
        sentence: 'A passkey was removed',
        data: { passkey: passkey.name },
      })
      return null
    })
  },
})
