import { publicWrite } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { forbidden, invalid } from '#lib/errors.ts'
import { checkAssertion, passkeyAnswer } from './passkeys.ts'
import { NewSignIn } from './schema.ts'
import { startSignIn } from './sign-ins.ts'
import { findPasskey, setPasskeyUsed } from './store-second-factors.ts'
import { findUserById } from './store.ts'

/** A passkey that its device unlocked is two factors in one, so nothing else is asked. */
export const signInWithPasskey = operation({
  name: 'sign_in_with_passkey',
  summary: 'Sign in on the website with a passkey alone. Answers with the secret for the cookie.',
  route: null,
  access: publicWrite(),
  input: Type.Object(passkeyAnswer),
  output: NewSignIn,
  secretAnswer: true,

  handler: async ({ hearth, origin, write }, answer) => {
    const { passkey, counter } = await checkAssertion(hearth, null, answer)
    return write((tx) => {
      const user = findUserById(tx.db, passkey.user_id)
      if (!user || !findPasskey(tx.db, passkey.id))
        throw invalid('passkey', 'this passkey was removed')
      if (user.suspended_at !== null) throw forbidden('suspended', 'this account is suspended')
      setPasskeyUsed(tx.db, passkey.id, counter, tx.now)
      return startSignIn(tx, user, { method: 'passkey', origin })
    })
  },
})
