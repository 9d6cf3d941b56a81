import { personOnly } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, Type } from '#core/schema.ts'
import { conflict } from '#lib/errors.ts'
import { createSealedSecret } from './second-factors.ts'
import { findAuthenticator, insertAuthenticator } from '../store/second-factors.ts'

/** Sign-in does not change until the user enters a first code. */
export const startTwoFactor = operation({
  name: 'start_two_factor',
  summary: 'Begin to set up an authenticator on the website. The answer is empty.',
  route: null,
  access: personOnly({ writes: true, whileUnconfirmed: true }),
  input: Type.Object({}),
  output: Nothing,

  handler: ({ hearth, caller, write }) => {
    const sealed_secret = createSealedSecret(hearth)
    return write((tx) => {
      if (findAuthenticator(tx.db, caller.id)?.confirmed_at != null)
        throw conflict(
          'already_exists',
          'there is an authenticator already; turn it off first to set up another',
        )
      insertAuthenticator(tx.db, { user_id: caller.id, sealed_secret, now: tx.now })
      return null
    })
  },
})
