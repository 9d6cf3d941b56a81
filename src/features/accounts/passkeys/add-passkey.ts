import { personOnly } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { conflict } from '#lib/errors.ts'
import { checkRegistration, passkeyResponse } from './passkeys.ts'
import { RecoveryCodes } from '../schema.ts'
import { updateSecondFactorState } from '../two-factor/second-factors.ts'
import { findPasskey, insertPasskey, listPasskeys } from '../store/second-factors.ts'

const MAX_PASSKEYS = 20

export const addPasskey = operation({
  name: 'add_passkey',
  summary:
    'Add a passkey to your own account on the website. Answers with recovery codes, shown once, when it is the first second factor.',
  route: null,
  access: personOnly({ writes: true, whileUnconfirmed: true }),
  input: Type.Object({
    name: Type.Optional(Type.String({ maxLength: 64, description: 'Which device it is on.' })),
    ...passkeyResponse,
  }),
  output: RecoveryCodes,

  handler: async ({ hearth, caller, write }, { name = '', ...input }) => {
    const made = await checkRegistration(hearth, caller.id, input)
    return write((tx) => {
      if (findPasskey(tx.db, made.id))
        throw conflict('already_exists', 'this passkey is here already')
      if (listPasskeys(tx.db, caller.id).length >= MAX_PASSKEYS)
        throw conflict('limit_reached', `an account has at most ${MAX_PASSKEYS} passkeys`, {
          limit: MAX_PASSKEYS,
        })
      const label = name.trim() || 'Passkey'
      insertPasskey(tx.db, { ...made, user_id: caller.id, name: label, created_at: tx.now })
      return {
        recovery_codes: updateSecondFactorState(tx, caller.id, {
          action: 'user.passkey_added',
          sentence: 'A passkey was added',
          data: { passkey: label },
        }),
      }
    })
  },
})
