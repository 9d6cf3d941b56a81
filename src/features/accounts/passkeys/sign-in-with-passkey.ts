import { publicWrite } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { forbidden, invalid } from '#lib/errors.ts'
import { checkAssertion, passkeyResponse } from './passkeys.ts'
import { NewSignIn } from '../schema.ts'
import { createSignIn } from '../sign-in/sign-ins.ts'
import { findPasskey, setPasskeyUsed } from '../store/second-factors.ts'
import { findUserById } from '../store/users.ts'

/**
 * A passkey that the user unlocked on the device counts as two factors, so no further step is
 * required.
 */
export const signInWithPasskey = operation({
  name: 'sign_in_with_passkey',
  summary: 'Sign in on the website with a passkey alone. Answers with the secret for the cookie.',
  route: null,
  access: publicWrite(),
  input: Type.Object(passkeyResponse),
  output: NewSignIn,
  secretAnswer: true,

  handler: async ({ hearth, origin, write }, response) => {
    const { passkey, counter } = await checkAssertion(hearth, null, response)
    return write((tx) => {
      const user = findUserById(tx.db, passkey.user_id)
      if (!user || !findPasskey(tx.db, passkey.id))
        throw invalid('passkey', 'this passkey was removed')
      if (user.suspended_at !== null) throw forbidden('suspended', 'this account is suspended')
      setPasskeyUsed(tx.db, passkey.id, counter, tx.now)
      return createSignIn(tx, user, { method: 'passkey', origin })
    })
  },
})
